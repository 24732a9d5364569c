#include "session/ledger/bounds.h"

namespace matcha::session::ledger {

Bounds bounds_of(const Plan& plan) {
  const std::size_t edges = plan.edges.size();
  Bounds bounds;
  std::vector<std::vector<std::optional<__int128>>>& most = bounds.most;
  most.assign(edges, std::vector<std::optional<__int128>>(edges));
  const auto take = [&most](std::size_t x, std::size_t y, __int128 by) {
    std::optional<__int128>& known = most[x][y];
    if (!known || by < *known) known = by;
  };
  for (std::size_t e = 0; e < edges; ++e) take(e, e, 0);
  for (const Cross& cross : plan.crosses) {
    if (!cross.is_slice()) continue;
    const Gap& gap = *cross.maybe_gap;
    take(gap.x, gap.y, gap.by - (gap.kind == pattern::Condition::Kind::Less ? 1 : 0));
    if (gap.kind == pattern::Condition::Kind::Equal) take(gap.y, gap.x, -gap.by);
  }
  for (std::size_t by = 0; by < edges && !bounds.is_impossible; ++by) {
    for (std::size_t x = 0; x < edges; ++x) {
      for (std::size_t y = 0; y < edges; ++y) {
        if (most[x][by] && most[by][y]) take(x, y, *most[x][by] + *most[by][y]);
      }
      for (std::size_t e = 0; e < edges; ++e) bounds.is_impossible = bounds.is_impossible || *most[e][e] < 0;
    }
  }
  return bounds;
}

}  // namespace matcha::session::ledger
