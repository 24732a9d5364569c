#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/matcha.h"
#include "api/results.h"
#include "api/task.h"
#include "codegen/backend.h"

/// A block of rows, the type of the handle.
struct matcha_rows {
  std::uint64_t count = 0;
  std::vector<matcha::api::Column> columns;
};

namespace matcha::api {

/// The rows of a run for a caller that pulls them. Its capacity is small: a run waits for a slow caller.
class RowQueue {
 public:
  using Block = std::unique_ptr<matcha_rows>;

  /// Gives at most `limit` rows. `task`: the run's task, which is woken for new rows. `are_labels`: for each column,
  /// whether its ints are labels; empty: none are.
  RowQueue(std::optional<std::uint64_t> limit, Task& task, std::vector<bool> are_labels)
      : limit_(limit), task_(task), are_labels_(std::move(are_labels)) {}

  /// Called by the run; waits while there is no room. False: no more rows are wanted. Throws nothing.
  bool put(const codegen::Rows& rows, const runtime::Universe& universe) noexcept;

  /// The oldest block, or null.
  Block take();
  bool has_rows() const;
  /// Ends the run, because no more rows will be taken. Rows in the queue stay.
  void close();

  // Requires: the run has ended.
  std::uint64_t count() const;  ///< Number of rows put.
  bool limit_reached() const;
  bool out_of_memory() const;

 private:
  bool wait_for_room(std::unique_lock<std::mutex>& lock);
  bool full() const { return waiting_ >= kMostRows; }

  static constexpr std::uint64_t kBlockRows = 4096;
  static constexpr std::uint64_t kMostRows = 4 * kBlockRows;

  const std::optional<std::uint64_t> limit_;
  Task& task_;
  const std::vector<bool> are_labels_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::deque<Block> blocks_;
  std::uint64_t waiting_ = 0;  ///< Rows in `blocks_`.
  std::uint64_t count_ = 0;
  bool closed_ = false;
  bool out_of_memory_ = false;
};

}  // namespace matcha::api
