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

  /// Calls `visit(place of the middle, end)` with the paths of two edges to lower vertices from the end of an arc.
  template <typename Visit>
  void for_each_path(std::uint64_t arc, const Visit& visit) const {
    const std::uint32_t z = graph_.near[arc];
    const std::uint32_t* const third = triangles_.third.data();
    const std::uint32_t* const middles = third + triangles_.start[arc];
    for (std::uint64_t i = 0; i < triangles_.on[arc] && middles[i] < z; ++i) {
      // Its list has z.
      const std::uint64_t middle = places_[middles[i]] - 1;
      for (const std::uint32_t* x = third + triangles_.start[arcs_[middle]]; *x < z; ++x) visit(middle, *x);
    }
  }

  /// True if all pairs of rows are cheaper than the paths of two edges. The last two arguments are in nanoseconds.
  bool pairs_pay(double a_pair, double a_path) const {
    constexpr double kNsAWord = 0.7;
    double paths = 0;
    for (const std::uint64_t p : arcs_) paths += static_cast<double>(triangles_.on[p]) * triangles_.on[p];
    const double count = static_cast<double>(size());
    return count * count / 2 * (a_pair + kNsAWord * static_cast<double>(words_)) < a_path * paths;
  }

  /// True if sets of all vertices at two steps (CommonNeighbors) are cheaper than the diamonds of the vertex `a`, each
  /// of which takes `a_diamond` nanoseconds.
  bool sets_pay(std::uint64_t a, double a_diamond) const {
    constexpr double kNsAStep = 1.5, kNsAWord = 0.7, kNsAnArc = 0.7;
    double steps = 0, further = 0;
    for (const std::uint64_t p : arcs_) {
      const std::uint64_t v = graph_.near[p];
      steps += static_cast<double>(graph_.twin[p] - graph_.begin(v));
      further += static_cast<double>(graph_.end(v) - graph_.split[v]);
    }
    return steps * (kNsAStep + kNsAWord * static_cast<double>(words_)) <
           a_diamond * static_cast<double>(triangles_.facing[a]) + kNsAnArc * further;
  }

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

/// The common neighbours of a vertex and each one below it. One object is used for many vertices, by one thread.
struct CommonNeighbors {
  explicit CommonNeighbors(std::uint64_t size) : ways(unmarked(size)), met(size + 1), places_(unmarked(size)) {}

  /// Counts the paths over the arcs [first, end) of one vertex to all vertices below it; returns the number of new
  /// pairs of paths with one end. The reverse of an arc in the row of its end separates the lower vertices from the
  /// others.
  std::uint64_t walk(const RankedGraph& graph, std::uint64_t first, std::uint64_t end) {
    std::uint32_t* const reached = ways.data();
    std::uint32_t* const ends = met.data();
    std::uint64_t count = met_count, pairs = 0;
    for (std::uint64_t p = first; p != end; ++p) {
      const std::uint32_t* const stop = graph.near + graph.twin[p];
      for (const std::uint32_t* b = graph.near + graph.begin(graph.near[p]); b != stop; ++b) {
        const std::uint32_t before = reached[*b]++;
        ends[count] = *b;
        count += before == 0;
        pairs += before;
      }
    }
    met_count = count;
    return pairs;
  }
  /// Adds `number` paths to a vertex, at least one.
  void add(std::uint32_t end, std::uint32_t number) {
    met[met_count] = end;
    met_count += ways[end] == 0;
    ways[end] += number;
  }
  void clear() {
    for (std::uint64_t i = 0; i < met_count; ++i) ways[met[i]] = 0;
    met_count = 0;
  }

  /// Calls `visit(vertex, set)` with each vertex to which more than `least` paths lead, and the set of their middles as
  /// places of `near`. False: the sets would be too large.
  template <typename Visit>
  bool for_each_set(const RankedGraph& graph, const Neighborhood& near, std::uint32_t least, const Visit& visit) {
    constexpr std::uint64_t kMostWords = std::uint64_t{1} << 19;
    const std::uint64_t words = near.words();
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < met_count; ++i) count += ways[met[i]] > least;
    if ((count + 1) * words > kMostWords) return false;
    if (count == 0) return true;
    // Set 0 belongs to all vertices without a set.
    sets_.assign((count + 1) * words, 0);
    std::uint32_t last = 0;
    for (std::uint64_t i = 0; i < met_count; ++i) {
      if (ways[met[i]] > least) places_[met[i]] = ++last;
    }
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t p = near.arc(place), bit = std::uint64_t{1} << place % 64;
      std::uint64_t* const sets = sets_.data() + place / 64;
      for (std::uint64_t q = graph.begin(graph.near[p]); q != graph.twin[p]; ++q) {
        sets[places_[graph.near[q]] * words] |= bit;
      }
    }
    for (std::uint64_t i = 0; i < met_count; ++i) {
      const std::uint32_t z = met[i];
      if (places_[z] == 0) continue;
      visit(z, sets_.data() + places_[z] * words);
      places_[z] = 0;
    }
    return true;
  }

  Marks ways;                 ///< By vertex below: how many there are.
  Buffer<std::uint32_t> met;  ///< The first `met_count`: those that have one.
  std::uint64_t met_count = 0;

 private:
  Marks places_;  ///< By vertex, the index of one of the sets.
  std::vector<std::uint64_t> sets_;
};

}  // namespace matcha::runtime::motif
