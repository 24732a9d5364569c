#include "api/rows.h"

#include <algorithm>
#include <new>
#include <utility>

namespace matcha::api {

namespace {

/// Interval at which a run that waits for room tests for a stop.
constexpr std::chrono::milliseconds kLookForEnd{20};

/// `count` rows from row `first` on; `are_labels` as of the queue.
RowQueue::Block block_of(const codegen::Rows& rows, std::uint64_t first, std::uint64_t count,
                         const runtime::Universe& universe, const std::vector<bool>& are_labels) {
  RowQueue::Block block = std::make_unique<matcha_rows>();
  block->count = count;
  for (std::size_t c = 0; c < rows.kinds.size(); ++c) {
    const char* const column = static_cast<const char*>(rows.columns[c]);
    block->columns.push_back(
        column_of(rows.kinds[c], column + first * runtime::element_bytes(rows.kinds[c]), count, universe));
  }
  mark_labels(block->columns, are_labels);
  return block;
}

}  // namespace

bool RowQueue::wait_for_room(std::unique_lock<std::mutex>& lock) {
  while (full() && !closed_) {
    const bool late = task_.deadline() && Clock::now() >= *task_.deadline();
    if (late || task_.stop().load() != 0 || task_.interrupted().load()) return false;
    room_.wait_for(lock, kLookForEnd);
  }
  return !closed_;
}

bool RowQueue::put(const codegen::Rows& rows, const runtime::Universe& universe) noexcept {
  try {
    for (std::uint64_t first = 0; first < rows.count;) {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wait_for_room(lock)) return false;
      const std::uint64_t wanted = limit_ ? *limit_ - count_ : rows.count;
      const std::uint64_t count = std::min({kBlockRows, rows.count - first, wanted});
      if (count != 0) blocks_.push_back(block_of(rows, first, count, universe, are_labels_));
      first += count;
      count_ += count;
      waiting_ += count;
      closed_ = limit_ && count_ == *limit_;
      const bool more = !closed_;
      lock.unlock();
      task_.wake();
      if (!more) return false;
    }
    return true;
  } catch (const std::bad_alloc&) {
    const std::lock_guard<std::mutex> lock(mutex_);
    out_of_memory_ = true;
    return false;
  }
}

RowQueue::Block RowQueue::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (blocks_.empty()) return nullptr;
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  waiting_ -= block->count;
  if (!full()) room_.notify_all();
  return block;
}

bool RowQueue::has_rows() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !blocks_.empty();
}

void RowQueue::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  room_.notify_all();
}

std::uint64_t RowQueue::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

bool RowQueue::limit_reached() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return limit_ && count_ == *limit_;
}

bool RowQueue::out_of_memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return out_of_memory_;
}

}  // namespace matcha::api
