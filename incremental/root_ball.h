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

/// A small graph in which a program finds at its roots what it finds there in a large one.
struct Ball {
  ResidentGraph::Shared graph;
  std::vector<std::uint32_t> roots;  ///< Ranks, ascending.
  runtime::Graph degrees;            ///< Labels of the same vertices: how many neighbours they have in the large graph.
  std::uint64_t arcs = 0;
};

/// Finds what is near to vertices of a graph that changes. Steps are those along arcs. What it takes depends on what is
/// near, not on how large the graph is.
class RootBalls {
 public:
  /// The roots, by ids, ascending, for which a batch may change what a program finds there: those from which it reads a
  /// row or a label that is not the same before and after. `present` is the graph before the batch; vertices that come
  /// are not among them, those that go are. Nothing: more than about `most_arcs` arcs are to be walked. Throws
  /// std::bad_alloc.
  std::optional<std::vector<std::int64_t>> touched(const DynamicPresent& present, const ir::RootReads& reads,
                                                   const NetBatch& batch, std::uint64_t most_arcs);

  /// The graph of the vertices up to `reads.rows + 1` steps away from roots, with all edges that are read. `roots`: ids
  /// of vertices that are there, ascending. `dictionary`: of its labels. Nothing: as above.
  std::optional<Ball> around(const DynamicPresent& present, const ir::RootReads& reads,
                             const std::vector<std::int64_t>& roots,
                             std::shared_ptr<const runtime::LabelDictionary> dictionary, std::uint64_t most_arcs);

 private:
  using Graph = runtime::stream::DynamicGraph;

  /// Vertices, by places, in the order in which they were met.
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
    /// Adds what is up to so many steps away from those that are there, against the arcs if `backwards`. Vertices that
    /// are more than i steps away are from `ends()[i]` on. False: there are more arcs than `arcs_left`, from which they
    /// are taken.
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
  /// Puts the vertices of `near_` in the order of their ids.
  void rank(const DynamicPresent& present);
  /// Rows of all of them, of neighbours that are among them.
  bool lay_out_all(const Graph& graph, std::size_t whole, std::uint64_t& arcs_left);
  /// Rows of the first `whole` of `near_`, and what they say of the others.
  void lay_out_first(const Graph& graph, std::size_t whole);
  void take_row(std::span<const std::uint32_t> row, std::vector<std::uint32_t>& out) const;

  Front touched_, near_, other_;
  // Of a ball:
  std::vector<std::uint32_t> order_;  ///< Places, by rank.
  std::vector<std::uint32_t> ranks_;  ///< By place.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> neighbors_;
};

}  // namespace matcha::session::stream
