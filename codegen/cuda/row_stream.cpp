#include "codegen/cuda/row_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codegen/cuda/host_values.h"
#include "codegen/cuda/sinks.h"
#include "codegen/host/host_plan.h"

namespace matcha::codegen::gpu {

using runtime::cuda::DeviceBuffer;
using runtime::cuda::PinnedBuffer;

namespace {

constexpr std::uint64_t kBlockRows = 4096;

}  // namespace

runtime::Result<matcha_program::RowArea> RowStream::open(const runtime::cuda::DeviceRef& device,
                                                         const runtime::cuda::Stream& stream, const ir::Sink& sink,
                                                         std::uint64_t capacity) {
  const std::span<const ir::Type* const> columns = sink.var->type->columns;
  capacity_ = std::bit_floor(std::max<std::uint64_t>(capacity, 1));
  words_ = columns.size() + 1;
  next_ = rows_ = filled_ = 0;
  kinds_.clear();
  for (const ir::Type* column : columns) kinds_.push_back(host::element_kind(*column));
  block_.assign(columns.size(), std::vector<std::uint64_t>(kBlockRows));
  if (ring_.size() < capacity_ * words_) {
    ring_ = MATCHA_TRY(PinnedBuffer<std::uint64_t>::allocate(device, capacity_ * words_));
  } else {
    std::memset(ring_.host(), 0, capacity_ * words_ * sizeof(std::uint64_t));
  }
  if (drained_.size() == 0) {
    DeviceBuffer<std::uint64_t> drained = MATCHA_TRY(DeviceBuffer<std::uint64_t>::allocate(device, 1));
    PinnedBuffer<std::uint64_t> source = MATCHA_TRY(PinnedBuffer<std::uint64_t>::allocate(device, 1));
    drained_ = std::move(drained);
    source_ = std::move(source);
  }
  if (runtime::Status cleared = drained_.fill(stream, 0); !cleared) return cleared.error();
  matcha_program::RowArea area{};
  area.words = reinterpret_cast<matcha_program::u64*>(ring_.device_data());
  area.capacity = capacity_;
  area.drained = reinterpret_cast<const matcha_program::u64*>(drained_.data());
  return area;
}

bool RowStream::is_complete(std::uint64_t row) const { return __atomic_load_n(slot(row), __ATOMIC_ACQUIRE) == row + 1; }

void RowStream::take(std::uint64_t row) {
  const std::uint64_t* words = slot(row);
  for (std::size_t c = 0; c < kinds_.size(); ++c) put_word(kinds_[c], block_[c].data(), filled_, words[c + 1]);
  ++filled_;
}

bool RowStream::give_block(const Give& give) {
  if (filled_ == 0) return true;
  std::vector<const void*> data;
  for (const std::vector<std::uint64_t>& column : block_) data.push_back(column.data());
  Rows rows{filled_, kinds_, data.data()};
  rows_ += filled_;
  filled_ = 0;
  return give(rows);
}

runtime::Result<bool> RowStream::drain(const runtime::cuda::Stream& side, const Give& give) {
  const std::uint64_t end = next_ + capacity_;
  while (next_ < end && is_complete(next_)) {
    while (next_ < end && filled_ < kBlockRows && is_complete(next_)) take(next_++);
    source_.host()[0] = next_;
    if (runtime::Status sent = drained_.upload(side, source_.host(), 1); !sent) return sent.error();
    if (!give_block(give)) return false;
  }
  return true;
}

bool RowStream::finish(std::uint64_t count, const Give& give) {
  const std::uint64_t end = std::min(count, next_ + capacity_);
  for (; next_ < end; ++next_) {
    if (!is_complete(next_)) continue;
    take(next_);
    if (filled_ == kBlockRows && !give_block(give)) return false;
  }
  return give_block(give);
}

}  // namespace matcha::codegen::gpu
