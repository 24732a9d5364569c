#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "engines/identities/vertex_loop.h"
#include "runtime/graph/buffer.h"

namespace matcha::runtime::motif {

/// Sums by vertex or by arc.
using Cells = Buffer<std::uint64_t>;

template <typename Cell>
Buffer<Cell> zeros(std::uint64_t size) {
  Buffer<Cell> cells(size);
  std::memset(cells.data(), 0, size * sizeof(Cell));
  return cells;
}
inline Cells zero_cells(std::uint64_t size) { return zeros<std::uint64_t>(size); }

/// A loop over vertices that fills cells and detects overflow.
class CellLoop {
 public:
  explicit CellLoop(VertexLoop& loop) : loop_(loop) {}

  VertexLoop& vertices() const { return loop_; }
  bool is_ended() const { return loop_.end() != End::Complete; }
  void add(std::uint64_t& cell, unsigned __int128 number) const {
    if (number == 0) return;
    const auto low = static_cast<std::uint64_t>(number);
    if (low != number || loop_.add(cell, low) > UINT64_MAX - low) overflow_.store(true, std::memory_order_relaxed);
  }
  bool overflow() const { return overflow_.load(std::memory_order_relaxed); }

 private:
  VertexLoop& loop_;
  mutable std::atomic<bool> overflow_{false};
};

}  // namespace matcha::runtime::motif
