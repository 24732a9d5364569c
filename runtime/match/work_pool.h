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
};

/// Parts of one search on their way to workers that have none. A worker that searches looks at `hungry`, and gives away
/// half of what it has not begun.
class WorkPool {
 public:
  /// How many will call `take`; one, at first.
  void set_workers(unsigned workers);

  /// Whether somebody waits for work.
  bool hungry() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  void give(Task task);
  /// Waits for a part; nothing when all workers wait, so that none will come, or `end` was called.
  std::optional<Task> take();
  /// Lets everybody go home.
  void end();

 private:
  std::atomic<int> wanted_{0};  ///< Workers that wait, less the parts that lie here.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  unsigned workers_ = 1;
  unsigned waiting_ = 0;
  bool over_ = false;
};

}  // namespace matcha::runtime::match
