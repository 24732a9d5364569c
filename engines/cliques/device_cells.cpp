#include "engines/cliques/device_cells.h"

namespace matcha::runtime::cliques {

DeviceCells::DeviceCells(std::uint32_t widest, std::uint32_t size) : widest_(widest), size_(size) {
  rows_.reserve((widest / 2 + 1) * (std::uint64_t{widest} + 1));
  for (std::uint64_t pairs = 0; pairs <= widest / 2; ++pairs) {
    for (std::uint64_t free = 0; free <= widest; ++free) {
      rows_.push_back(static_cast<std::uint32_t>(end_));
      end_ += length(pairs, free);
    }
  }
}

/// Of a row: a root and all its candidates are one more than `widest_`; of one size, no more are held than it has.
std::uint64_t DeviceCells::length(std::uint64_t pairs, std::uint64_t free) const {
  const std::uint64_t others = 2 * pairs + free, all = std::uint64_t{widest_} + 1;
  if (others > all) return 0;
  return 1 + (size_ == 0 ? all - others : std::min<std::uint64_t>(all - others, size_));
}

std::vector<WideInt> DeviceCells::counts(const std::uint64_t* cells,
                                         const std::vector<std::uint64_t>& roots_by_count) const {
  Leaves leaves(widest_, size_);
  for (std::uint64_t count = 0; count < std::min<std::uint64_t>(roots_by_count.size(), 2); ++count) {
    leaves.add(1, count, 0, roots_by_count[count]);
  }
  const std::uint32_t* row = rows_.data();
  for (std::uint64_t pairs = 0; pairs <= widest_ / 2; ++pairs) {
    for (std::uint64_t free = 0; free <= widest_; ++free, ++row) {
      const std::uint64_t end = length(pairs, free);
      for (std::uint64_t held = 0; held < end; ++held) {
        if (cells[*row + held] != 0) leaves.add(held, free, pairs, cells[*row + held]);
      }
    }
  }
  return leaves.counts();
}

template <typename Number>
std::vector<Number> coefficients_of_leaves(std::uint32_t widest, std::uint32_t size) {
  const std::uint64_t length = coefficients_of_row(widest, size), most_pairs = widest / 2;
  std::vector<Number> items((most_pairs + 1) * (widest + 1 - most_pairs) * length);
  Number* row = items.data();
  const Number* before = nullptr;  // The row of one pair less and no free vertex.
  for (std::uint64_t pairs = 0; pairs <= most_pairs; ++pairs) {
    const Number* const first = row;
    for (std::uint64_t free = 0; free <= widest - 2 * pairs; ++free, row += length) {
      const Number* const from = free != 0 ? row - length : before;
      const Number times = free != 0 ? 1 : 2;
      row[0] = 1;
      for (std::uint64_t k = 1; from != nullptr && k < length; ++k) row[k] = from[k] + times * from[k - 1];
    }
    before = first;
  }
  return items;
}
template std::vector<std::uint64_t> coefficients_of_leaves(std::uint32_t widest, std::uint32_t size);
template std::vector<unsigned __int128> coefficients_of_leaves(std::uint32_t widest, std::uint32_t size);

std::vector<std::uint32_t> widest_first(const Roots& roots) {
  std::vector<std::uint64_t> next(roots.widest + 2);
  for (std::uint64_t v = 0; v < roots.size; ++v) ++next[roots.widest - roots.count(v) + 1];
  for (std::uint64_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> order(roots.size);
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    order[next[roots.widest - roots.count(v)]++] = static_cast<std::uint32_t>(v);
  }
  while (!order.empty() && roots.count(order.back()) == 0) order.pop_back();
  return order;
}

}  // namespace matcha::runtime::cliques
