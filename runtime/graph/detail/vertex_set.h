#pragma once

#include <cstdint>

#include "runtime/graph/buffer.h"

namespace matcha::runtime::detail {

/// Ranks that occur, one bit each. Throws std::bad_alloc.
class VertexSet {
 public:
  explicit VertexSet(std::uint64_t universe);

  /// In parallel. Requires: ranks below the universe.
  void add(const std::uint32_t* ranks, std::uint64_t count);
  /// Adds the ranks `[begin, end)`.
  void add_range(std::uint64_t begin, std::uint64_t end);
  std::uint64_t count() const;
  /// The ranks, ascending; absent (see GraphArrays) when all of the universe occur.
  Buffer<std::uint32_t> take() const;

 private:
  std::uint64_t universe_;
  Buffer<std::uint64_t> words_;
};

}  // namespace matcha::runtime::detail
