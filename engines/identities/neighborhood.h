#pragma once

#include <cstdint>
#include <vector>

#include "engines/identities/ranked_graph.h"
#include "engines/identities/triangles.h"

namespace matcha::runtime::motif {

/// The graph induced by the neighbours of a vertex, without those that are isolated in it, numbered 0, 1, … in the
/// order of their ranks. One object is used for many vertices, by one thread.
class Neighborhood {
 public:
  Neighborhood(const RankedGraph& graph, const Triangles& triangles)
      : graph_(graph), triangles_(triangles), places_(unmarked(graph.size)) {}

  /// Builds the graph of vertex `a`; call `close` before the next.
  void open(std::uint64_t a) {
    arcs_.clear();
    above_ = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.end(a); ++p) {
      if (triangles_.on[p] == 0) continue;
      above_ += p < graph_.split[a];
      arcs_.push_back(p);
      places_[graph_.near[p]] = static_cast<std::uint32_t>(arcs_.size());
    }
    words_ = (arcs_.size() + 63) / 64;
  }
  void close() {
    for (const std::uint64_t p : arcs_) places_[graph_.near[p]] = 0;
  }
  /// Writes bit rows of the places from `first` on: the neighbours of each.
  void write_rows(std::uint64_t first) {
    first_row_ = first;
    rows_.assign((arcs_.size() - first) * words_, 0);
    for (std::uint64_t place = first; place < arcs_.size(); ++place) {
      const std::uint64_t p = arcs_[place];
      std::uint64_t* const row = rows_.data() + (place - first) * words_;
      const std::uint32_t* const third = triangles_.third.data() + triangles_.start[p];
      for (std::uint64_t i = 0; i < triangles_.on[p]; ++i) {
        const std::uint64_t bit = places_[third[i]] - 1;
        row[bit / 64] |= std::uint64_t{1} << bit % 64;
      }
    }
  }

  std::uint64_t size() const { return arcs_.size(); }
  /// The first place above the vertex itself.
  std::uint64_t above() const { return above_; }
  /// Words of a bit row.
  std::uint64_t words() const { return words_; }
  /// By place, the arcs of the vertex itself.
  const std::vector<std::uint64_t>& arcs() const { return arcs_; }
  std::uint64_t arc(std::uint64_t place) const { return arcs_[place]; }
  std::uint64_t vertex(std::uint64_t place) const { return graph_.near[arcs_[place]]; }
  /// The place of a vertex, plus 1; 0: none.
  std::uint64_t place(std::uint64_t vertex) const { return places_[vertex]; }
  const std::uint64_t* row(std::uint64_t place) const { return rows_.data() + (place - first_row_) * words_; }

 private:
  const RankedGraph& graph_;
  const Triangles& triangles_;
  Marks places_;
  std::vector<std::uint64_t> arcs_;
  std::vector<std::uint64_t> rows_;
  std::uint64_t above_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t first_row_ = 0;
};

}  // namespace matcha::runtime::motif
