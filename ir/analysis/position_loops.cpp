#include "ir/analysis/position_loops.h"

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

std::vector<const For*> last_loops(const Block& block) {
  if (block.body.empty()) return {};
  const Stmt* last = block.body.back();
  if (const For* loop = as<For>(last)) return {loop};
  if (const Block* inner = as<Block>(last)) return last_loops(*inner);
  const If* branch = as<If>(last);
  if (branch == nullptr) return {};
  std::vector<const For*> loops = last_loops(*branch->then_body);
  if (branch->maybe_else == nullptr) return loops;
  const std::vector<const For*> others = last_loops(*branch->maybe_else);
  loops.insert(loops.end(), others.begin(), others.end());
  return loops;
}

const If* filter_of(const For& outer) {
  // Around a large nest the walk costs little, and two copies of it would take long to compile.
  constexpr int kMostLoops = 2;
  const If* branch = outer.body->body.size() == 1 ? as<If>(outer.body->body[0]) : nullptr;
  if (branch == nullptr || branch->maybe_else != nullptr) return nullptr;
  int loops = 0;
  for_each_stmt(*branch->then_body, [&](const Stmt& inner) { loops += inner.kind == Kind::For ? 1 : 0; });
  return loops <= kMostLoops ? branch : nullptr;
}

}  // namespace matcha::ir
