#include "engines/search/chain_ways.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace matcha::runtime::match {

namespace {

using Number = unsigned __int128;

constexpr Number kTooLarge = ~Number{0};
constexpr Number kMost = Number{1} << 127;
constexpr std::size_t kMostStates = std::size_t{1} << 16;
/// The most chains with overlapping lists; a mask has a bit for each.
constexpr std::size_t kMostTogether = 32;

Number times(Number a, Number b) {
  Number product = 0;
  if (a == 0 || b == 0) return 0;
  return __builtin_mul_overflow(a, b, &product) || product > kMost ? kTooLarge : product;
}

Number plus(Number a, Number b) { return a == kTooLarge || b == kTooLarge || a + b > kMost ? kTooLarge : a + b; }

/// A class of images in the same lists.
struct Kind {
  std::uint32_t lists = 0;
  std::uint64_t count = 0;
};

/// Chains whose lists overlap, directly or through others.
class Together {
 public:
  Together(std::vector<std::uint32_t> sizes, std::vector<Kind> kinds)
      : sizes_(std::move(sizes)), kinds_(std::move(kinds)) {}

  std::optional<Number> count(const std::function<bool()>& go_on) {
    if (sizes_.size() == 1) return binomial(kinds_.empty() ? 0 : kinds_.front().count, sizes_.front());
    std::size_t states = 1;
    for (const std::uint32_t size : sizes_) {
      strides_.push_back(states);
      states *= size + 1;
      if (states > kMostStates) return std::nullopt;
    }
    std::vector<Number> ways(states, 0);
    ways[0] = 1;
    for (const Kind& kind : kinds_) {
      next_.assign(states, 0);
      for (std::size_t state = 0; state < states; ++state) {
        if (ways[state] == 0) continue;
        if (!go_on()) return std::nullopt;
        take(kind, 0, kind.count, state, ways[state]);
      }
      std::swap(ways, next_);
    }
    return ways.back();
  }

 private:
  /// Tries each number of images of the class for the chains from `chain` on.
  void take(const Kind& kind, std::size_t chain, std::uint64_t left, std::size_t state, Number ways) {
    while (chain < sizes_.size() && (kind.lists >> chain & 1) == 0) ++chain;
    if (chain == sizes_.size()) {
      next_[state] = plus(next_[state], ways);
      return;
    }
    const std::size_t size = sizes_[chain], has = state / strides_[chain] % (size + 1);
    for (std::uint64_t more = 0; has + more <= size && more <= left; ++more) {
      take(kind, chain + 1, left - more, state + more * strides_[chain], times(ways, binomial(left, more)));
    }
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> strides_;
  std::vector<Number> next_;
};

}  // namespace

Number binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  Number number = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    // The rest of i divides the other factor, since i divides the product.
    const auto common = static_cast<std::uint64_t>(std::gcd(static_cast<std::uint64_t>(number % i), i));
    number = times(number / common, (n - k + i) / (i / common));
    if (number == kTooLarge) return number;
  }
  return number;
}

std::optional<Number> ways_of_chains(std::span<const ListedChain> chains,
                                     const std::function<bool(std::uint32_t image)>& is_free,
                                     const std::function<bool()>& go_on) {
  std::vector<std::pair<std::uint32_t, std::size_t>> uses;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    for (const std::uint32_t image : chains[i].images) {
      if (is_free(image)) uses.emplace_back(image, i);
    }
  }
  std::ranges::sort(uses);
  // Item i: an earlier chain in the same component, or i.
  std::vector<std::size_t> first(chains.size());
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&first](std::size_t i) {
    while (first[i] != i) i = first[i];
    return i;
  };
  for (std::size_t i = 1; i < uses.size(); ++i) {
    if (uses[i].first != uses[i - 1].first) continue;
    const std::size_t one = find(uses[i - 1].second), other = find(uses[i].second);
    first[std::max(one, other)] = std::min(one, other);
  }
  Number all = 1;
  for (std::size_t leader = 0; leader < chains.size(); ++leader) {
    if (find(leader) != leader) continue;
    std::vector<std::uint32_t> sizes;
    std::vector<std::size_t> place(chains.size(), 0);
    for (std::size_t i = leader; i < chains.size(); ++i) {
      if (find(i) != leader) continue;
      place[i] = sizes.size();
      sizes.push_back(chains[i].size);
    }
    if (sizes.size() > kMostTogether) return std::nullopt;
    std::map<std::uint32_t, std::uint64_t> counts;
    for (std::size_t i = 0; i < uses.size();) {
      const std::size_t begin = i;
      std::uint32_t lists = 0;
      for (; i < uses.size() && uses[i].first == uses[begin].first; ++i) lists |= 1U << place[uses[i].second];
      if (find(uses[begin].second) == leader) ++counts[lists];
    }
    std::vector<Kind> kinds;
    for (const auto& [lists, count] : counts) kinds.push_back({lists, count});
    const std::optional<Number> ways = Together(std::move(sizes), std::move(kinds)).count(go_on);
    if (!ways) return std::nullopt;
    all = times(all, *ways);
  }
  return all;
}

}  // namespace matcha::runtime::match
