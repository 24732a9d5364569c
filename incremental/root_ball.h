#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "incremental/dynamic_present.h"
#include "incremental/update.h"
#include "ir/analysis/roots.h"
#include "session/resident_graph.h"

namespace matcha::session::stream {

/// A small graph in which a program finds the same at its roots as in the large one.
struct Ball {
  ResidentGraph::Shared graph;
  std::vector<std::uint32_t> roots;  ///< Ranks, ascending.
  runtime::Graph degrees;            ///< Labels of the same vertices: their degrees in the large graph.
  std::uint64_t arcs = 0;
};

/// Finds the neighbourhoods of vertices in a changing graph. Steps follow arcs. The cost depends on the neighbourhoods,
/// not on the size of the graph.
class RootBalls {
 public:
  /// The roots, by ids, ascending, at which a batch may change the result: those from which the program reads a row or
  /// a label that changes. `present` is the graph before the batch; deleted vertices are included, new ones are not.
  /// Empty optional: about `most_arcs` arcs do not suffice. Throws std::bad_alloc.
  std::optional<std::vector<std::int64_t>> touched(const DynamicPresent& present, const ir::RootReads& reads,
                                                   const NetBatch& batch, std::uint64_t most_arcs);

  /// The graph of the vertices up to `reads.rows + 1` steps from the roots, with all edges that are read. `roots`: ids
  /// of existing vertices, ascending. `dictionary`: of its labels. Empty optional: as above.
  std::optional<Ball> around(const DynamicPresent& present, const ir::RootReads& reads,
                             const std::vector<std::int64_t>& roots,
                             std::shared_ptr<const runtime::LabelDictionary> dictionary, std::uint64_t most_arcs);

 private:
  using Graph = runtime::stream::DynamicGraph;

  /// Vertices, by places, in the order of a breadth-first search.
  class Front {
   public:
    void begin(std::uint64_t places);
    void add(std::uint32_t place) {
      if (marks_[place] == round_) return;
      marks_[place] = round_;
      places_.push_back(place);
    }
    bool contains(std::uint32_t place) const { return marks_[place] == round_; }
    const std::vector<std::uint32_t>& places() const { return places_; }
    /// Adds the vertices up to `steps` steps away from the present ones, against the arcs if `backwards`. Vertices more
    /// than i steps away begin at `ends()[i]`. False: `arcs_left`, which is reduced by the arcs read, does not suffice.
    bool spread(const Graph& graph, int steps, bool backwards, std::uint64_t& arcs_left);
    const std::vector<std::size_t>& ends() const { return ends_; }

   private:
    std::vector<std::uint32_t> marks_;
    std::uint32_t round_ = 0;
    std::vector<std::uint32_t> places_;
    std::vector<std::size_t> ends_;
  };

  static std::uint64_t places_of(const Graph& graph);
  static std::uint32_t place_of(const DynamicPresent& present, std::int64_t id);
  bool add_near(const DynamicPresent& present, int steps, const std::vector<std::int64_t>& ids,
                std::uint64_t& arcs_left);
  bool add_between(const DynamicPresent& present, int steps, const std::vector<EdgeChange>& edges,
                   std::uint64_t& arcs_left);
  /// Sorts the vertices of `near_` by id.
  void rank(const DynamicPresent& present);
  /// Writes the rows of all of them, restricted to neighbours among them.
  bool lay_out_all(const Graph& graph, std::size_t whole, std::uint64_t& arcs_left);
  /// Writes the rows of the first `whole` of `near_`, and the reverse arcs of the others.
  void lay_out_first(const Graph& graph, std::size_t whole);
  void take_row(std::span<const std::uint32_t> row, std::vector<std::uint32_t>& out) const;

  Front touched_, near_, other_;
  // Members for one ball:
  std::vector<std::uint32_t> order_;  ///< Places, by rank.
  std::vector<std::uint32_t> ranks_;  ///< By place.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> neighbors_;
};

}  // namespace matcha::session::stream
