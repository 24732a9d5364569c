#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/backend.h"
#include "ir/nodes.h"
#include "runtime/common/launch.h"
#include "runtime/cuda/memory.h"

namespace matcha::codegen::gpu {

/// Rows of a list sink that go to the host while the kernel runs: a ring in pinned memory, which groups fill and the
/// host empties (RowArea says how). Memory does not grow with the number of rows.
class RowStream {
 public:
  using Give = std::function<bool(const Rows&)>;

  /// Empties the ring and gives what `RowArea` needs, but for the place of `count`. `capacity`: rows, rounded down to a
  /// power of two. Errors: Resource.
  runtime::Result<matcha_program::RowArea> open(const runtime::cuda::DeviceRef& device,
                                                const runtime::cuda::Stream& stream, const ir::Sink& sink,
                                                std::uint64_t capacity);
  /// Hands over what is complete, in blocks, and makes room for more through `side`; a ring full of rows at most, so
  /// that the caller gets to look at other things while a kernel is as fast as whoever takes the rows. False: no more
  /// rows are wanted.
  runtime::Result<bool> drain(const runtime::cuda::Stream& side, const Give& give);
  /// After a kernel that was stopped: hands over the rows behind gaps that stopped groups left. `count`: rows found.
  bool finish(std::uint64_t count, const Give& give);

  /// Rows handed over since `open`.
  std::uint64_t rows() const { return rows_; }

 private:
  std::uint64_t* slot(std::uint64_t row) const { return ring_.host() + (row & (capacity_ - 1)) * words_; }
  bool is_complete(std::uint64_t row) const;
  void take(std::uint64_t row);
  /// Hands over the block, if there is something in it.
  bool give_block(const Give& give);

  runtime::cuda::PinnedBuffer<std::uint64_t> ring_;
  runtime::cuda::DeviceBuffer<std::uint64_t> drained_;  ///< Rows that the host has taken out.
  runtime::cuda::PinnedBuffer<std::uint64_t> source_;   ///< What is copied there.
  std::uint64_t capacity_ = 0;                          ///< A power of two.
  std::uint64_t words_ = 0;                             ///< Of a slot: the mark, then the columns.
  std::uint64_t next_ = 0;                              ///< The first row that is not taken out.
  std::uint64_t rows_ = 0;
  std::vector<runtime::ElementKind> kinds_;
  std::vector<std::vector<std::uint64_t>> block_;  ///< Room for the items of each column.
  std::uint64_t filled_ = 0;                       ///< Rows in the block.
};

}  // namespace matcha::codegen::gpu
