#include "runtime/cpu/keyed_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "runtime/common/exact_sum.h"

namespace matcha::runtime {

namespace {

/// Largest number of counters of the walk that needs no sort: 512 MiB a thread.
constexpr std::uint64_t kMostCounters = std::uint64_t{1} << 26;
/// From here on a radix sort is faster than comparisons.
constexpr std::size_t kRadixFrom = 1024;

/// Row `row`, with the part of its order that fits a word.
struct Entry {
  std::uint64_t order;
  std::uint64_t row;
};

template <typename T>
T item_of(const void* items, std::uint64_t row) {
  return static_cast<const T*>(items)[row];
}

/// The item as an unsigned number with the same order.
std::uint64_t order_of(ElementKind kind, const void* items, std::uint64_t row) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  switch (kind) {
    case ElementKind::Vid: return item_of<std::uint32_t>(items, row);
    case ElementKind::Bool: return item_of<std::uint8_t>(items, row);
    case ElementKind::Int: return static_cast<std::uint64_t>(item_of<std::int64_t>(items, row)) ^ kSign;
    case ElementKind::Float: break;
  }
  const double real = item_of<double>(items, row);
  if (std::isnan(real)) return ~std::uint64_t{0};
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(real);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

unsigned order_bits(ElementKind kind) { return kind == ElementKind::Vid ? 32 : kind == ElementKind::Bool ? 1 : 64; }

/// -1, 0 or 1 for two rows, compared by `columns` from the left.
int compare_rows(std::span<const RowColumn> columns, std::uint64_t a, std::uint64_t b) {
  for (const RowColumn& column : columns) {
    const std::uint64_t x = order_of(column.kind, column.from, a);
    const std::uint64_t y = order_of(column.kind, column.from, b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/// Sorts by `order` alone and keeps the order of equal ones; bytes that all entries share are skipped.
void radix_sort(std::vector<Entry>& entries) {
  std::vector<Entry> other(entries.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    std::uint64_t counts[257] = {};
    for (const Entry& entry : entries) ++counts[((entry.order >> shift) & 255) + 1];
    if (std::ranges::find(counts, entries.size()) != std::end(counts)) continue;
    for (std::size_t digit = 1; digit < 257; ++digit) counts[digit] += counts[digit - 1];
    for (const Entry& entry : entries) other[counts[(entry.order >> shift) & 255]++] = entry;
    entries.swap(other);
  }
}

class Folder {
 public:
  Folder(std::span<const RowColumn> columns, std::size_t keys, RowFold fold, std::uint64_t count)
      : columns_(columns), keys_(keys), fold_(fold), count_(count) {}

  std::int64_t run() {
    if (fold_ == RowFold::Sum && counts_by_rank()) return static_cast<std::int64_t>(written_);
    sort();
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      end = begin + 1;
      while (end < entries_.size() && same_key(entries_[begin], entries_[end])) ++end;
      if (!fold(begin, end)) return kRowsOverflow;
    }
    return static_cast<std::int64_t>(written_);
  }

 private:
  /// The columns that rows are sorted by. Sums need their keys alone.
  std::span<const RowColumn> compared() const { return fold_ == RowFold::Sum ? columns_.first(keys_) : columns_; }

  void sort() {
    const std::span<const RowColumn> by = compared();
    std::size_t packed = 0;
    unsigned bits = 0;
    while (packed < by.size() && bits + order_bits(by[packed].kind) <= 64) bits += order_bits(by[packed++].kind);
    entries_.resize(count_);
    for (std::uint64_t row = 0; row < count_; ++row) {
      std::uint64_t order = 0;
      for (const RowColumn& column : by.first(packed)) {
        const unsigned width = order_bits(column.kind);
        order = (width == 64 ? 0 : order << width) | order_of(column.kind, column.from, row);
      }
      entries_[row] = {order, row};
    }
    const std::span<const RowColumn> rest = by.subspan(packed);
    if (rest.empty() && count_ >= kRadixFrom) return radix_sort(entries_);
    std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) {
      if (a.order != b.order) return a.order < b.order;
      const int order = compare_rows(rest, a.row, b.row);
      return order != 0 ? order < 0 : a.row < b.row;
    });
  }

  bool same_key(const Entry& a, const Entry& b) const {
    if (fold_ == RowFold::Keep) return false;
    return compare_rows(columns_.first(keys_), a.row, b.row) == 0;
  }

  void copy(const RowColumn& column, std::uint64_t row) const {
    const std::uint64_t bytes = element_bytes(column.kind);
    std::memcpy(static_cast<char*>(column.to) + written_ * bytes, static_cast<const char*>(column.from) + row * bytes,
                bytes);
  }

  /// Writes the row of the entries [begin, end), whose keys are equal; false if a sum does not fit.
  bool fold(std::size_t begin, std::size_t end) {
    const std::uint64_t row = entries_[fold_ == RowFold::Max ? end - 1 : begin].row;
    bool zero = fold_ == RowFold::Sum;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const RowColumn& column = columns_[c];
      if (fold_ != RowFold::Sum || c < keys_) {
        copy(column, row);
      } else if (column.kind == ElementKind::Float) {
        const double total = real_sum(column, begin, end);
        zero = zero && total == 0;
        static_cast<double*>(column.to)[written_] = total;
      } else {
        __int128 total = 0;
        for (std::size_t i = begin; i < end; ++i) total += item_of<std::int64_t>(column.from, entries_[i].row);
        if (total < INT64_MIN || total > INT64_MAX) return false;
        zero = zero && total == 0;
        static_cast<std::int64_t*>(column.to)[written_] = static_cast<std::int64_t>(total);
      }
    }
    written_ += zero ? 0 : 1;
    return true;
  }

  double real_sum(const RowColumn& column, std::size_t begin, std::size_t end) const {
    ExactSum sum;
    exact_sum_clear(sum);
    for (std::size_t i = begin; i < end; ++i) exact_sum_add(sum, item_of<double>(column.from, entries_[i].row));
    return exact_sum_round(sum);
  }

  /// Sums of one column of ints by one rank, in an array of counters that are zero before and after; false if this is
  /// something else, or a partial sum leaves 64 bits, which the sum of all may not.
  bool counts_by_rank() {
    const bool fits = columns_.size() == 2 && keys_ == 1 && columns_[0].kind == ElementKind::Vid &&
                      columns_[1].kind == ElementKind::Int;
    if (!fits || count_ < 8) return false;
    const std::uint32_t* ranks = static_cast<const std::uint32_t*>(columns_[0].from);
    const std::int64_t* values = static_cast<const std::int64_t*>(columns_[1].from);
    const std::uint64_t size = std::uint64_t{*std::max_element(ranks, ranks + count_)} + 1;
    if (size > kMostCounters || size / 64 > count_ * 64) return false;
    static thread_local std::vector<std::int64_t> counters;
    static thread_local std::vector<std::uint32_t> met;
    if (counters.size() < size) counters.resize(size);
    met.clear();
    met.reserve(count_);
    bool exact = true;
    for (std::uint64_t row = 0; row < count_; ++row) {
      std::int64_t& counter = counters[ranks[row]];
      if (counter == 0) met.push_back(ranks[row]);
      exact = !__builtin_add_overflow(counter, values[row], &counter) && exact;
    }
    const auto write = [&](std::uint32_t rank) {
      if (counters[rank] == 0) return;
      static_cast<std::uint32_t*>(columns_[0].to)[written_] = rank;
      static_cast<std::int64_t*>(columns_[1].to)[written_++] = std::exchange(counters[rank], 0);
    };
    if (met.size() > size / 16) {
      for (std::uint64_t rank = 0; rank < size; ++rank) write(static_cast<std::uint32_t>(rank));
    } else {
      std::ranges::sort(met);
      for (std::uint32_t rank : met) write(rank);
    }
    if (!exact) written_ = 0;
    return exact;
  }

  std::span<const RowColumn> columns_;
  std::size_t keys_;
  RowFold fold_;
  std::uint64_t count_;
  std::vector<Entry> entries_;
  std::uint64_t written_ = 0;
};

}  // namespace

extern "C" {

std::int64_t rt_fold_rows(const RowColumn* columns, std::uint32_t width, std::uint32_t keys, std::uint32_t fold,
                          std::uint64_t count) {
  try {
    return Folder({columns, width}, keys, static_cast<RowFold>(fold), count).run();
  } catch (const std::bad_alloc&) {
    return kRowsMemory;
  }
}

std::int64_t rt_find_rank(const std::uint32_t* ranks, std::uint64_t count, std::uint32_t rank) {
  if (rank < count && ranks[rank] == rank) return rank;
  // Ranks do not repeat, so the place of one is not behind the rank itself.
  const std::uint32_t* end = ranks + std::min<std::uint64_t>(count, rank);
  const std::uint32_t* found = std::lower_bound(ranks, end, rank);
  return found != end && *found == rank ? found - ranks : -1;
}

std::int64_t rt_find_row(const KeyPart* parts, std::uint32_t keys, std::uint64_t count) {
  std::uint64_t begin = 0;
  std::uint64_t end = count;
  for (std::uint32_t i = 0; i < keys; ++i) {
    const KeyPart& part = parts[i];
    const std::uint64_t word = part.kind == ElementKind::Int ? part.word ^ (std::uint64_t{1} << 63) : part.word;
    const auto bound = [&](bool past_equal) {
      std::uint64_t low = begin;
      for (std::uint64_t high = end; low < high;) {
        const std::uint64_t middle = low + (high - low) / 2;
        const std::uint64_t item = order_of(part.kind, part.items, middle);
        (item < word || (past_equal && item == word)) ? low = middle + 1 : high = middle;
      }
      return low;
    };
    const std::uint64_t first = bound(false);
    if (first == end || order_of(part.kind, part.items, first) != word) return -1;
    // The keys before the last may repeat.
    end = i + 1 < keys ? bound(true) : first + 1;
    begin = first;
  }
  return static_cast<std::int64_t>(begin);
}

}  // extern "C"

}  // namespace matcha::runtime
