#include "runtime/cpu/column.h"

#include <algorithm>
#include <cstring>

namespace matcha::runtime {

bool Column::reserve(std::uint64_t count) {
  if (count <= capacity_) return true;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, element_bytes(kind_), &bytes)) return false;
  void* grown = std::realloc(bytes_.get(), bytes);
  if (grown == nullptr) return false;
  static_cast<void>(bytes_.release());
  bytes_.reset(grown);
  capacity_ = count;
  return true;
}

bool Column::resize(std::uint64_t count) {
  if (!reserve(count)) return false;
  size_ = count;
  return true;
}

bool Column::append(const void* items, std::uint64_t count) {
  if (count == 0) return true;
  if (size_ + count > capacity_ && !reserve(std::max(size_ + count, capacity_ + capacity_ / 2))) return false;
  std::uint64_t width = element_bytes(kind_);
  std::memcpy(static_cast<char*>(bytes_.get()) + size_ * width, items, count * width);
  size_ += count;
  return true;
}

}  // namespace matcha::runtime
