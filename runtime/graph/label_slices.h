#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/result.h"

/// The edges of each label by themselves, once for each direction: what `neighbor(g, v, label)`, `sources` and
/// `vertices(g, label)` read.
namespace matcha::runtime {

class Graph;

/// What the list of a vertex has: where its arcs go, or where arcs to it come from.
enum class ArcSide : std::uint8_t { Targets, Sources };

/// One label, as a `.mtg` has it.
struct LabelEntry {
  std::int64_t label = 0;         ///< As in the edge info: a number, or the code of a word.
  std::uint64_t arcs = 0;         ///< Pairs of vertices that its edges join, each once.
  std::uint64_t source_rows = 0;  ///< Vertices with such an arc.
  std::uint64_t target_rows = 0;  ///< Vertices that such arcs go to; 0 in an undirected graph, whose sources they are.
};

/// The arcs of all labels. A *part* is the arcs of one label in one direction: rows, one for each vertex that has any,
/// ascending, each with its items, ascending. Parts lie in the order of the labels; that of the targets is first, and
/// that of the sources follows in a directed graph.
struct LabelTable {
  std::span<const LabelEntry> labels;    ///< Ascending.
  std::span<const std::uint32_t> rows;   ///< The vertex of each row.
  std::span<const std::uint32_t> ends;   ///< Where the items of each row end, counted from the begin of its part.
  std::span<const std::uint32_t> items;  ///< Targets, or sources.
};

/// Part of a LabelTable.
struct LabelPart {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> ends;
  std::span<const std::uint32_t> items;
};

/// What a cost model wants to know of a part.
struct LabelPartFacts {
  std::uint64_t rows = 0;
  std::uint64_t arcs = 0;
  std::uint64_t longest = 0;  ///< The most items of a row.
  double squares = 0;         ///< The squares of the numbers of items, added up.
};

/// The graphs of one label each that are made of one graph. All are made when they are first asked for and then stay;
/// any number of threads may ask. Moving or aliasing the graph keeps them.
class LabelSlices {
 public:
  LabelSlices() = default;
  /// With a table that lives as long as `owner`, such as that of a mapped file. Requires: it is of the graph that is
  /// given later, and as `check` wants it.
  LabelSlices(const LabelTable& table, std::shared_ptr<const void> owner) : table_(table), owner_(std::move(owner)) {}

  /// Whether there is a table already, such as that of a `.mtg`.
  bool is_made();
  /// The table of a graph with ints as edge info. Errors: Resource when out of memory; Runtime when the graph has no
  /// such info.
  Result<LabelTable> table(const Graph& graph);
  /// The arcs of one label, or those backwards, as a graph: each pair once, without edge info, with an offset for each
  /// id. Its vertices are those that have an arc in that direction. A label that no edge has gives a graph without
  /// arcs. It stays as long as it is used. Errors: as `table`.
  Result<std::shared_ptr<const Graph>> slice(const Graph& graph, ArcSide side, std::int64_t label);
  /// All arcs backwards, with their edge info: by source, then as they lie. Its vertices are those of the graph.
  /// Errors: Resource when out of memory.
  Result<std::shared_ptr<const Graph>> backwards(const Graph& graph);

 private:
  Result<LabelTable> table_now(const Graph& graph);

  std::mutex mutex_;
  LabelTable table_;
  std::shared_ptr<const void> owner_;  ///< Null: there is no table yet.
  std::map<std::pair<ArcSide, std::int64_t>, std::shared_ptr<const Graph>> slices_;
  std::shared_ptr<const Graph> backwards_;
};

/// A part of a table; empty where no edge has the label.
LabelPart part_of(const LabelTable& table, bool directed, ArcSide side, std::int64_t label);
LabelPartFacts facts_of(const LabelPart& part);
/// Null if the table is as LabelTable says, with ranks below `universe`; else what is wrong.
const char* problem_of(const LabelTable& table, bool directed, std::uint64_t universe);

}  // namespace matcha::runtime
