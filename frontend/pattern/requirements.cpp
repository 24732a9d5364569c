#include "frontend/pattern/requirements.h"

namespace matcha::frontend::pattern {

Requirements::Requirements(const Pattern& pattern, Induced induced)
    : in_after(pattern.in),
      off_after(pattern.anti),
      in_before(pattern.ids.size(), 0),
      off_before(pattern.ids.size(), 0) {
  if (pattern.directed) {
    in_before = pattern.out;
    off_before = pattern.anti;
  }
  if (induced == Induced::Edge) return;
  for (int v = 0; v < pattern.size(); ++v) {
    const Mask others = pattern.all() & ~bit(v);
    off_after[index(v)] = others & ~in_after[index(v)];
    if (pattern.directed) off_before[index(v)] = others & ~in_before[index(v)];
  }
}

bool Requirements::distinct(int u, int v, Mask bound) const {
  if (has(wanted(v), u)) return true;
  const Mask others = bound & ~bit(u) & ~bit(v);
  const Mask apart = (in_after[index(u)] & off_after[index(v)]) | (off_after[index(u)] & in_after[index(v)]) |
                     (in_before[index(u)] & off_before[index(v)]) | (off_before[index(u)] & in_before[index(v)]);
  return (apart & others) != 0;
}

}  // namespace matcha::frontend::pattern
