#pragma once

#include <vector>

#include "planner/program.h"
#include "session/outline.h"

namespace matcha::session {

/// Enters the estimates of the cost model into the steps of the program of these plans. A loop is known by the
/// names of its item and of those of the loops around it; where two plans expect something else of the same names, as
/// those of a motif may, nothing is entered.
void add_estimates(const std::vector<pattern::MatchingPlan>& plans, std::vector<Step>& steps);

}  // namespace matcha::session
