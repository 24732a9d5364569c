#include "ir/analysis/list_loops.h"

#include <algorithm>

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

ListLoops::ListLoops(const Region& region) {
  for_each_stmt(*region.collect->body, [this](const Stmt& stmt) {
    const Collect* collect = as<Collect>(&stmt);
    if (collect == nullptr) return;
    for (const Sink& sink : collect->sinks) {
      if (sink.kind == SinkKind::List) lists_.insert(sink.var);
    }
  });
  for_each_loop(*region.collect->body, [this](const For& loop) {
    const Yield* item = loop.lists[0]->type->bits ? nullptr : only_item(*loop.body);
    if (item != nullptr) items_[&loop] = item;
    return item != nullptr;
  });
}

const Yield* ListLoops::item_of(const For& loop) const {
  const auto found = items_.find(&loop);
  return found != items_.end() ? found->second : nullptr;
}

const Yield* ListLoops::only_item(const Block& b) const {
  for (const Stmt* stmt : b.body) {
    const bool last = stmt == b.body.back();
    if (const Let* let = as<Let>(stmt)) {
      if (!one_lane_can(*let->value)) return nullptr;
    } else if (const If* branch = as<If>(stmt)) {
      const bool chained = last && branch->maybe_else == nullptr && one_lane_can(*branch->cond);
      return chained ? only_item(*branch->then_body) : nullptr;
    } else {
      const Yield* yield = last ? as<Yield>(stmt) : nullptr;
      const bool item = yield != nullptr && lists_.contains(yield->sink);
      return item && std::ranges::all_of(yield->values, [](const Expr* value) { return one_lane_can(*value); })
                 ? yield
                 : nullptr;
    }
  }
  return nullptr;
}

}  // namespace matcha::ir
