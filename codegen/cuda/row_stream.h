#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/backend.h"
#include "ir/nodes.h"
#include "runtime/common/launch.h"
#include "runtime/cuda/memory.h"

namespace matcha::codegen::gpu {

/// Rows of a list sink that are streamed to the host while the kernel runs, through a ring in pinned memory that groups
/// fill and the host empties (RowArea). Memory does not grow with the number of rows.
class RowStream {
 public:
  using Give = std::function<bool(const Rows&)>;

  /// Empties the ring and returns its RowArea, except for the address of `count`. `capacity`: rows, rounded down to a
  /// power of two. Errors: Resource.
  runtime::Result<matcha_program::RowArea> open(const runtime::cuda::DeviceRef& device,
                                                const runtime::cuda::Stream& stream, const ir::Sink& sink,
                                                std::uint64_t capacity);
  /// Hands over complete rows in blocks and frees their space through `side`. It takes at most a full ring of rows, so
  /// that the caller can do other work even if the kernel keeps the ring full. False: no more rows are wanted.
  runtime::Result<bool> drain(const runtime::cuda::Stream& side, const Give& give);
  /// After a kernel that was stopped: hands over the rows behind gaps left by stopped groups. `count`: rows found.
  bool finish(std::uint64_t count, const Give& give);

  /// Rows handed over since `open`.
  std::uint64_t rows() const { return rows_; }

 private:
  std::uint64_t* slot(std::uint64_t row) const { return ring_.host() + (row & (capacity_ - 1)) * words_; }
  bool is_complete(std::uint64_t row) const;
  void take(std::uint64_t row);
  /// Hands over the block unless it is empty.
  bool give_block(const Give& give);

  runtime::cuda::PinnedBuffer<std::uint64_t> ring_;
  runtime::cuda::DeviceBuffer<std::uint64_t> drained_;  ///< Number of rows taken out by the host.
  runtime::cuda::PinnedBuffer<std::uint64_t> source_;   ///< Source of the copy to `drained_`.
  std::uint64_t capacity_ = 0;                          ///< A power of two.
  std::uint64_t words_ = 0;                             ///< Words of a slot: the mark, then the columns.
  std::uint64_t next_ = 0;                              ///< The first row that was not taken out.
  std::uint64_t rows_ = 0;
  std::vector<runtime::ElementKind> kinds_;
  std::vector<std::vector<std::uint64_t>> block_;  ///< Space for the items of each column.
  std::uint64_t filled_ = 0;                       ///< Rows in the block.
};

}  // namespace matcha::codegen::gpu
