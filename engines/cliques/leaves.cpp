#include "engines/cliques/leaves.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "engines/cliques/few_cliques.h"

namespace matcha::runtime::cliques {

namespace {

/// A leaf may be told as so many coefficients.
constexpr std::uint64_t kCoefficients = kMostFew;

std::uint64_t most_held(std::uint32_t widest, std::uint32_t size) {
  return (size == 0 ? widest + 1 : std::min(widest + 1, size)) + kCoefficients;
}

}  // namespace

Leaves::Leaves(std::uint32_t widest, std::uint32_t size)
    : size_(size),
      stride_(most_held(widest, size)),
      rows_(widest + 2),
      owned_(widest / 2 + 2),
      planes_(widest / 2 + 2) {}

void Leaves::make(std::uint64_t pairs) {
  // Zeros that are not touched take no memory.
  owned_[pairs].reset(static_cast<std::uint64_t*>(std::calloc(stride_ * rows_, sizeof(std::uint64_t))));
  planes_[pairs] = owned_[pairs].get();
  if (planes_[pairs] == nullptr) throw std::bad_alloc();
}

void Leaves::take(Tree& tree) {
  tree.planes = planes_.data();
  tree.stride = stride_;
  tree.size = size_;
  tree.owner = this;
  tree.few = cliques_of_few();
  tree.make_plane = [](Tree& one, std::uint64_t pairs) { static_cast<Leaves*>(one.owner)->make(pairs); };
}

void Leaves::add(const Leaves& other) {
  for (std::uint64_t pairs = 0; pairs < planes_.size(); ++pairs) {
    if (other.planes_[pairs] == nullptr) continue;
    if (planes_[pairs] == nullptr) make(pairs);
    for (std::uint64_t i = 0; i < stride_ * rows_; ++i) {
      if (other.planes_[pairs][i] != 0) planes_[pairs][i] += other.planes_[pairs][i];
    }
  }
}

void Leaves::add(std::uint32_t held, std::uint32_t free, std::uint32_t pairs) {
  if (planes_[pairs] == nullptr) make(pairs);
  planes_[pairs][free * stride_ + held] += 1;
}

std::vector<WideInt> Leaves::counts() const {
  // Horner's rule: times 1 + 2x from plane to plane, times 1 + x from row to row. No coefficient past the last size is
  // made.
  const std::uint64_t end = size_ == 0 ? stride_ : size_ + 1;
  std::vector<WideInt> sum(end), plane(end);
  std::uint64_t length = 0;
  for (std::uint64_t pairs = planes_.size(); pairs-- > 0;) {
    for (std::uint64_t k = std::min(length + 1, end); k-- > 1;) {
      sum[k] += sum[k - 1];
      sum[k] += sum[k - 1];
    }
    length = std::min(length + (length != 0), end);
    if (planes_[pairs] == nullptr) continue;
    std::ranges::fill(plane, WideInt());
    std::uint64_t plane_length = 0;
    for (std::uint64_t free = rows_; free-- > 0;) {
      for (std::uint64_t k = std::min(plane_length + 1, end); k-- > 1;) plane[k] += plane[k - 1];
      plane_length = std::min(plane_length + (plane_length != 0), end);
      const std::uint64_t* const row = planes_[pairs] + free * stride_;
      for (std::uint64_t k = 0; k < std::min(stride_, end); ++k) {
        if (row[k] == 0) continue;
        plane[k] += WideInt(row[k]);
        plane_length = std::max(plane_length, k + 1);
      }
    }
    for (std::uint64_t k = 0; k < plane_length; ++k) sum[k] += plane[k];
    length = std::max(length, plane_length);
  }
  return sum;
}

std::uint32_t bits_of_counts(const std::vector<std::uint64_t>& roots, std::uint32_t size) {
  // What doubles leave out is much less than this.
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
