#include "codegen/c_family/list_loops.h"

#include <algorithm>

#include "codegen/c_family/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

ListLoops::ListLoops(const ir::Region& region) {
  ir::for_each_stmt(*region.collect->body, [this](const ir::Stmt& stmt) {
    const ir::Collect* collect = ir::as<ir::Collect>(&stmt);
    if (collect == nullptr) return;
    for (const ir::Sink& sink : collect->sinks) {
      if (sink.kind == ir::SinkKind::List) lists_.insert(sink.var);
    }
  });
  for_each_loop(*region.collect->body, [this](const ir::For& loop) {
    const ir::Yield* item = loop.lists[0]->type->bits ? nullptr : only_item(*loop.body);
    if (item != nullptr) items_[&loop] = item;
    return item != nullptr;
  });
}

const ir::Yield* ListLoops::item_of(const ir::For& loop) const {
  const auto found = items_.find(&loop);
  return found != items_.end() ? found->second : nullptr;
}

const ir::Yield* ListLoops::only_item(const ir::Block& b) const {
  for (const ir::Stmt* stmt : b.body) {
    const bool last = stmt == b.body.back();
    if (const ir::Let* let = ir::as<ir::Let>(stmt)) {
      if (!one_lane_can(*let->value)) return nullptr;
    } else if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      const bool chained = last && branch->maybe_else == nullptr && one_lane_can(*branch->cond);
      return chained ? only_item(*branch->then_body) : nullptr;
    } else {
      const ir::Yield* yield = last ? ir::as<ir::Yield>(stmt) : nullptr;
      const bool item = yield != nullptr && lists_.contains(yield->sink);
      return item && std::ranges::all_of(yield->values, [](const ir::Expr* value) { return one_lane_can(*value); })
                 ? yield
                 : nullptr;
    }
  }
  return nullptr;
}

}  // namespace matcha::codegen
