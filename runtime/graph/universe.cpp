#include "runtime/graph/universe.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <mutex>
#include <numeric>

#include "runtime/graph/detail/column_ids.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

constexpr std::uint64_t kIdsOfTask = std::uint64_t{1} << 14;

struct Extent {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  std::uint64_t total = 0;

  void widen(std::int64_t first, std::int64_t last) {
    low = std::min(low, first);
    high = std::max(high, last);
  }
};

std::int64_t last_of(const IdRange& range) { return range.first + static_cast<std::int64_t>(range.count - 1); }

Extent extent_of(const std::vector<IntColumn>& columns, const std::vector<IdRange>& ranges) {
  Extent extent;
  std::mutex guard;
  for_indices(0, columns.size(), [&](std::size_t at) {
    for_blocks(Block(0, columns[at].count, kIdsOfTask), [&, at](const Block& block) {
      Extent part;
      with_items(columns[at], [&](const auto& ids) {
        for (std::uint64_t i = block.begin(); i != block.end(); ++i) {
          const std::int64_t id = static_cast<std::int64_t>(ids[i]);
          part.low = std::min(part.low, id);
          part.high = std::max(part.high, id);
        }
      });
      const std::lock_guard<std::mutex> lock(guard);
      extent.widen(part.low, part.high);
    });
  });
  for (const IntColumn& column : columns) extent.total += column.count;
  for (const IdRange& range : ranges) {
    if (range.count == 0) continue;
    extent.widen(range.first, last_of(range));
    extent.total += range.count;
  }
  return extent;
}

/// Adds the ids of a column, less `low`.
void add_ids(const IntColumn& column, std::uint64_t low, detail::NumberSet& set) {
  for_blocks(Block(0, column.count, kIdsOfTask), [&](const Block& block) {
    with_items(column, [&](const auto& ids) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
        set.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(ids[at])) - low);
      }
    });
  });
}

Buffer<std::int64_t> sorted_unique(const std::vector<IntColumn>& columns, const std::vector<IdRange>& ranges,
                                   std::uint64_t total) {
  Buffer<std::int64_t> ids(total);
  std::uint64_t at = 0;
  for (const IntColumn& column : columns) {
    with_items(column, [&](const auto& items) {
      for (std::uint64_t i = 0; i != column.count; ++i) ids[at++] = static_cast<std::int64_t>(items[i]);
    });
  }
  for (const IdRange& range : ranges) {
    std::iota(ids.data() + at, ids.data() + at + range.count, range.first);
    at += range.count;
  }
  tbb::parallel_sort(ids.begin(), ids.end());
  const std::uint64_t distinct = static_cast<std::uint64_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
  Buffer<std::int64_t> kept(distinct);
  std::copy_n(ids.data(), distinct, kept.data());
  return kept;
}

Error too_many(std::uint64_t count) {
  return Error{ErrorKind::Resource, std::to_string(count) + " vertices; a run has at most 4294967294", "", 0, ""};
}

}  // namespace

Universe Universe::identity(std::uint64_t size) {
  Universe universe;
  universe.size_ = size;
  return universe;
}

Universe Universe::from_sorted(Buffer<std::int64_t> ids) {
  if (ids.empty()) return Universe();
  if (ids[0] == 0 && static_cast<std::uint64_t>(ids[ids.size() - 1]) == ids.size() - 1) return identity(ids.size());
  Universe universe;
  universe.size_ = ids.size();
  universe.ids_ = std::move(ids);
  universe.index();
  return universe;
}

Universe Universe::named(std::shared_ptr<const IdNames> names) {
  Universe universe = identity(names->size());
  universe.names_ = std::move(names);
  return universe;
}

Universe Universe::places(std::uint64_t size) {
  Universe universe = identity(size);
  universe.are_places_ = true;
  return universe;
}

Universe Universe::in_order(Buffer<std::int64_t> ids, std::shared_ptr<const IdNames> maybe_names) {
  Universe universe;
  universe.names_ = std::move(maybe_names);
  universe.size_ = ids.size();
  universe.ids_ = std::move(ids);
  return universe;
}

Result<Universe> Universe::from_ids(const std::vector<IdSpan>& spans, const std::vector<IdRange>& ranges,
                                    const IoOptions& options) {
  std::vector<IntColumn> columns;
  for (const IdSpan& span : spans) columns.push_back(IntColumn::of(span.ids, span.count));
  return detail::universe_of(columns, ranges, options);
}

Result<Universe> detail::universe_of(const std::vector<IntColumn>& columns, const std::vector<IdRange>& ranges,
                                     const IoOptions& options) {
  constexpr std::uint64_t kSmallWidth = std::uint64_t{1} << 16;
  constexpr std::uint64_t kBitsPerId = 64;
  for (const IdRange& range : ranges) {
    if (range.count > kMaxVertices) return too_many(range.count);
  }
  try {
    const Extent extent = extent_of(columns, ranges);
    if (extent.total == 0) return Universe();
    if (options.cancelled()) return detail::interrupted_error();
    const std::uint64_t last = static_cast<std::uint64_t>(extent.high) - static_cast<std::uint64_t>(extent.low);
    const bool sorts = last >= std::max(kSmallWidth, kBitsPerId * extent.total);
    MATCHA_TRY(detail::Budget(options).check(sorts ? sizeof(std::int64_t) * extent.total : last / 8, std::string()));
    if (sorts) {
      Buffer<std::int64_t> ids = sorted_unique(columns, ranges, extent.total);
      if (ids.size() > kMaxVertices) return too_many(ids.size());
      return Universe::from_sorted(std::move(ids));
    }
    const auto low = static_cast<std::uint64_t>(extent.low);
    NumberSet bits(last + 1);
    for (const IntColumn& column : columns) add_ids(column, low, bits);
    for (const IdRange& range : ranges) {
      const std::uint64_t first = static_cast<std::uint64_t>(range.first) - low;
      bits.add_range(first, first + range.count);
    }
    const std::vector<std::uint64_t> before = bits.counts_of_pieces();
    if (before.back() > kMaxVertices) return too_many(before.back());
    if (extent.low == 0 && before.back() == last + 1) return Universe::identity(before.back());
    return Universe::from_sorted(bits.numbers<std::int64_t>(before, low));
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

std::uint64_t Universe::bucket_of(std::int64_t id) const {
  return (static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(ids_[0])) >> shift_;
}

void Universe::index() {
  const std::uint64_t last = static_cast<std::uint64_t>(ids_[size_ - 1]) - static_cast<std::uint64_t>(ids_[0]);
  shift_ = 0;
  while ((last >> shift_) >= 2 * size_) ++shift_;
  const std::uint64_t buckets = (last >> shift_) + 1;
  buckets_ = Buffer<std::uint32_t>(buckets + 1);
  buckets_[0] = 0;
  for_blocks(Block(0, size_, kIdsOfTask), [&](const Block& block) {
    for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
      const std::uint64_t end = rank + 1 == size_ ? buckets : bucket_of(ids_[rank + 1]);
      for (std::uint64_t bucket = bucket_of(ids_[rank]); bucket != end; ++bucket) {
        buckets_[bucket + 1] = static_cast<std::uint32_t>(rank + 1);
      }
    }
  });
}

void Universe::append_id(std::string& out, std::uint64_t rank) const {
  if (names_ != nullptr) return names_->append(out, static_cast<std::uint64_t>(id(rank)));
  char digits[24];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), id(rank));
  out.append(digits, end.ptr);
}

std::string Universe::id_text(std::uint64_t rank) const {
  std::string out;
  append_id(out, rank);
  return out;
}

std::uint64_t Universe::lower_rank(std::int64_t id) const {
  if (ids_.empty()) return id < 0 ? 0 : std::min(static_cast<std::uint64_t>(id), size_);
  if (id <= ids_[0]) return 0;
  if (id > ids_[size_ - 1]) return size_;
  const std::uint64_t bucket = bucket_of(id);
  const std::int64_t* const begin = ids_.data() + buckets_[bucket];
  const std::int64_t* const end = ids_.data() + buckets_[bucket + 1];
  return static_cast<std::uint64_t>(std::lower_bound(begin, end, id) - ids_.data());
}

std::optional<std::uint32_t> Universe::rank(std::int64_t id) const {
  const std::uint64_t at = lower_rank(id);
  if (at == size_ || this->id(at) != id) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

void Universe::ranks(const std::int64_t* ids, std::uint64_t count, std::uint32_t* out) const {
  detail::ranks_of(*this, IntColumn::of(ids, count), out);
}

void detail::ranks_of(const Universe& universe, const IntColumn& ids, std::uint32_t* out) {
  for_blocks(Block(0, ids.count, kIdsOfTask), [&](const Block& block) {
    with_items(ids, [&](const auto& items) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
        const std::int64_t id = static_cast<std::int64_t>(items[at]);
        const std::uint64_t rank = universe.is_identity() ? static_cast<std::uint64_t>(id) : universe.lower_rank(id);
        out[at] = static_cast<std::uint32_t>(rank);
      }
    });
  });
}

}  // namespace matcha::runtime
