#pragma once

#include <cstdint>
#include <vector>

#include "engines/cliques/roots.h"
#include "engines/cliques/tree.h"

namespace matcha::runtime::cliques {

/// Rows of bits of the candidates of a root, written again for each root.
class RootRows {
 public:
  /// `roots` outlives it. May throw std::bad_alloc.
  explicit RootRows(const Roots& roots);

  /// Writes the rows of these candidates, at most kMostBits. Returns the number of edges among them.
  std::uint64_t write(const std::uint32_t* candidates, std::uint64_t count);
  /// The rows of the last `write`: words() * 64 rows of words() words each.
  const std::uint64_t* data() const { return rows_.data(); }
  std::uint64_t words() const { return words_; }

  struct Size {
    std::uint64_t edges = 0;  ///< The edges among the later neighbours of a vertex.
    std::uint64_t arcs = 0;   ///< The later neighbours of these, which have to be read to find the edges.
  };
  Size size_of(std::uint64_t vertex);
  /// The candidates that are later neighbours of `vertex`, which is a candidate itself.
  std::vector<std::uint32_t> below(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t vertex);
  /// Calls `visit(i, j, arc)` for each edge between the candidates at places i and j; item `arc` of `Roots::near` is
  /// it.
  template <typename Visit>
  void for_each_edge(const std::uint32_t* candidates, std::uint64_t count, const Visit& visit) {
    mark(candidates, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::uint64_t arc = roots_.begin[candidates[i]]; arc < roots_.begin[candidates[i] + 1]; ++arc) {
        const std::uint64_t place = places_[roots_.near[arc]];
        if (place != 0) visit(i, place - 1, arc);
      }
    }
    unmark(candidates, count);
  }

 private:
  void mark(const std::uint32_t* candidates, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = static_cast<std::uint16_t>(i + 1);
  }
  void unmark(const std::uint32_t* candidates, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 0;
  }

  const Roots& roots_;
  std::vector<std::uint16_t> places_;  ///< By vertex: 1 + its place among the candidates; 0: it is no candidate.
  Buffer<std::uint64_t> rows_;
  std::uint64_t words_ = 0;
};

}  // namespace matcha::runtime::cliques
