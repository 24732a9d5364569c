#pragma once

#include <optional>
#include <vector>

#include "session/ledger/plan.h"

namespace matcha::session::ledger {

/// The bounds that the conditions of a plan put on the times of any two edges, including those that follow from others:
/// `x < y < z within 1d` bounds y, too.
struct Bounds {
  /// Item [x][y]: the most by which the time of edge x is after that of y; nothing: any.
  std::vector<std::vector<std::optional<__int128>>> most;
  bool is_impossible = false;  ///< No times fit.
};

Bounds bounds_of(const Plan& plan);

}  // namespace matcha::session::ledger
