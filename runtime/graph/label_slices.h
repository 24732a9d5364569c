#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/result.h"

/// The edges of each label, once for each direction: the data of `neighbor(g, v, label)`, `sources` and `vertices(g,
/// label)`.
namespace matcha::runtime {

class Graph;

/// The content of a vertex's list: the targets of its arcs, or the sources of arcs to it.
enum class ArcSide : std::uint8_t { Targets, Sources };

/// One label, as a `.mtg` stores it.
struct LabelEntry {
  std::int64_t label = 0;         ///< As in the edge info: a number, or the code of a word.
  std::uint64_t arcs = 0;         ///< Distinct pairs of vertices that its edges join.
  std::uint64_t source_rows = 0;  ///< Vertices with an outgoing arc.
  /// Vertices with an incoming arc; 0 in an undirected graph, where they are the sources.
  std::uint64_t target_rows = 0;
};

/// The arcs of all labels. A *part* is the arcs of one label in one direction: one row for each vertex with an arc,
/// ascending, each with its items, ascending. Parts are in the order of the labels; in a directed graph the part of
/// targets is followed by that of sources.
struct LabelTable {
  std::span<const LabelEntry> labels;    ///< Ascending.
  std::span<const std::uint32_t> rows;   ///< The vertex of each row.
  std::span<const std::uint32_t> ends;   ///< Where the items of each row end, counted from the start of its part.
  std::span<const std::uint32_t> items;  ///< Targets, or sources.
};

/// Part of a LabelTable.
struct LabelPart {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> ends;
  std::span<const std::uint32_t> items;
};

/// The facts of a part that cost models use.
struct LabelPartFacts {
  std::uint64_t rows = 0;
  std::uint64_t arcs = 0;
  std::uint64_t longest = 0;  ///< The length of the longest row.
  double squares = 0;         ///< The sum of the squares of the lengths of rows.
};

/// The graphs of single labels that are derived from one graph. All are built on first use and then kept; any number of
/// threads may call. Moving or aliasing the graph keeps them.
class LabelSlices {
 public:
  LabelSlices() = default;
  /// Uses a table that lives as long as `owner`, such as that of a mapped file. Requires: it belongs to the graph that
  /// is passed later, and `problem_of` accepts it.
  LabelSlices(const LabelTable& table, std::shared_ptr<const void> owner) : table_(table), owner_(std::move(owner)) {}

  /// True if a table exists, such as that of a `.mtg`.
  bool is_made();
  /// The table of a graph with int edge info. Errors: Resource when out of memory; Runtime when the graph has no such
  /// info.
  Result<LabelTable> table(const Graph& graph);
  /// The arcs of one label, or their reverse, as a graph: each pair once, without edge info, with an offset for each
  /// id. Its vertices are those with an arc in that direction. An unused label gives a graph without arcs. The graph
  /// lives as long as it is used. Errors: as `table`.
  Result<std::shared_ptr<const Graph>> slice(const Graph& graph, ArcSide side, std::int64_t label);
  /// The reverse of all arcs, with their edge info: by source, then in their order. Its vertices are those of the
  /// graph. Errors: Resource when out of memory.
  Result<std::shared_ptr<const Graph>> backwards(const Graph& graph);

 private:
  Result<LabelTable> table_now(const Graph& graph);

  std::mutex mutex_;
  LabelTable table_;
  std::shared_ptr<const void> owner_;  ///< Null: no table so far.
  std::map<std::pair<ArcSide, std::int64_t>, std::shared_ptr<const Graph>> slices_;
  std::shared_ptr<const Graph> backwards_;
};

/// A part of a table; empty if no edge has the label.
LabelPart part_of(const LabelTable& table, bool directed, ArcSide side, std::int64_t label);
LabelPartFacts facts_of(const LabelPart& part);
/// Null if the table satisfies LabelTable, with ranks below `universe`; otherwise a description of the fault.
const char* problem_of(const LabelTable& table, bool directed, std::uint64_t universe);

}  // namespace matcha::runtime
