#include "incremental/runtime/delta_search.h"

#include <algorithm>

namespace matcha::runtime::stream {

namespace {

/// Kernels write up to this many items after the last.
constexpr std::uint32_t kSlack = 16;
/// A row of at least this length is cut to the range of the other list before merging.
constexpr std::uint32_t kLong = 64;
/// Steps between two checks of the limits; a power of two.
constexpr std::uint32_t kWalksBetweenLooks = 1024;

}  // namespace

std::uint32_t* DeltaSearch::buffer(std::size_t set, std::uint32_t items) {
  std::vector<std::uint32_t>& room = buffers_[set];
  if (room.size() < std::size_t{items} + kSlack) room.resize(std::size_t{items} * 2 + kSlack);
  return room.data();
}

bool DeltaSearch::holds(const Set& set, std::uint32_t place) const {
  const std::uint32_t found = lower_position(set.items, set.size, place);
  return found < set.size && set.items[found] == place;
}

bool DeltaSearch::has_arc(std::uint32_t u, std::uint32_t v, std::uint32_t layer) const {
  const std::span<const std::uint32_t> row = row_of(false, u, layer);
  return holds({row.data(), static_cast<std::uint32_t>(row.size())}, v);
}

/// The row that a step reads; of a long one only the part between the first and the last item of `against`.
DeltaSearch::Set DeltaSearch::row(const TermStep& step, const Set& against) const {
  const std::span<const std::uint32_t> row = row_of(step.backwards, places_[step.vertex], step.layer);
  const std::uint32_t n = static_cast<std::uint32_t>(row.size());
  if (n < kLong || against.size == 0) return {row.data(), n};
  const std::uint32_t begin = lower_position(row.data(), n, against.items[0]);
  const std::uint32_t length = lower_position(row.data() + begin, n - begin, against.items[against.size - 1] + 1);
  return {row.data() + begin, length};
}

/// Does a step; false if a set that every match needs is empty.
bool DeltaSearch::run(const TermStep& step) {
  Set& to = sets_[step.to];
  using Kind = TermStep::Kind;
  if (step.kind == Kind::Slice) {
    const std::span<const std::uint32_t> all = row_of(step.backwards, places_[step.vertex], step.layer);
    to = {all.data(), static_cast<std::uint32_t>(all.size())};
    if (step.label_class != kAnyClass && graph_.class_count() > 1) {
      const auto [first, last] = graph_.places_of(step.label_class);
      const std::uint32_t begin = lower_position(to.items, to.size, first);
      to.items += begin;
      to.size = lower_position(to.items, to.size - begin, last);
    }
    return to.size != 0 || !step.needed;
  }
  const Set from = sets_[step.from];
  switch (step.kind) {
    case Kind::Slice: break;
    case Kind::Below: to = {from.items, lower_position(from.items, from.size, places_[step.vertex])}; break;
    case Kind::Above: {
      const std::uint32_t begin = lower_position(from.items, from.size, places_[step.vertex] + 1);
      to = {from.items + begin, from.size - begin};
      break;
    }
    case Kind::Intersect: {
      const Set other = row(step, from);
      std::uint32_t* items = buffer(step.to, std::min(from.size, other.size));
      to = {items, from.size == 0 ? 0
                                  : static_cast<std::uint32_t>(
                                        kernels_.intersect(from.items, from.size, other.items, other.size, items))};
      break;
    }
    case Kind::Remove: {
      const Set other = row(step, from);
      std::uint32_t* items = buffer(step.to, from.size);
      to = {items, from.size == 0 ? 0
                                  : static_cast<std::uint32_t>(
                                        kernels_.diff(from.items, from.size, other.items, other.size, items))};
      break;
    }
    case Kind::CountCommon: {
      const Set other = row(step, from);
      to.size =
          from.size == 0
              ? 0
              : static_cast<std::uint32_t>(kernels_.intersect_count(from.items, from.size, other.items, other.size));
      break;
    }
    case Kind::CountRemoved: {
      const Set other = row(step, from);
      to.size = from.size == 0
                    ? 0
                    : static_cast<std::uint32_t>(kernels_.diff_count(from.items, from.size, other.items, other.size));
      break;
    }
  }
  return to.size != 0 || !step.needed;
}

/// Does the steps after the vertex is placed; false if there is no match.
bool DeltaSearch::place(int vertex) {
  for (const TermStep& step : term_->steps[at(vertex)]) {
    if (!run(step)) return false;
  }
  return true;
}

std::uint64_t DeltaSearch::value(const TermValue& value) const {
  std::uint64_t size = sets_[value.set].size - value.less;
  if (size == 0) return 0;
  for (std::uint8_t e : value.maybe) {
    const std::uint32_t place = places_[e];
    if (value.stored) {
      size -= holds(sets_[value.set], place) ? 1 : 0;
      continue;
    }
    if (!holds(sets_[value.counted.from], place)) continue;
    const TermStep& step = value.counted;
    const std::span<const std::uint32_t> row = row_of(step.backwards, places_[step.vertex], step.layer);
    const bool adjacent = holds({row.data(), static_cast<std::uint32_t>(row.size())}, place);
    size -= adjacent == (value.counted.kind == TermStep::Kind::CountCommon) ? 1 : 0;
  }
  return size;
}

/// Multiplies `ways` by a number of items; false: overflow. Most products fit 64 bits.
inline bool multiply(__int128& ways, std::uint64_t items) {
  const bool is_small = ways == static_cast<std::int64_t>(ways);
  if (!is_small) return !__builtin_mul_overflow(ways, static_cast<__int128>(items), &ways);
  ways *= static_cast<__int128>(items);
  return true;
}

/// All vertices with loops are placed: adds the number of ways to place the others.
void DeltaSearch::add_products() {
  __int128 all = 1;
  for (const std::vector<TermProduct>& group : term_->groups) {
    __int128 ways = 0;
    for (const TermProduct& product : group) {
      __int128 one = product.factor;
      for (std::uint16_t index : product.values) {
        if (!multiply(one, value(term_->values[index]))) ending_ = Ending::Overflow;
        if (one == 0) break;
      }
      if (__builtin_add_overflow(ways, one, &ways)) ending_ = Ending::Overflow;
    }
    if (ways == 0) return;
    if (all == 1) {
      all = ways;
    } else if (__builtin_mul_overflow(all, ways, &all)) {
      ending_ = Ending::Overflow;
    }
  }
  if (__builtin_add_overflow(found_, all, &found_)) ending_ = Ending::Overflow;
}

/// Prefetches the data of the next candidates.
inline void DeltaSearch::fetch_ahead(const Set& candidates, std::uint32_t at, std::uint32_t layer) const {
  constexpr std::uint32_t kRecord = 8, kRow = 4;
  const Rows& rows = graph_.rows(false);
  const auto row = [&](std::uint32_t ahead) { return graph_.row_of(candidates.items[at + ahead], layer); };
  if (at + kRecord < candidates.size) __builtin_prefetch(rows.record_of(row(kRecord)));
  if (at + kRow < candidates.size) __builtin_prefetch(rows.row(row(kRow)).data());
}

void DeltaSearch::look_at_limits() {
  if (maybe_stop_ != nullptr && maybe_stop_->load(std::memory_order_relaxed) != 0) ending_ = Ending::Stopped;
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) ending_ = Ending::Deadline;
}

inline void DeltaSearch::try_candidate(int vertex, const Set& candidates, std::uint32_t position, std::uint32_t layer) {
  fetch_ahead(candidates, position, layer);
  const std::uint32_t item = candidates.items[position];
  bool taken = false;
  for (std::uint8_t e : term_->others[at(vertex)]) taken = taken || places_[e] == item;
  if (taken) return;
  places_[at(vertex)] = item;
  if (place(vertex)) walk(vertex + 1);
}

/// Tries every candidate of `vertex`.
void DeltaSearch::walk(int vertex) {
  if (vertex == term_->pattern.walked) {
    if (maybe_take_ != nullptr) {
      (*maybe_take_)(places_.data());
    } else {
      add_products();
    }
    return;
  }
  if ((++walks_ & (kWalksBetweenLooks - 1)) == 0) look_at_limits();
  const Set candidates = sets_[term_->candidates[at(vertex)]];
  const std::uint32_t layer = term_->layers[at(vertex)];
  for (std::uint32_t i = 0; i < candidates.size && ending_ == Ending::Complete; ++i) {
    try_candidate(vertex, candidates, i, layer);
  }
}

/// Tries a part of the candidates of vertex 2, except those that helpers take.
void DeltaSearch::walk_part(Range range, Helpers& helpers) {
  // A smaller part is not worth giving away.
  constexpr std::uint32_t kWalksBeforeSharing = 64;
  if (term_->pattern.walked == 2) {
    if (range.first == 0) walk(2);
    return;
  }
  if ((++walks_ & (kWalksBetweenLooks - 1)) == 0) look_at_limits();
  const Set candidates = sets_[term_->candidates[at(2)]];
  std::uint32_t last = std::min(range.last, candidates.size);
  const std::uint32_t walks = walks_, layer = term_->layers[at(2)];
  for (std::uint32_t i = range.first; i < last && ending_ == Ending::Complete; ++i) {
    if (last - i >= 2 && walks_ - walks + (i - range.first) >= kWalksBeforeSharing && helpers.wanting()) {
      const std::uint32_t middle = i + (last - i + 1) / 2;
      helpers.take({middle, last});
      last = middle;
    }
    try_candidate(2, candidates, i, layer);
  }
}

bool DeltaSearch::begin(const Term& term, std::uint32_t a, std::uint32_t b) {
  term_ = &term;
  ending_ = Ending::Complete;
  found_ = 0;
  if (places_.size() < at(term.pattern.size)) places_.resize(at(term.pattern.size));
  if (sets_.size() < at(term.sets)) sets_.resize(at(term.sets));
  if (buffers_.size() < at(term.sets)) buffers_.resize(at(term.sets));
  places_[0] = a;
  places_[1] = b;
  if (term.pattern.back != BackArc::Any && has_arc(b, a, 0) != (term.pattern.back == BackArc::Wanted)) return false;
  for (const LayerArc& arc : term.pattern.ends) {
    if (!has_arc(places_[at(arc.from)], places_[at(arc.to)], arc.layer)) return false;
  }
  return place(1);
}

/// Steps of the first end are mostly slices; this makes the end with fewer neighbours the first one.
inline void DeltaSearch::orient(const Term& term, std::uint32_t& a, std::uint32_t& b) const {
  if (!term.pattern.swappable) return;
  const std::uint32_t layer = term.layers[1];
  if (row_of(false, a, layer).size() > row_of(false, b, layer).size()) std::swap(a, b);
}

DeltaSearch::Ending DeltaSearch::count(const Term& term, std::uint32_t a, std::uint32_t b, __int128& count) {
  orient(term, a, b);
  if (!begin(term, a, b)) return Ending::Complete;
  maybe_take_ = nullptr;
  walk(2);
  if (ending_ != Ending::Complete) return ending_;
  const __int128 matches = term.pattern.divisor == 1 ? found_ : found_ / static_cast<__int128>(term.pattern.divisor);
  if (__builtin_add_overflow(count, matches, &count)) return Ending::Overflow;
  return Ending::Complete;
}

DeltaSearch::Ending DeltaSearch::list(const Term& term, std::uint32_t a, std::uint32_t b, const TakeMatch& take) {
  if (!begin(term, a, b)) return Ending::Complete;
  maybe_take_ = &take;
  walk(2);
  return ending_;
}

DeltaSearch::Ending DeltaSearch::count_part(const Term& term, std::uint32_t a, std::uint32_t b, Range range,
                                            Helpers& helpers, __int128& maps) {
  orient(term, a, b);
  if (!begin(term, a, b)) return Ending::Complete;
  maybe_take_ = nullptr;
  walk_part(range, helpers);
  if (ending_ == Ending::Complete && __builtin_add_overflow(maps, found_, &maps)) return Ending::Overflow;
  return ending_;
}

DeltaSearch::Ending DeltaSearch::list_part(const Term& term, std::uint32_t a, std::uint32_t b, Range range,
                                           Helpers& helpers, const TakeMatch& take) {
  if (!begin(term, a, b)) return Ending::Complete;
  maybe_take_ = &take;
  walk_part(range, helpers);
  return ending_;
}

}  // namespace matcha::runtime::stream
