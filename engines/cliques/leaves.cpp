#include "engines/cliques/leaves.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "engines/cliques/few_cliques.h"

namespace matcha::runtime::cliques {

namespace {

constexpr std::size_t kBytesOfLine = kLeafLine * sizeof(std::uint64_t);

std::uint64_t held_end(std::uint32_t widest, std::uint32_t size) {
  return (size == 0 ? widest + 1 : std::min(widest + 1, size)) + kLeafLine + 1;
}

}  // namespace

Leaves::Leaves(std::uint32_t widest, std::uint32_t size)
    : size_(size),
      held_end_(held_end(widest, size)),
      free_end_(std::min(widest, kMostBits) + 2),
      pairs_end_(free_end_ / 2 + 1),
      // Zeros that are not touched take no memory.
      rows_(static_cast<std::uint64_t**>(std::calloc(pairs_end_ * free_end_, sizeof(std::uint64_t*)))) {
  if (rows_ == nullptr) throw std::bad_alloc();
}

std::uint64_t* Leaves::make(std::uint64_t item) {
  // A line of numbers is one of memory.
  void* const row = std::aligned_alloc(kBytesOfLine, held_end_ * kBytesOfLine);
  if (row == nullptr) throw std::bad_alloc();
  std::memset(row, 0, held_end_ * kBytesOfLine);
  owned_.emplace_back(static_cast<std::uint64_t*>(row));
  return rows_.get()[item] = owned_.back().get();
}

void Leaves::take(Tree& tree) {
  tree.leaf_rows = rows_.get();
  tree.free_end = free_end_;
  tree.size = size_;
  tree.owner = this;
  tree.few = cliques_of_few();
  tree.make_leaf_row = [](Tree& one, std::uint64_t item) { static_cast<Leaves*>(one.owner)->make(item); };
}

void Leaves::add(const Leaves& other) {
  for (std::uint64_t item = 0; item < pairs_end_ * free_end_; ++item) {
    const std::uint64_t* const from = other.rows_.get()[item];
    if (from == nullptr) continue;
    std::uint64_t* to = rows_.get()[item];
    if (to == nullptr) to = make(item);
    for (std::uint64_t i = 0; i < held_end_ * kLeafLine; ++i) to[i] += from[i];
  }
}

void Leaves::add(std::uint64_t held, std::uint64_t free, std::uint64_t pairs, std::uint64_t count) {
  const std::uint64_t item = pairs * free_end_ + free;
  std::uint64_t* const row = rows_.get()[item];
  (row != nullptr ? row : make(item))[held * kLeafLine] += count;
}

std::vector<WideInt> Leaves::counts() const {
  // Horner's rule: times 1 + 2x from plane to plane, times 1 + x from row to row. No coefficient past the last size is
  // made.
  const std::uint64_t end = size_ == 0 ? held_end_ : size_ + 1;
  std::vector<WideInt> sum(end), plane(end);
  std::uint64_t length = 0;
  for (std::uint64_t pairs = pairs_end_; pairs-- > 0;) {
    for (std::uint64_t k = std::min(length + 1, end); k-- > 1;) {
      sum[k] += sum[k - 1];
      sum[k] += sum[k - 1];
    }
    length = std::min(length + (length != 0), end);
    std::ranges::fill(plane, WideInt());
    std::uint64_t plane_length = 0;
    for (std::uint64_t free = free_end_; free-- > 0;) {
      for (std::uint64_t k = std::min(plane_length + 1, end); k-- > 1;) plane[k] += plane[k - 1];
      plane_length = std::min(plane_length + (plane_length != 0), end);
      const std::uint64_t* const row = rows_.get()[pairs * free_end_ + free];
      if (row == nullptr) continue;
      for (std::uint64_t i = 0; i < held_end_ * kLeafLine; ++i) {
        const std::uint64_t k = i / kLeafLine + i % kLeafLine;
        if (row[i] == 0 || k >= end) continue;
        plane[k] += WideInt(row[i]);
        plane_length = std::max(plane_length, k + 1);
      }
    }
    for (std::uint64_t k = 0; k < plane_length; ++k) sum[k] += plane[k];
    length = std::max(length, plane_length);
  }
  return sum;
}

std::uint32_t bits_of_counts(const std::vector<std::uint64_t>& roots, std::uint32_t size) {
  // A bound on the rounding errors of the doubles below.
  constexpr double kSlack = 1e-6;
  const auto log2_of_binomial = [](double n, double k) {
    return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
  };
  double sum = 0, most = 0;
  for (const bool adds : {false, true}) {
    for (std::uint64_t d = 0; d < roots.size(); ++d) {
      const std::uint64_t chosen = size == 0 ? d / 2 : size - 1;
      if (roots[d] == 0 || chosen > d) continue;
      const double bits = log2_of_binomial(static_cast<double>(d), static_cast<double>(chosen)) +
                          std::log2(static_cast<double>(roots[d]));
      if (adds) sum += std::exp2(bits - most);
      most = std::max(most, bits);
    }
  }
  return sum == 0 ? 1 : static_cast<std::uint32_t>(std::floor(most + std::log2(sum) + kSlack)) + 1;
}

}  // namespace matcha::runtime::cliques
