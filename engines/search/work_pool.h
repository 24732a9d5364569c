#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace matcha::runtime::match {

/// A part of a search: images of one pattern vertex, to be tried after those before it were taken.
struct Task {
  std::vector<std::pair<int, std::uint32_t>> taken;  ///< (pattern vertex, candidate), in the order of the search.
  int vertex = 0;
  std::vector<std::uint32_t> images;
  double weight = 1;  ///< Its share of the search, if all images of a vertex took the same.
};

/// Parts of one search on their way to workers that have none. A worker that searches looks at `hungry`, and gives away
/// half of what it has not begun.
template <typename Part>
class WorkPool {
 public:
  /// How many will call `take`; one, at first.
  void set_workers(unsigned workers) {
    const std::lock_guard lock(mutex_);
    workers_ = workers;
  }
  /// One more will call `take`, who has taken no work yet.
  void join() {
    const std::lock_guard lock(mutex_);
    ++workers_;
  }

  /// Whether somebody waits for work.
  bool hungry() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  void give(Part part) {
    {
      const std::lock_guard lock(mutex_);
      parts_.push_back(std::move(part));
      wanted_.fetch_sub(1, std::memory_order_relaxed);
    }
    changed_.notify_one();
  }
  /// Waits for a part; nothing when all workers wait, so that none will come, or `end` was called.
  std::optional<Part> take() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    wanted_.fetch_add(1, std::memory_order_relaxed);
    if (waiting_ == workers_ && parts_.empty()) {
      over_ = true;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return over_ || !parts_.empty(); });
    if (over_) return std::nullopt;
    --waiting_;
    Part part = std::move(parts_.front());
    parts_.pop_front();
    return part;
  }
  /// Lets everybody go home.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::atomic<int> wanted_{0};  ///< Workers that wait, less the parts that lie here.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> parts_;
  unsigned workers_ = 1;
  unsigned waiting_ = 0;
  bool over_ = false;
};

}  // namespace matcha::runtime::match
