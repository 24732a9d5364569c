#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/abi.h"
#include "runtime/match/label_index.h"
#include "runtime/match/query.h"
#include "runtime/match/stops.h"

namespace matcha::runtime::match {

/// Arrays over the ranks of a graph that every query needs and leaves as they were, so that only the first one pays
/// for clearing them.
struct RankArrays {
  explicit RankArrays(std::uint64_t ranks) : masks(ranks, 0), ids(ranks, 0), marks(ranks, 0) {}

  std::vector<Mask> masks;          ///< All 0 between queries.
  std::vector<std::uint32_t> ids;   ///< Read only where the mask is not 0.
  std::vector<std::uint8_t> marks;  ///< All 0 between queries.
};

/// A graph that is ready for queries: what all of them share. Threads may use it together.
class MatchIndex {
 public:
  /// The graph must outlive it. Requires: undirected, simple, offsets (no hash index).
  explicit MatchIndex(const GraphView& graph) : graph_(graph) {
    if (graph.labels != nullptr) by_label_ = LabelIndex(graph);
  }

  const GraphView& graph() const { return graph_; }
  const LabelIndex& by_label() const { return by_label_; }
  std::unique_ptr<RankArrays> take_arrays();
  void give_back(std::unique_ptr<RankArrays> arrays);

 private:
  GraphView graph_;
  LabelIndex by_label_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RankArrays>> spare_;
};

/// For each pattern vertex the graph vertices that may be its image: those whose label, degree and neighbours allow it,
/// where the neighbours must be candidates again (arc consistency along all edges of the pattern at once: a word a
/// graph vertex has a bit a pattern vertex).
class Candidates {
 public:
  /// `index` must outlive it. With `stops` it is given up soon.
  Candidates(MatchIndex& index, const Query& query, const Stops& stops = {});
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  /// It was given up; nothing else may be asked then.
  bool stopped() const { return stopped_; }
  /// Some pattern vertex has no candidates, so that there is no match.
  bool none() const { return none_; }
  /// Graph vertices that are candidates at all have numbers 0 … size() - 1, ascending with their ranks among those that
  /// may be images of the same pattern vertex.
  std::uint32_t size() const { return static_cast<std::uint32_t>(vertices_.size()); }
  std::uint32_t rank(std::uint32_t number) const { return vertices_[number]; }
  Mask mask(std::uint32_t number) const { return arrays_->masks[vertices_[number]]; }
  std::uint64_t count(int u) const { return counts_[at(u)]; }
  std::vector<std::uint32_t> of(int u) const;
  std::uint64_t degree(std::uint32_t number) const {
    const std::uint32_t v = vertices_[number];
    return index_.graph().offsets[v + 1] - index_.graph().offsets[v];
  }
  /// The neighbours of a candidate that are candidates of `u`, ascending; `out` has room for its degree. Gives how
  /// many.
  std::uint32_t row(std::uint32_t number, int u, std::uint32_t* out) const;

 private:
  struct Needs;
  void find_by_label(const Query& query);
  bool refine(const Needs& needs, int round);
  Mask kept(const Needs& needs, std::uint32_t v) const;
  void count_and_number();
  bool must_stop();

  MatchIndex& index_;
  std::unique_ptr<RankArrays> arrays_;
  std::vector<std::uint32_t> vertices_;
  std::vector<std::uint64_t> counts_;
  Stops stops_;
  std::uint32_t until_look_ = 0;
  bool stopped_ = false;
  bool none_ = false;
};

}  // namespace matcha::runtime::match
