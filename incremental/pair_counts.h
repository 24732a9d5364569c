#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace matcha::session::stream {

/// The number of lines that join each pair of different vertices. An edge of a graph is inserted with the first line of
/// its pair, and deleted with the last one.
class PairCounts {
 public:
  explicit PairCounts(bool directed) : directed_(directed) {}

  /// Adds a line; true if it is the first one of its pair.
  bool add(std::int64_t u, std::int64_t v) { return ++counts_[pair_of(u, v)] == 1; }
  /// Removes a line, which must have been added; true if it was the last one of its pair.
  bool remove(std::int64_t u, std::int64_t v) {
    const auto found = counts_.find(pair_of(u, v));
    if (--found->second != 0) return false;
    counts_.erase(found);
    return true;
  }
  void clear() { counts_.clear(); }

 private:
  std::pair<std::int64_t, std::int64_t> pair_of(std::int64_t u, std::int64_t v) const {
    return !directed_ && u > v ? std::pair(v, u) : std::pair(u, v);
  }
  struct Hash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& ends) const {
      const std::uint64_t mixed = static_cast<std::uint64_t>(ends.first) * 0x9E3779B97F4A7C15ULL;
      return (mixed ^ mixed >> 29) + static_cast<std::uint64_t>(ends.second) * 0xBF58476D1CE4E5B9ULL;
    }
  };

  bool directed_;
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint64_t, Hash> counts_;
};

}  // namespace matcha::session::stream
