#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "incremental/update.h"

namespace matcha::session::stream {

/// Lines with times: puts those that come late in order, and takes edges out of the graph when their time is over. All
/// times are in the unit of the lines.
class Window {
 public:
  struct Edge {
    std::int64_t time = 0, u = 0, v = 0;
    std::uint64_t line = 0;
  };
  /// `width`: an edge with time t goes when a line with a time of t + width or more comes; none: it stays. `lateness`:
  /// how late a line may come.
  Window(std::optional<std::int64_t> width, std::int64_t lateness, bool directed)
      : width_(width), lateness_(lateness), directed_(directed) {}

  /// Takes a line, and appends what can be told by now, in the order of times. False: it comes too late.
  bool push(const Update& line, std::deque<Update>& out);
  /// There are no more lines: all that waits for late ones.
  void flush(std::deque<Update>& out);

  /// What it holds, to be kept: edges in the graph in the order of times, then those that wait, in that order.
  const std::deque<Edge>& live() const { return live_; }
  const std::multimap<std::int64_t, Edge>& waiting() const { return waiting_; }
  std::optional<std::int64_t> latest() const { return latest_; }
  void restore(std::deque<Edge> live, std::multimap<std::int64_t, Edge> waiting, std::optional<std::int64_t> latest);

 private:
  struct Hash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& ends) const {
      const std::uint64_t mixed = static_cast<std::uint64_t>(ends.first) * 0x9E3779B97F4A7C15ULL;
      return (mixed ^ mixed >> 29) + static_cast<std::uint64_t>(ends.second) * 0xBF58476D1CE4E5B9ULL;
    }
  };
  std::pair<std::int64_t, std::int64_t> ends_of(const Edge& edge) const;
  void release(const Edge& edge, std::deque<Update>& out);

  std::optional<std::int64_t> width_;
  std::int64_t lateness_;
  bool directed_;
  std::optional<std::int64_t> latest_;
  std::multimap<std::int64_t, Edge> waiting_;
  std::deque<Edge> live_;
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint64_t, Hash> times_;  ///< Live ones of each edge.
};

}  // namespace matcha::session::stream
