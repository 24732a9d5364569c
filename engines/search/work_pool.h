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

/// A part of a search: images of one pattern vertex to try, given the images of earlier vertices.
struct Task {
  std::vector<std::pair<int, std::uint32_t>> taken;  ///< (pattern vertex, candidate), in the order of the search.
  int vertex = 0;
  std::vector<std::uint32_t> images;
  double weight = 1;  ///< Its share of the search, assuming equal work for all images of a vertex.
};

/// Passes parts of one search to idle workers. A searching worker polls `has_idle_worker` and gives away half of its
/// untried part.
template <typename Part>
class WorkPool {
 public:
  /// The number of workers that call `take`; initially one.
  void set_workers(unsigned workers) {
    const std::lock_guard lock(mutex_);
    workers_ = workers;
  }
  /// Adds a worker that has taken no work so far.
  void join() {
    const std::lock_guard lock(mutex_);
    ++workers_;
  }

  /// True if a worker is idle.
  bool has_idle_worker() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  void give(Part part) {
    {
      const std::lock_guard lock(mutex_);
      parts_.push_back(std::move(part));
      wanted_.fetch_sub(1, std::memory_order_relaxed);
    }
    changed_.notify_one();
  }
  /// Waits for a part; empty when all workers wait, so that none will come, or `end` was called.
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
  /// Releases all waiting workers.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::atomic<int> wanted_{0};  ///< Waiting workers minus the available parts.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> parts_;
  unsigned workers_ = 1;
  unsigned waiting_ = 0;
  bool over_ = false;
};

}  // namespace matcha::runtime::match
