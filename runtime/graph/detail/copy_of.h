#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/graph/buffer.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

/// A copy of `count` items, made by all threads; empty if `items` is null. Throws std::bad_alloc.
template <typename T>
Buffer<T> copy_of(const T* items, std::uint64_t count) {
  constexpr std::uint64_t kItemsAtATime = 4096;
  if (items == nullptr) return Buffer<T>();
  Buffer<T> copy(count);
  for_blocks(Block(0, count, kItemsAtATime), [&](const Block& block) {
    std::memcpy(copy.data() + block.begin(), items + block.begin(), block.size() * sizeof(T));
  });
  return copy;
}

}  // namespace matcha::runtime::detail
