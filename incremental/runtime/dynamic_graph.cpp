#include "incremental/runtime/dynamic_graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace matcha::runtime::stream {

namespace {

/// The fewest places added to a class that is full.
constexpr std::uint64_t kLeastRoom = 64;

}  // namespace

void Rows::rehouse(const ItemMemory& memory) {
  std::uint64_t items = 0;
  for (const Record& record : records_) {
    if (record.items != nullptr) items += ArrayPool::capacity_of(record.size_class);
  }
  auto pool = std::make_unique<ArrayPool>(memory);
  pool->reserve(items);
  for (Record& record : records_) {
    if (record.items == nullptr) continue;
    std::uint32_t* const to = pool->take(record.size_class);
    std::memcpy(to, record.items, record.length * sizeof(std::uint32_t));
    record.items = to;
  }
  pool_ = std::move(pool);
}

void Rows::clear() {
  records_.clear();
  pool_ = std::make_unique<ArrayPool>(pool_->memory());
}

bool Rows::contains(std::uint32_t vertex, std::uint32_t item) const {
  const Record& record = records_[vertex];
  const std::uint32_t at = lower_position(record.items, record.length, item);
  return at < record.length && record.items[at] == item;
}

void Rows::move(Record& record, std::uint32_t size_class) {
  std::uint32_t* items = pool_->take(size_class);
  if (record.items != nullptr) {
    std::memcpy(items, record.items, record.length * sizeof(std::uint32_t));
    pool_->give_back(record.items, record.size_class);
  }
  record.items = items;
  record.size_class = size_class;
}

bool Rows::insert(std::uint32_t vertex, std::uint32_t item) {
  Record& record = records_[vertex];
  const std::uint32_t at = lower_position(record.items, record.length, item);
  if (at < record.length && record.items[at] == item) return false;
  if (record.items == nullptr || record.length == ArrayPool::capacity_of(record.size_class)) {
    move(record, ArrayPool::class_of(ArrayPool::with_spare(std::uint64_t{record.length} + 1)));
  }
  std::memmove(record.items + at + 1, record.items + at, (record.length - at) * sizeof(std::uint32_t));
  record.items[at] = item;
  ++record.length;
  return true;
}

bool Rows::erase(std::uint32_t vertex, std::uint32_t item) {
  Record& record = records_[vertex];
  const std::uint32_t at = lower_position(record.items, record.length, item);
  if (at == record.length || record.items[at] != item) return false;
  --record.length;
  std::memmove(record.items + at, record.items + at + 1, (record.length - at) * sizeof(std::uint32_t));
  if (record.length == 0) {
    pool_->give_back(record.items, record.size_class);
    record = Record{};
  } else if (!ArrayPool::fits(record.size_class, record.length)) {
    move(record, ArrayPool::class_of(ArrayPool::with_spare(record.length)));
  }
  return true;
}

void Rows::set(std::uint32_t vertex, std::span<const std::uint32_t> items) {
  Record& record = records_[vertex];
  if (items.empty()) {
    if (record.items != nullptr) pool_->give_back(record.items, record.size_class);
    record = Record{};
    return;
  }
  if (record.items == nullptr || !ArrayPool::fits(record.size_class, items.size())) {
    record.length = std::min(record.length, static_cast<std::uint32_t>(items.size()));
    // Most rows of a loaded graph never grow; an eighth is for long ones.
    const std::uint64_t room =
        record.items == nullptr ? items.size() + items.size() / 8 : ArrayPool::with_spare(items.size());
    move(record, ArrayPool::class_of(room));
  }
  std::memcpy(record.items, items.data(), items.size_bytes());
  record.length = static_cast<std::uint32_t>(items.size());
}

DynamicGraph::DynamicGraph(bool directed, std::uint32_t class_count, const std::vector<std::uint32_t>& classes,
                           std::uint32_t layers)
    : directed_(directed), layers_(layers), used_(class_count, 0) {
  for (std::uint32_t c : classes) {
    if (c != kNone) ++used_[c];
  }
  number(used_, classes);
}

/// Assigns a place to every vertex, ordered by class, then vertex; `room`: places of each class. Requires: no edges.
void DynamicGraph::number(const std::vector<std::uint64_t>& room, const std::vector<std::uint32_t>& classes) {
  begins_.assign(room.size() + 1, 0);
  std::uint64_t total = 0;
  for (std::size_t c = 0; c < room.size(); ++c) {
    begins_[c] = static_cast<std::uint32_t>(total);
    total += room[c];
  }
  if (total * layers_ >= kNone) throw std::bad_alloc();
  begins_.back() = static_cast<std::uint32_t>(total);
  next_.assign(begins_.begin(), begins_.end() - 1);
  free_.assign(room.size(), {});
  vertices_.assign(total, kNone);
  places_.assign(classes.size(), kNone);
  for (std::size_t v = 0; v < classes.size(); ++v) {
    if (classes[v] == kNone) continue;
    places_[v] = next_[classes[v]]++;
    vertices_[places_[v]] = static_cast<std::uint32_t>(v);
  }
  after_.resize(total * layers_);
  if (directed_) before_.resize(total * layers_);
  changes_ = {};
  ++layout_;
}

void DynamicGraph::load(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::uint32_t layer) {
  // A row is counted, then filled at its place, then sorted.
  const auto fill = [&](Rows& rows, bool forwards, bool backwards) {
    std::vector<std::uint64_t> ends(vertices_.size() + 1, 0);
    const auto each = [&](auto take) {
      for (const auto& [u, v] : edges) {
        if (forwards) take(places_[u], places_[v]);
        if (backwards) take(places_[v], places_[u]);
      }
    };
    each([&](std::uint32_t u, std::uint32_t) { ++ends[u + 1]; });
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    std::vector<std::uint32_t> items(ends.back());
    std::vector<std::uint64_t> next(ends.begin(), ends.end() - 1);
    each([&](std::uint32_t u, std::uint32_t v) { items[next[u]++] = v; });
    for (std::size_t p = 0; p + 1 < ends.size(); ++p) {
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(ends[p]),
                items.begin() + static_cast<std::ptrdiff_t>(ends[p + 1]));
      rows.set(row_of(static_cast<std::uint32_t>(p), layer), {items.data() + ends[p], ends[p + 1] - ends[p]});
    }
  };
  changes_ = {};
  fill(after_, true, !directed_);
  if (directed_) fill(before_, false, true);
  if (layer == 0) edges_ = edges.size();
}

void DynamicGraph::rehouse(const ItemMemory& memory) {
  after_.rehouse(memory);
  if (directed_) before_.rehouse(memory);
}

std::uint64_t DynamicGraph::longest_row() const {
  std::uint64_t longest = 0;
  for (const Rows* rows : {&after_, &before_}) {
    for (std::uint32_t p = 0; p < rows->size(); ++p) longest = std::max<std::uint64_t>(longest, rows->row(p).size());
  }
  return longest;
}

DynamicGraph::Changes DynamicGraph::take_changes() {
  Changes taken = std::move(changes_);
  changes_ = {false, {}};
  return taken;
}

bool DynamicGraph::insert(std::uint32_t u, std::uint32_t v, std::uint32_t layer) {
  if (layer == 0 && !asks(u, v)) {
    const bool is_new = aside_.add(aside_pair(u, v));
    edges_ += is_new ? 1 : 0;
    return is_new;
  }
  if (!after_.insert(row_of(u, layer), v)) return false;
  rows(true).insert(row_of(v, layer), u);
  if (layer == 0) ++edges_;
  note_change(row_of(u, layer));
  note_change(row_of(v, layer));
  return true;
}

bool DynamicGraph::erase(std::uint32_t u, std::uint32_t v, std::uint32_t layer) {
  if (layer == 0 && !asks(u, v)) {
    const bool was_there = aside_.erase(aside_pair(u, v));
    edges_ -= was_there ? 1 : 0;
    return was_there;
  }
  if (!after_.erase(row_of(u, layer), v)) return false;
  rows(true).erase(row_of(v, layer), u);
  if (layer == 0) --edges_;
  note_change(row_of(u, layer));
  note_change(row_of(v, layer));
  return true;
}

void DynamicGraph::set_asked(std::vector<bool> asked) {
  if (keeps_rows_) return;
  return_to_rows();
  if (std::ranges::find(asked, false) == asked.end()) return;
  asked_ = std::move(asked);
  move_aside();
}

void DynamicGraph::keep_rows() {
  return_to_rows();
  keeps_rows_ = true;
}

/// Takes edges that are not asked for out of the rows.
void DynamicGraph::move_aside() {
  std::vector<std::uint32_t> kept;
  for (const bool backwards : {false, true}) {
    if (backwards && !directed_) continue;
    Rows& rows = this->rows(backwards);
    for (std::uint32_t p = 0; p < vertices_.size(); ++p) {
      const std::span<const std::uint32_t> row = rows.row(row_of(p, 0));
      kept.clear();
      for (const std::uint32_t q : row) {
        if (backwards ? asks(q, p) : asks(p, q)) {
          kept.push_back(q);
        } else {
          aside_.add(backwards ? aside_pair(q, p) : aside_pair(p, q));
        }
      }
      if (kept.size() != row.size()) rows.set(row_of(p, 0), kept);
    }
  }
  changes_ = {};
}

/// Merges the edges that stand aside into the rows, a row at once: a long row would take quadratic time edge by edge.
void DynamicGraph::return_to_rows() {
  if (asked_.empty()) return;
  std::vector<std::uint64_t> pairs;
  std::vector<std::uint32_t> items, merged;
  pairs.reserve(aside_.size() * (directed_ ? 1 : 2));
  for (const bool backwards : {false, true}) {
    if (backwards && !directed_) continue;
    pairs.clear();
    aside_.each([&](std::uint32_t u, std::uint32_t v) {
      if (!backwards) pairs.push_back(PairSet::pair_of(u, v));
      if (backwards || !directed_) pairs.push_back(PairSet::pair_of(v, u));
    });
    std::ranges::sort(pairs);
    Rows& rows = this->rows(backwards);
    for (std::size_t at = 0; at < pairs.size();) {
      const std::uint32_t place = PairSet::first_of(pairs[at]);
      items.clear();
      for (; at < pairs.size() && PairSet::first_of(pairs[at]) == place; ++at) {
        items.push_back(PairSet::second_of(pairs[at]));
      }
      merged.clear();
      std::ranges::merge(rows.row(row_of(place, 0)), items, std::back_inserter(merged));
      rows.set(row_of(place, 0), merged);
    }
  }
  asked_.clear();
  aside_ = {};
  changes_ = {};
}

/// Adds places to the last class: nothing moves.
void DynamicGraph::extend() {
  const std::uint64_t have = begins_.back() - begins_[begins_.size() - 2];
  const std::uint64_t total = begins_.back() + std::max<std::uint64_t>(kLeastRoom, have / 4);
  if (total * layers_ >= kNone) throw std::bad_alloc();
  vertices_.reserve(total);
  vertices_.resize(total, kNone);
  after_.resize(total * layers_);
  if (directed_) before_.resize(total * layers_);
  begins_.back() = static_cast<std::uint32_t>(total);
  changes_ = {};
  ++layout_;
}

/// Doubles the places of a class; rewrites every row, unless it is the last class.
void DynamicGraph::make_room(std::uint32_t label_class) {
  if (label_class + 1 == class_count()) return extend();
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> edges(layers_);
  edges.front().reserve(edges_);
  for (std::uint32_t p = 0; p < vertices_.size(); ++p) {
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      for (std::uint32_t q : after(p, layer)) {
        if (directed_ || p < q) edges[layer].emplace_back(vertices_[p], vertices_[q]);
      }
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> aside;
  aside_.each([&](std::uint32_t p, std::uint32_t q) { aside.emplace_back(vertices_[p], vertices_[q]); });
  std::vector<std::uint32_t> classes(places_.size(), kNone);
  for (std::size_t v = 0; v < classes.size(); ++v) {
    if (places_[v] != kNone) classes[v] = class_at(places_[v]);
  }
  std::vector<std::uint64_t> room(used_.size());
  for (std::uint32_t c = 0; c < room.size(); ++c) room[c] = begins_[c + 1] - begins_[c];
  room[label_class] = std::max(kLeastRoom, 2 * room[label_class]);
  after_.clear();
  before_.clear();
  number(room, classes);
  for (std::uint32_t layer = 0; layer < layers_; ++layer) load(edges[layer], layer);
  aside_.clear();
  for (const auto& [u, v] : aside) aside_.add(aside_pair(places_[u], places_[v]));
  edges_ += aside.size();
}

void DynamicGraph::set_class(std::uint32_t vertex, std::uint32_t label_class) {
  if (vertex >= places_.size()) places_.resize(std::uint64_t{vertex} + 1, kNone);
  const std::uint32_t old = places_[vertex] == kNone ? kNone : class_at(places_[vertex]);
  if (old == label_class) return;
  if (old != kNone) {
    free_[old].push_back(places_[vertex]);
    vertices_[places_[vertex]] = kNone;
    places_[vertex] = kNone;
    --used_[old];
  }
  if (label_class == kNone) return;
  if (free_[label_class].empty() && next_[label_class] == begins_[label_class + 1]) make_room(label_class);
  if (free_[label_class].empty()) {
    places_[vertex] = next_[label_class]++;
  } else {
    places_[vertex] = free_[label_class].back();
    free_[label_class].pop_back();
  }
  vertices_[places_[vertex]] = vertex;
  ++used_[label_class];
}

std::uint64_t DynamicGraph::bytes() const {
  return after_.bytes() + aside_.bytes() + (directed_ ? before_.bytes() : 0) +
         (places_.capacity() + vertices_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace matcha::runtime::stream
