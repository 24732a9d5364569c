#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/abi.h"
#include "runtime/graph/buffer.h"
#include "runtime/graph/io.h"
#include "runtime/graph/label_slices.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/universe.h"
#include "runtime/result.h"

namespace matcha::runtime {

class DeviceCopies;

/// The type of the 8-byte words in `edge_info`.
enum class InfoKind { None, Int, Float, Bool };

/// Facts of a graph that its arrays do not show.
struct GraphFacts {
  bool directed = false;  ///< False: every edge is stored as two arcs.
  bool simple = true;     ///< No loops and no repeated arcs.
  InfoKind info = InfoKind::None;
  bool word_info = false;          ///< Edge information is int; negative values are codes of label words.
  bool by_position = false;        ///< Read from a text table without named columns: they are 0, 1 and 2.
  bool blank_info = false;         ///< The edges have no information: `edge_info` is kNoLabel everywhere.
  bool loop_free = true;           ///< No vertex is its own neighbour; true for every simple graph.
  bool all_loops = false;          ///< No loop of the input was dropped; false also where that is unknown.
  std::uint64_t lost_repeats = 0;  ///< Edges dropped as repeats; 0 also where that is unknown.
  bool labelled = false;           ///< Every vertex has a label. Set when a Graph is made.
};

/// Numbers that take a pass over a graph.
struct GraphTotals {
  std::uint64_t max_degree = 0;
  std::uint64_t isolated = 0;     ///< Vertices with no arc out or in.
  std::uint64_t unlabelled = 0;   ///< Vertices without a label, or with the empty word.
  std::uint64_t label_codes = 0;  ///< Distinct codes of vertex labels.
  bool labelled = false;          ///< As GraphFacts::labelled.
};

/// The sizes of one half of all neighbour lists: the neighbours below, or above, each vertex.
struct HalfSizes {
  std::uint64_t longest = 0;  ///< The largest number that a vertex has.
  double squares = 0;         ///< The sum of the squares of these numbers.
};

/// The arrays of a graph, each absent (made by the default constructor) or of the length that GraphView gives it. An
/// absent `vertices` means all ranks, one of length 0 means none.
struct GraphArrays {
  Buffer<std::uint64_t> offsets;
  Buffer<std::uint32_t> neighbors;
  Buffer<std::uint32_t> sources;
  Buffer<std::uint64_t> halves;
  Buffer<std::uint64_t> edge_info;
  Buffer<std::int64_t> labels;
  Buffer<std::uint32_t> vertices;
  Buffer<HashSlot> slots;
};

/// Where the halves of rows begin, as stored in a file.
struct StoredHalves {
  const std::uint32_t* offsets = nullptr;  ///< As in SplitOffsets; null if the file has none.
  HalfSizes lower, upper;
};

/// The arcs of a graph stored a second time with ranks by degree, as a `.mtg` may hold them: the result of
/// `ordered_by_degree`.
struct StoredOrder {
  bool largest_first = false;
  const std::uint64_t* offsets = nullptr;  ///< Null: the file has no such order.
  const std::uint32_t* neighbors = nullptr;
  const std::uint32_t* from = nullptr;  ///< The rank by id of each rank by degree.
  StoredHalves halves;
};

/// A directed adjacency over a universe; an undirected graph stores both directions. Owns its arrays, or keeps the
/// mapped file that contains them alive. Cheap to move; views stay valid as long as the Graph that the arrays end in.
class Graph {
 public:
  /// No vertices, no edges, an empty universe.
  Graph();
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  /// From arrays; finds the counts and the maximum degree. Requires: the invariants of GraphView hold.
  static Graph from_arrays(std::shared_ptr<const Universe> universe, GraphArrays arrays, GraphFacts facts);
  /// From a view whose arrays live as long as `owner`. Requires: the invariants of GraphView hold.
  static Graph from_view(std::shared_ptr<const Universe> universe, const GraphView& view, GraphFacts facts,
                         std::shared_ptr<const void> owner);
  /// The same without a pass over the arrays. Requires: the totals are those of the arrays.
  static Graph from_view(std::shared_ptr<const Universe> universe, const GraphView& view, GraphFacts facts,
                         std::shared_ptr<const void> owner, const GraphTotals& totals);

  /// Shares everything of `other` except its stored order; copies and reads no array. Requires: `other` lives as long
  /// as `owner`.
  static Graph alias(const Graph& other, std::shared_ptr<const void> owner);

  /// A directed graph, whose owner is the universe, from consecutive rows: for each of `row_count` ascending ranks,
  /// `vertices[i]` or i if that is null, `counts[i]` ascending neighbours. `counts` has room for one more item and may
  /// become the offsets. Its vertices are the ends of its arcs, or every rank. Errors: Resource when out of memory.
  static Result<Graph> from_rows(std::shared_ptr<const Universe> universe, const std::uint32_t* vertices,
                                 std::uint64_t row_count, std::uint64_t* counts, const std::uint32_t* neighbors,
                                 bool every_rank, std::shared_ptr<const void> owner);

  GraphView view() const { return view_; }
  const SplitOffsets& split_offsets() const { return halves_; }
  /// Valid after `split_offsets`.
  const HalfSizes& lower_sizes() const { return lower_sizes_; }
  const HalfSizes& upper_sizes() const { return upper_sizes_; }
  const GraphFacts& facts() const { return facts_; }
  const Universe& universe() const { return *universe_; }
  const std::shared_ptr<const Universe>& shared_universe() const { return universe_; }
  /// Lets the graphs of a run share one copy of the ids. Requires: the same ids.
  void share_universe(std::shared_ptr<const Universe> universe) {
    universe_ = std::move(universe);
    view_.original_ids = universe_->ids();
  }
  const LabelDictionary& dictionary() const { return *dictionary_; }
  const std::shared_ptr<const LabelDictionary>& shared_dictionary() const { return dictionary_; }
  void set_dictionary(std::shared_ptr<const LabelDictionary> dictionary) { dictionary_ = std::move(dictionary); }

  /// Copies of the graph on devices that outlive a run; null: each run has its own.
  const std::shared_ptr<DeviceCopies>& device_copies() const { return device_copies_; }
  void set_device_copies(std::shared_ptr<DeviceCopies> copies) { device_copies_ = std::move(copies); }
  /// Its edges by label, shared with graphs that are moved or aliased from it.
  LabelSlices& label_slices() const { return *label_slices_; }
  /// Requires: `label_slices` was never called.
  void set_label_slices(std::shared_ptr<LabelSlices> slices) { label_slices_ = std::move(slices); }
  const StoredOrder& stored_order() const { return stored_order_; }
  /// Requires: its arrays live as long as the owner of the view.
  void set_stored_order(const StoredOrder& order) { stored_order_ = order; }
  /// Offsets that `ensure_split_offsets` uses instead of searching. Requires: they are correct, and live as in
  /// `set_stored_order`.
  void set_stored_halves(const StoredHalves& halves) { stored_halves_ = halves; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// The totals of a `.mtg` that was just read; empty: unknown.
  const std::optional<GraphTotals>& totals() const { return totals_; }
  void set_totals(const GraphTotals& totals) { totals_ = totals; }
  /// A key that is equal for graphs of `.mtg` files with the same arcs, edge info and facts; 0: unknown.
  std::uint64_t content_key() const { return content_key_; }
  void set_content_key(std::uint64_t key) { content_key_ = key; }

  std::uint64_t vertex_count() const { return view_.vertex_count; }
  /// Edges, each once: arcs for a directed graph, half of them for an undirected one.
  std::uint64_t edge_count() const { return facts_.directed ? view_.arc_count : view_.arc_count / 2; }
  /// Bytes of the arrays, mapped or owned.
  std::uint64_t bytes() const;

 private:
  friend Status ensure_sources(Graph& graph);
  friend Status ensure_halves(Graph& graph);
  friend Status ensure_split_offsets(Graph& graph, std::uint64_t block_arcs);

  std::shared_ptr<const Universe> universe_;
  std::shared_ptr<const LabelDictionary> dictionary_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<DeviceCopies> device_copies_;
  std::shared_ptr<LabelSlices> label_slices_;
  GraphArrays arrays_;
  Buffer<std::uint32_t> half_offsets_;
  Buffer<std::uint64_t> half_bases_;
  SplitOffsets halves_{};
  HalfSizes lower_sizes_;
  HalfSizes upper_sizes_;
  StoredOrder stored_order_;
  StoredHalves stored_halves_;
  GraphView view_{};
  GraphFacts facts_;
  std::uint64_t content_key_ = 0;
  std::optional<GraphTotals> totals_;
};

/// The index from a vertex to its neighbours.
enum class IndexKind { Auto, Csr, Hash };

/// The arguments of `mk_graph`. The caller keeps all columns.
struct BuildInput {
  std::shared_ptr<const Universe> universe;  ///< Required.
  const std::uint32_t* sources = nullptr;    ///< Ranks, `count` of them.
  const std::uint32_t* targets = nullptr;
  std::uint64_t count = 0;
  const void* edge_info = nullptr;  ///< Null, or `count` words of 8 bytes (int64, double, or 0/1).
  InfoKind info_kind = InfoKind::None;
  const std::uint32_t* label_vertices = nullptr;  ///< Ranks and labels, `label_count` pairs.
  const std::int64_t* labels = nullptr;
  std::uint64_t label_count = 0;
  IndexKind index = IndexKind::Auto;
  bool by_info = false;  ///< The edges of a vertex ascend by edge info, an int, instead of by target.
};

/// Builds the directed graph of an edge list without cleaning: loops and repeats are kept; neighbours are sorted by
/// target (`by_info`: by edge info), then by input order, and `edge_info` follows them. Its vertices are the ranks that
/// occur in the edges or label pairs; a vertex without a pair has kNoLabel. The result is the same for every number of
/// threads. Errors: Runtime when a rank is not in the universe or a vertex gets two different labels; Resource past
/// 2^32-2 edges with edge info, or out of memory.
Result<Graph> build_graph(const BuildInput& input, const IoOptions& options = {});

/// Fills `GraphView::sources` (the source of each arc), once. Call `view()` again afterwards.
Status ensure_sources(Graph& graph);

/// Fills `GraphView::halves` (the end of the neighbours below each rank), once. Call `view()` again afterwards.
/// Requires: no hash index.
Status ensure_halves(Graph& graph);

/// Fills `Graph::split_offsets`, which loaded graphs have. `block_arcs`: an upper bound of the arcs in a block; less
/// than 2^32 only in tests, to get many blocks. Errors: Resource where a vertex has `block_arcs` arcs, or out of
/// memory.
Status ensure_split_offsets(Graph& graph, std::uint64_t block_arcs = std::uint64_t{1} << 32);

/// The neighbours `[begin, end)` of a rank in `GraphView::neighbors`, for either index; empty for a rank not in the
/// graph.
struct ArcRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
ArcRange hashed_arcs_of(const GraphView& view, std::uint64_t rank);  ///< With a hash index.
inline ArcRange arcs_of(const GraphView& view, std::uint64_t rank) {
  if (view.slots != nullptr) return hashed_arcs_of(view, rank);
  return rank < view.universe ? ArcRange{view.offsets[rank], view.offsets[rank + 1]} : ArcRange{};
}

}  // namespace matcha::runtime
