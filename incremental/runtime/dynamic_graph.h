#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "incremental/runtime/array_pool.h"
#include "incremental/runtime/pair_set.h"

/// Graphs that change by single edges, and whose rows the set kernels can read at any time.
namespace matcha::runtime::stream {

/// The position of the first item of an ascending array that is not below `item`.
inline std::uint32_t lower_position(const std::uint32_t* items, std::uint32_t n, std::uint32_t item) {
  const std::uint32_t* begin = items;
  while (n > 1) {
    const std::uint32_t half = n / 2;
    begin += begin[half - 1] < item ? half : 0;
    n -= half;
  }
  return static_cast<std::uint32_t>(begin - items) + (n == 1 && *begin < item ? 1 : 0);
}

/// For each vertex an ascending array of vertices without repeats, with spare capacity.
class Rows {
 public:
  std::span<const std::uint32_t> row(std::uint32_t vertex) const {
    const Record& record = records_[vertex];
    return {record.items, record.length};
  }
  /// The address of a vertex's record, for prefetching.
  const void* record_of(std::uint32_t vertex) const { return &records_[vertex]; }
  bool contains(std::uint32_t vertex, std::uint32_t item) const;
  /// Returns false if the item exists. Throws std::bad_alloc, and then nothing has changed.
  bool insert(std::uint32_t vertex, std::uint32_t item);
  /// Returns false if the item does not exist.
  bool erase(std::uint32_t vertex, std::uint32_t item);
  /// Replaces the row of a vertex. `items` ascend, and are not a part of it. Throws std::bad_alloc, and then nothing
  /// has changed.
  void set(std::uint32_t vertex, std::span<const std::uint32_t> items);
  /// Moves all arrays to memory from `memory`, which later arrays use too. Throws std::bad_alloc, and then nothing has
  /// changed.
  void rehouse(const ItemMemory& memory);
  /// True after `rehouse`.
  bool is_rehoused() const { return static_cast<bool>(pool_->memory()); }
  /// Removes all rows, keeping the memory.
  void clear();
  /// A temporary number of a vertex, below kMostMarks; 0 at first, and it must be 0 when its row changes.
  static constexpr std::uint32_t kMostMarks = std::uint32_t{1} << 24;
  std::uint32_t mark(std::uint32_t vertex) const { return records_[vertex].mark; }
  void set_mark(std::uint32_t vertex, std::uint32_t mark) { records_[vertex].mark = mark; }
  void resize(std::uint64_t vertices) {
    records_.reserve(vertices);
    records_.resize(vertices);
  }
  std::uint64_t size() const { return records_.size(); }
  std::uint64_t bytes() const { return records_.capacity() * sizeof(Record) + pool_->bytes(); }
  /// The bytes of the arrays.
  std::uint64_t array_bytes() const { return pool_->bytes(); }

 private:
  friend class RowEdits;
  friend class KeptRows;
  struct Record {
    std::uint32_t* items = nullptr;
    std::uint32_t length = 0;
    std::uint32_t size_class : 8 = 0;  ///< The size class of `items`; undefined if that is null.
    std::uint32_t mark : 24 = 0;
  };
  static_assert(sizeof(Record) == 16);

  void move(Record& record, std::uint32_t size_class);

  std::vector<Record> records_;
  std::unique_ptr<ArrayPool> pool_ = std::make_unique<ArrayPool>();
};

/// A simple graph over vertices 0, 1, …, numbered by the caller. Internally vertices have places: those of one label
/// class are consecutive, so that the neighbours of a class are a slice of a row. Classes 0, 1, … are defined by the
/// caller.
///
/// There may be several graphs over the same vertices, layers 0, 1, …: for example all pairs of adjacent vertices, and
/// for some labels the edges with that label. The rows of a place are consecutive, by layer; with one layer, its row
/// has the number of the place. Functions without a layer use layer 0.
///
/// Edges of layer 0 between classes that no reader of rows asks for may stand aside: they are in a hash set, and in no
/// row.
class DynamicGraph {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Vertices 0 … classes.size() - 1 with their classes (kNone: no vertex), below `class_count`. Requires: at least one
  /// layer.
  DynamicGraph(bool directed, std::uint32_t class_count, const std::vector<std::uint32_t>& classes,
               std::uint32_t layers = 1);

  /// Inserts many edges at once into an empty layer; pairs of vertices, no loops, no repeats.
  void load(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::uint32_t layer = 0);

  bool directed() const { return directed_; }
  std::uint32_t layers() const { return layers_; }
  std::uint64_t edge_count() const { return edges_; }
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(begins_.size() - 1); }

  /// The place of a vertex; kNone if it does not exist. Places change when a vertex is added or changes its class.
  std::uint32_t place(std::uint32_t vertex) const { return vertex < places_.size() ? places_[vertex] : kNone; }
  std::uint32_t vertex(std::uint32_t place) const { return vertices_[place]; }
  /// Prefetch the place of a vertex, the record of a place's row, and through that the row itself, before a search
  /// begins: they are scattered in memory. For layer 0.
  void fetch_place(std::uint32_t vertex) const {
    if (vertex < places_.size()) __builtin_prefetch(&places_[vertex]);
  }
  void fetch_record(std::uint32_t place) const { __builtin_prefetch(after_.record_of(row_of(place, 0))); }
  void fetch_row(std::uint32_t place) const {
    const std::span<const std::uint32_t> row = after(place);
    __builtin_prefetch(row.data() + row.size() / 2);
  }
  /// The class of an existing vertex, by its place.
  std::uint32_t class_at(std::uint32_t place) const {
    return lower_position(begins_.data() + 1, class_count() - 1, place + 1);
  }
  /// Places of a class are [begin, end).
  std::pair<std::uint32_t, std::uint32_t> places_of(std::uint32_t size_class) const {
    return {begins_[size_class], begins_[size_class + 1]};
  }
  std::uint64_t vertices_of(std::uint32_t label_class) const { return used_[label_class]; }

  /// Neighbours (of a directed graph: targets), and sources, by places.
  std::span<const std::uint32_t> after(std::uint32_t place, std::uint32_t layer = 0) const {
    return after_.row(row_of(place, layer));
  }
  std::span<const std::uint32_t> before(std::uint32_t place, std::uint32_t layer = 0) const {
    return rows(true).row(row_of(place, layer));
  }
  /// The number of a row.
  std::uint32_t row_of(std::uint32_t place, std::uint32_t layer) const { return place * layers_ + layer; }
  const Rows& rows(bool backwards) const { return backwards && directed_ ? before_ : after_; }
  Rows& rows(bool backwards) { return backwards && directed_ ? before_ : after_; }

  /// Moves all rows to other memory, like Rows::rehouse; this does not count as a change of a row.
  void rehouse(const ItemMemory& memory);
  bool is_rehoused() const { return after_.is_rehoused(); }
  std::uint64_t array_bytes() const { return after_.array_bytes() + (directed_ ? before_.array_bytes() : 0); }

  /// Says which pairs of classes readers of rows ask for: item source * class_count + target; empty: all of them. Edges
  /// of other pairs stand aside from now on, unless `keep_rows` was called. Throws std::bad_alloc.
  void set_asked(std::vector<bool> asked);
  /// All edges are in rows, for good. Throws std::bad_alloc.
  void keep_rows();
  bool keeps_rows() const { return keeps_rows_; }
  /// True if the edge from `u` to `v`, places, belongs into rows.
  bool asks(std::uint32_t u, std::uint32_t v) const {
    return asked_.empty() || asked_[std::size_t{class_at(u)} * class_count() + class_at(v)];
  }
  /// Prefetches an edge that stands aside.
  void fetch_aside(std::uint32_t u, std::uint32_t v) const { aside_.fetch(aside_pair(u, v)); }
  /// Calls `take` with the places of each edge that stands aside, an undirected one once.
  template <typename Take>
  void each_aside(const Take& take) const {
    aside_.each(take);
  }

  /// The number of items of the longest row.
  std::uint64_t longest_row() const;

  /// By places. Changes return false if nothing changed.
  bool has_edge(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0) const {
    if (layer == 0 && !asks(u, v)) return aside_.has(aside_pair(u, v));
    return after_.contains(row_of(u, layer), v);
  }
  bool insert(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0);
  bool erase(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0);
  /// Sets the number of edges after the caller has changed rows directly.
  void set_edge_count(std::uint64_t edges) { edges_ = edges; }

  /// For copies of the rows: the numbers of rows changed since the last call, possibly repeated; or `all` rows, if
  /// places changed or it is the first call. In a directed graph a number stands for two rows.
  struct Changes {
    bool all = true;
    std::vector<std::uint32_t> rows;
  };
  Changes take_changes();
  /// A number that changes whenever places of vertices or classes move or are added.
  std::uint64_t layout() const { return layout_; }
  /// Records a change of a row through `rows`.
  void note_change(std::uint32_t row) {
    if (changes_.all) return;
    changes_.rows.push_back(row);
    if (changes_.rows.size() > after_.size()) changes_ = {};
  }

  /// Adds a vertex, or changes the class of a vertex without edges in any layer; kNone removes it.
  void set_class(std::uint32_t vertex, std::uint32_t label_class);

  /// Bytes of rows and numbers.
  std::uint64_t bytes() const;

 private:
  void number(const std::vector<std::uint64_t>& room, const std::vector<std::uint32_t>& classes);
  std::uint64_t aside_pair(std::uint32_t u, std::uint32_t v) const {
    return directed_ || u < v ? PairSet::pair_of(u, v) : PairSet::pair_of(v, u);
  }
  void move_aside();
  void return_to_rows();
  void extend();
  void make_room(std::uint32_t label_class);

  bool directed_;
  std::uint32_t layers_;
  std::uint64_t edges_ = 0;
  std::vector<std::uint32_t> places_;             ///< By vertex.
  std::vector<std::uint32_t> vertices_;           ///< By place; kNone if unused.
  std::vector<std::uint32_t> begins_;             ///< By class, plus the end.
  std::vector<std::uint64_t> used_;               ///< By class: the number of vertices.
  std::vector<std::uint32_t> next_;               ///< By class: the first place that was never used.
  std::vector<std::vector<std::uint32_t>> free_;  ///< By class: freed places.
  Rows after_, before_;
  std::vector<bool> asked_;  ///< By classes of source and target; empty: all.
  PairSet aside_;            ///< Edges of pairs that are not asked for, by places; u < v if undirected.
  bool keeps_rows_ = false;
  Changes changes_;
  std::uint64_t layout_ = 0;
};

}  // namespace matcha::runtime::stream
