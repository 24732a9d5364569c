#include "codegen/cpu/frame.h"

namespace matcha::codegen::cpu {

std::uint32_t FrameLayout::slot(const ir::Var& var) {
  const auto found = slots_.find(&var);
  if (found != slots_.end()) return found->second;
  std::uint32_t width = var.type->is_list() ? 1 + static_cast<std::uint32_t>(var.type->columns.size()) : 2;
  std::uint32_t first = reserve(width);
  slots_.emplace(&var, first);
  return first;
}

std::uint32_t FrameLayout::reserve(std::uint32_t count) {
  std::uint32_t first = next_;
  next_ += count;
  return first;
}

}  // namespace matcha::codegen::cpu
