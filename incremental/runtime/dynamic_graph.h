#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// Graphs that change, one edge at a time, and are read in between by the set kernels.
namespace matcha::runtime::stream {

/// The least position of an ascending array whose item is not below `item`.
inline std::uint32_t lower_position(const std::uint32_t* items, std::uint32_t n, std::uint32_t item) {
  const std::uint32_t* begin = items;
  while (n > 1) {
    const std::uint32_t half = n / 2;
    begin += begin[half - 1] < item ? half : 0;
    n -= half;
  }
  return static_cast<std::uint32_t>(begin - items) + (n == 1 && *begin < item ? 1 : 0);
}

/// Gives memory for so many items, which is there as long as somebody has it. Throws std::bad_alloc.
using ItemMemory = std::function<std::shared_ptr<std::uint32_t[]>(std::uint64_t items)>;

/// Arrays of 4-byte items by classes of capacity, from slabs. What is given back is used again.
class ArrayPool {
 public:
  ArrayPool() = default;
  /// With slabs from there in place of the heap.
  explicit ArrayPool(ItemMemory memory) : memory_(std::move(memory)) {}
  ArrayPool(const ArrayPool&) = delete;
  ArrayPool& operator=(const ArrayPool&) = delete;

  /// The smallest class for `items` items; capacities are 2, 4, then four for each power of two.
  static std::uint32_t class_of(std::uint64_t items);
  static std::uint64_t capacity_of(std::uint32_t size_class);
  /// With the room that is there beside so many items when a row is made or grows: a quarter.
  static std::uint64_t with_spare(std::uint64_t items) { return items + items / 4; }
  /// Whether so many items may stay in an array of the class: it is neither too small nor more than twice what is
  /// needed.
  static bool fits(std::uint32_t size_class, std::uint64_t items) {
    const std::uint64_t capacity = capacity_of(size_class);
    return items <= capacity && (capacity <= 8 || with_spare(items) * 2 >= capacity);
  }

  /// What is taken next, up to so many items, needs no other memory. Throws std::bad_alloc.
  void reserve(std::uint64_t items);
  /// Throws std::bad_alloc.
  std::uint32_t* take(std::uint32_t size_class);
  void give_back(std::uint32_t* array, std::uint32_t size_class);
  /// Of all slabs, used or not.
  std::uint64_t bytes() const { return bytes_; }
  const ItemMemory& memory() const { return memory_; }

 private:
  void add_slab(std::uint64_t items);

  ItemMemory memory_;  ///< Empty: the heap.
  std::vector<std::shared_ptr<std::uint32_t[]>> slabs_;
  std::vector<std::vector<std::uint32_t*>> free_;  ///< By class.
  std::uint32_t* rest_ = nullptr;                  ///< What is left of the last slab,
  std::uint64_t rest_items_ = 0;                   ///< so many items.
  std::uint64_t bytes_ = 0;
};

/// For each vertex an ascending array of vertices without repeats, with room to spare.
class Rows {
 public:
  std::span<const std::uint32_t> row(std::uint32_t vertex) const {
    const Record& record = records_[vertex];
    return {record.items, record.length};
  }
  /// Where the record of a vertex lies, for those who fetch it ahead.
  const void* record_of(std::uint32_t vertex) const { return &records_[vertex]; }
  bool contains(std::uint32_t vertex, std::uint32_t item) const;
  /// False: it was there. Throws std::bad_alloc, and then nothing has changed.
  bool insert(std::uint32_t vertex, std::uint32_t item);
  /// False: it was not there.
  bool erase(std::uint32_t vertex, std::uint32_t item);
  /// Makes the row of a vertex anew. `items` ascend, and are no part of it. Throws std::bad_alloc, and then nothing has
  /// changed.
  void set(std::uint32_t vertex, std::span<const std::uint32_t> items);
  /// Moves all arrays to memory from there, where later ones are too. Throws std::bad_alloc, and then nothing has
  /// changed.
  void rehouse(const ItemMemory& memory);
  /// Whether they were moved.
  bool is_rehoused() const { return static_cast<bool>(pool_->memory()); }
  /// No rows, in the same memory.
  void clear();
  /// A number that a vertex has for a while, below kMostMarks; 0 at first, and it is to be 0 when its row changes.
  static constexpr std::uint32_t kMostMarks = std::uint32_t{1} << 24;
  std::uint32_t mark(std::uint32_t vertex) const { return records_[vertex].mark; }
  void set_mark(std::uint32_t vertex, std::uint32_t mark) { records_[vertex].mark = mark; }
  void resize(std::uint64_t vertices) {
    records_.reserve(vertices);
    records_.resize(vertices);
  }
  std::uint64_t size() const { return records_.size(); }
  std::uint64_t bytes() const { return records_.capacity() * sizeof(Record) + pool_->bytes(); }
  /// Of the arrays alone.
  std::uint64_t array_bytes() const { return pool_->bytes(); }

 private:
  friend class RowEdits;
  friend class KeptRows;
  struct Record {
    std::uint32_t* items = nullptr;
    std::uint32_t length = 0;
    std::uint32_t size_class : 8 = 0;  ///< Of `items`; nothing if that is null.
    std::uint32_t mark : 24 = 0;
  };
  static_assert(sizeof(Record) == 16);

  void move(Record& record, std::uint32_t size_class);

  std::vector<Record> records_;
  std::unique_ptr<ArrayPool> pool_ = std::make_unique<ArrayPool>();
};

/// A simple graph over vertices 0, 1, …, as the caller numbers them. Inside, vertices have places: those of one label
/// class lie side by side, so that the neighbours of a class are a slice of a row. Classes are the caller's, 0, 1, ….
///
/// There may be several graphs over the same vertices, layers 0, 1, …: such as all pairs of adjacent vertices, and for
/// some labels the edges that have it. The rows of a place lie side by side, by layer; with one layer, its row has the
/// number of the place. What does not name a layer is about layer 0.
class DynamicGraph {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Vertices 0 … classes.size() - 1 with their classes (kNone: there is no such vertex), below `class_count`.
  /// Requires: a layer.
  DynamicGraph(bool directed, std::uint32_t class_count, const std::vector<std::uint32_t>& classes,
               std::uint32_t layers = 1);

  /// Inserts many edges at once into a layer that has none; pairs of vertices, no loops, no repeats.
  void load(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::uint32_t layer = 0);

  bool directed() const { return directed_; }
  std::uint32_t layers() const { return layers_; }
  std::uint64_t edge_count() const { return edges_; }
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(begins_.size() - 1); }

  /// The place of a vertex; kNone if it is not there. Places change when a vertex is added or gets another class.
  std::uint32_t place(std::uint32_t vertex) const { return vertex < places_.size() ? places_[vertex] : kNone; }
  std::uint32_t vertex(std::uint32_t place) const { return vertices_[place]; }
  /// Let the processor fetch the place of a vertex, the record of a place's row, and from that the row itself, where a
  /// search begins: they lie anywhere in memory. A record and a row of layer 0.
  void fetch_place(std::uint32_t vertex) const {
    if (vertex < places_.size()) __builtin_prefetch(&places_[vertex]);
  }
  void fetch_record(std::uint32_t place) const { __builtin_prefetch(after_.record_of(row_of(place, 0))); }
  void fetch_row(std::uint32_t place) const {
    const std::span<const std::uint32_t> row = after(place);
    __builtin_prefetch(row.data() + row.size() / 2);
  }
  /// The class of a vertex that is there, by its place.
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

  /// Moves all rows to other memory, as Rows::rehouse does; this is no change of a row.
  void rehouse(const ItemMemory& memory);
  bool is_rehoused() const { return after_.is_rehoused(); }
  std::uint64_t array_bytes() const { return after_.array_bytes() + (directed_ ? before_.array_bytes() : 0); }

  /// Items of the longest row.
  std::uint64_t longest_row() const;

  /// By places. False where nothing changed.
  bool has_edge(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0) const {
    return after_.contains(row_of(u, layer), v);
  }
  bool insert(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0);
  bool erase(std::uint32_t u, std::uint32_t v, std::uint32_t layer = 0);
  /// Edges were put into the rows, or taken out, by who knows them.
  void set_edge_count(std::uint64_t edges) { edges_ = edges; }

  /// For who keeps a copy of the rows: since the last call, the numbers of those that changed, some of them often, or
  /// `all` of them, as places changed or it is the first call. Of a directed graph a number is that of two rows.
  struct Changes {
    bool all = true;
    std::vector<std::uint32_t> rows;
  };
  Changes take_changes();
  /// Another number whenever the places of vertices or classes have moved, or there are more of them.
  std::uint64_t layout() const { return layout_; }
  /// A row was changed by who has `rows`.
  void note_change(std::uint32_t row) {
    if (changes_.all) return;
    changes_.rows.push_back(row);
    if (changes_.rows.size() > after_.size()) changes_ = {};
  }

  /// Adds a vertex, or gives one without edges, in any layer, another class; kNone takes it out.
  void set_class(std::uint32_t vertex, std::uint32_t label_class);

  std::uint64_t bytes() const;

 private:
  void number(const std::vector<std::uint64_t>& room, const std::vector<std::uint32_t>& classes);
  void extend();
  void make_room(std::uint32_t label_class);

  bool directed_;
  std::uint32_t layers_;
  std::uint64_t edges_ = 0;
  std::vector<std::uint32_t> places_;             ///< By vertex.
  std::vector<std::uint32_t> vertices_;           ///< By place; kNone where there is none.
  std::vector<std::uint32_t> begins_;             ///< By class, one more at the end.
  std::vector<std::uint64_t> used_;               ///< By class: vertices.
  std::vector<std::uint32_t> next_;               ///< By class: places from here on were never used.
  std::vector<std::vector<std::uint32_t>> free_;  ///< By class: places that were left.
  Rows after_, before_;
  Changes changes_;
  std::uint64_t layout_ = 0;
};

}  // namespace matcha::runtime::stream
