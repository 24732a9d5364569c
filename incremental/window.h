#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "incremental/pair_counts.h"
#include "incremental/update.h"

namespace matcha::session::stream {

/// Lines with times: sorts late lines, and deletes edges when their time is over. All times are in the unit of the
/// lines.
class Window {
 public:
  struct Edge {
    std::int64_t time = 0, u = 0, v = 0;
    std::uint64_t line = 0;
  };
  /// `width`: an edge with time t is deleted when a line with a time of t + width or more arrives; empty: it stays.
  /// `lateness`: how late a line may arrive. `by_line`: each line is a separate edge, loops too, and is deleted by
  /// itself, the first one first.
  Window(std::optional<std::int64_t> width, std::int64_t lateness, bool directed, bool by_line = false)
      : width_(width), lateness_(lateness), by_line_(by_line), pairs_(directed) {}

  /// Takes a line, and appends the updates that are final, in the order of times. False: it is too late.
  bool push(const Update& line, std::deque<Update>& out);
  /// Ends the input: appends all updates that wait for late lines.
  void flush(std::deque<Update>& out);

  /// The state to save: edges in the graph in the order of times, then waiting ones in that order.
  const std::deque<Edge>& live() const { return live_; }
  const std::multimap<std::int64_t, Edge>& waiting() const { return waiting_; }
  std::optional<std::int64_t> latest() const { return latest_; }
  /// The greatest time of an appended line. Earlier lines are too late, also where `flush` did not wait for them.
  std::optional<std::int64_t> released() const { return released_; }
  void restore(std::deque<Edge> live, std::multimap<std::int64_t, Edge> waiting, std::optional<std::int64_t> latest,
               std::optional<std::int64_t> released);

 private:
  void release(const Edge& edge, std::deque<Update>& out);

  std::optional<std::int64_t> width_;
  std::int64_t lateness_;
  bool by_line_;
  std::optional<std::int64_t> latest_, released_;
  std::multimap<std::int64_t, Edge> waiting_;
  std::deque<Edge> live_;
  PairCounts pairs_;  ///< The pairs of the live edges.
};

}  // namespace matcha::session::stream
