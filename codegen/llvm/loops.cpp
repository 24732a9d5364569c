#include "codegen/llvm/loops.h"

#include "codegen/llvm/scalars.h"

namespace matcha::codegen::jit {

void Loops::bind_items(const ir::For& s, std::span<const List> lists, Value* index) {
  std::size_t var = 0;
  for (const List& items : lists) {
    for (const Column& column : items.columns) {
      scalars_.bind(*s.vars[var], f_.load_cell(column, index, name_of(*s.vars[var])));
      ++var;
    }
  }
  if (s.maybe_index != nullptr) scalars_.bind(*s.maybe_index, index);
}

void Loops::walk(const ir::For& s, std::span<const List> lists, Value* begin, Value* end,
                 const std::function<void()>& item) {
  f_.count_up(begin, end, 1, [&](Value* index) {
    if (s.maybe_index != nullptr) index->setName(name_of(*s.maybe_index));
    if (depth_ == 0) position_ = index;
    ++depth_;
    bind_items(s, lists, index);
    item();
    --depth_;
  });
}

}  // namespace matcha::codegen::jit
