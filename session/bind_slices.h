#pragma once

#include "session/bind.h"
#include "session/compile.h"
#include "session/reporter.h"
#include "session/status.h"

namespace matcha::session {

/// Adds the graphs that the program reads by label, or backwards, to the arguments behind those of its parameters;
/// once for each program that is to run on the same inputs. After `Compilation::lower`, with the inputs there and not
/// yet in another order. Errors: Query, a label that is no word of the run, with its place; those of making them.
Status bind_slices(const Compilation& program, const Reporter& reporter, BoundInputs& bound);

}  // namespace matcha::session
