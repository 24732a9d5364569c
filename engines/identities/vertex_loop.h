#pragma once

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engines/search/stops.h"
#include "runtime/parallel.h"

namespace matcha::runtime::motif {

enum class End { Complete, Stopped, Deadline };

/// A parallel loop over vertices that can be ended early.
class VertexLoop {
 public:
  VertexLoop(std::uint64_t size, unsigned threads, const match::Stops& stops)
      : size_(size), shared_(threads > 1), stops_(stops) {}

  /// Calls `visit(worker, vertex)` for each vertex; a worker belongs to one thread. False: the loop was ended, now or
  /// before.
  template <typename Worker, typename Visit>
  bool operator()(tbb::enumerable_thread_specific<Worker>& workers, const Visit& visit) {
    constexpr std::uint64_t kVerticesOfTask = 64;
    return walk(0, size_, kVerticesOfTask, workers, visit);
  }

  /// The same if the first vertices take the longest: each of them may be a task, and the stop conditions are checked
  /// before each.
  template <typename Worker, typename Visit>
  bool heavy_first(tbb::enumerable_thread_specific<Worker>& workers, const Visit& visit) {
    constexpr std::uint64_t kHeavy = 1 << 12, kVerticesOfTask = 64;
    const std::uint64_t heavy = std::min(size_, kHeavy);
    return walk(0, heavy, 1, workers, visit) && walk(heavy, size_, kVerticesOfTask, workers, visit);
  }

  End end() const { return end_.load(std::memory_order_relaxed); }
  /// True if several threads may write the same cell.
  bool shared() const { return shared_; }

  /// Adds to a cell that several threads may write.
  template <typename Cell>
  Cell add(Cell& cell, Cell number) const {
    if (shared_) return std::atomic_ref<Cell>(cell).fetch_add(number, std::memory_order_relaxed);
    const Cell before = cell;
    cell += number;
    return before;
  }
  /// The same; returns the previous value.
  template <typename Cell>
  Cell take(Cell& cell) const {
    return shared_ ? std::atomic_ref<Cell>(cell).fetch_add(1, std::memory_order_relaxed) : cell++;
  }

 private:
  template <typename Worker, typename Visit>
  bool walk(std::uint64_t first_vertex, std::uint64_t end_vertex, std::uint64_t vertices_of_task,
            tbb::enumerable_thread_specific<Worker>& workers, const Visit& visit) {
    const auto block = [&](const tbb::blocked_range<std::uint64_t>& range) {
      Worker& worker = workers.local();
      for (std::uint64_t first = range.begin(); first < range.end(); first += vertices_of_task) {
        if (poll_ended()) return;
        const std::uint64_t end = std::min(range.end(), first + vertices_of_task);
        for (std::uint64_t vertex = first; vertex != end; ++vertex) visit(worker, vertex);
      }
    };
    const tbb::blocked_range<std::uint64_t> all(first_vertex, end_vertex, vertices_of_task);
    if (shared_) {
      for_blocks(all, block);
    } else {
      block(all);
    }
    return end() == End::Complete;
  }

  bool poll_ended() {
    if (end() != End::Complete) return true;
    if (stops_.is_stopped()) end_ = End::Stopped;
    if (stops_.is_late()) end_ = End::Deadline;
    return end() != End::Complete;
  }

  const std::uint64_t size_;
  const bool shared_;
  const match::Stops stops_;
  std::atomic<End> end_{End::Complete};
};

}  // namespace matcha::runtime::motif
