#pragma once

#include <optional>
#include <string>

#include "runtime/graph/order.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/forecast.h"

namespace matcha::session {

/// The key by which vertices are ranked, and the reason.
struct OrderReport {
  bool by_degree = false;
  bool could = false;                               ///< The graph could be ranked by degree, and is not;
  bool may_gain = false;                            ///< and this program could gain by it.
  runtime::Halves halves = runtime::Halves::Lower;  ///< The halves that the program reads; for `by_degree`.
  std::string why;                                  ///< For people: why they are ranked so.
  double ms = 0;                                    ///< To find out, and to rank them.

  /// `by degree (…)` or `by id (…)`.
  std::string text() const;
};

/// Binds the edges that the program reads by label or backwards (`bind_slices`). If there are none, ranks the vertices
/// of the bound graph by degree if the order cannot change the answer and saves time: always if memory or the file
/// already has that order, else if the run is expected to become shorter by more than the ranking takes. With the
/// choice `degree` it need not save time, and an order that shows in the results is an error of usage; with `stored`
/// only the order of the file is taken. Call it after the inputs are read and before the run; the arguments stay where
/// they are.
Status order_vertices(const std::string& choice, const Forecast& forecast, Compilation& compilation,
                      const passes::LabelWords& labels, const Reporter& reporter, BoundInputs& bound,
                      OrderReport& report);

/// Ranks the one bound graph by degree, whatever it costs; false where that cannot be done.
bool take_order_by_degree(runtime::Halves halves, BoundInputs& bound);

/// Ranks the bound graph by degree and takes it back, for programs that are timed in both orders.
class OrderSwitch {
 public:
  /// `bound` has ranks by id.
  explicit OrderSwitch(BoundInputs& bound) : bound_(bound) {}

  /// The milliseconds that it takes to rank the vertices so; 0 by id. Negative: the program or the graph does not allow
  /// it, and they stay as they were. The first time by degree decides for which halves.
  double set(bool by_degree, Compilation& compilation, const passes::LabelWords& labels);
  runtime::Halves halves() const { return halves_; }

 private:
  BoundInputs& bound_;
  std::optional<runtime::Graph> other_;  ///< The graph in the order that it does not have now.
  bool by_degree_ = false;
  runtime::Halves halves_ = runtime::Halves::Lower;
  double ms_ = 0;
};

}  // namespace matcha::session
