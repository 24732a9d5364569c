#pragma once

#include <string>

#include "runtime/graph/order.h"
#include "tools/bind.h"
#include "tools/compile.h"

namespace matcha::tools {

/// `--order auto|id|degree`.
void add_order_option(CLI::App& verb, std::string& choice);

/// By what the vertices of a run are ranked, and why.
struct OrderReport {
  bool by_degree = false;
  runtime::Halves halves = runtime::Halves::Lower;  ///< Which the program walks; for `by_degree`.
  std::string why;                                  ///< For people: why they are ranked so.
  double ms = 0;                                    ///< To find out, and to rank them.

  /// `by degree (…)` or `by id (…)`.
  std::string text() const;
};

/// Ranks the vertices of the bound graph by degree where the program cannot tell and gains by it. With the choice
/// `degree` it need not gain, and an order that shows in the results is an error of the command line.
/// Call it after the inputs are read and before the run; the arguments stay where they are.
ExitCode order_vertices(const std::string& choice, Compilation& compilation, const passes::LabelWords& labels,
                        const Console& console, BoundInputs& bound, OrderReport& report);

}  // namespace matcha::tools
