#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engines/search/candidates.h"
#include "engines/search/chain_ways.h"
#include "engines/search/search.h"
#include "runtime/common/leaf_ways.h"

/// The number of ways to place vertices that are independent of each other.
namespace matcha::runtime::match {

namespace {

Count product_of(Count a, Count b) {
  Count product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooMany : product;
}

Count sum_of(Count a, Count b) {
  Count sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kTooMany : sum;
}

}  // namespace

// Not in a header, since C programs have a type with the name of its namespace.
struct Search::LeafMemory {
  matcha_program::LeafRoom room;
};

/// The remaining vertices have lists and no edges between them: only distinct images are required, and ascending ones
/// in a chain.
Mask Search::finish(Mask rest) {
  Count all = 1;
  while (rest != 0) {
    const Mask group = rest & same_label_[at(lowest(rest))];
    rest &= ~group;
    Mask chained = 0;
    for_each(order_.any() ? group : 0, [&](int w) {
      if ((order_.chain(w) & group) != bit(w)) chained |= bit(w);
    });
    const std::optional<Count> here = chained == 0 ? ways(group) : ways_of_chains(group);
    if (over_) return kBlameAll;
    if (!here) {
      int u = -1;
      for_each(chained, [&](int w) {
        if (!waits(w) && (u < 0 || lists_[at(w)].size < lists_[at(u)].size)) u = w;
      });
      return try_images(u, for_first(u, lists_[at(u)]));
    }
    if (*here == 0) {
      Mask to_blame = 0;
      for_each(group, [&](int w) { to_blame |= blamed(w) | (same_label_[at(w)] & assigned_); });
      return to_blame;
    }
    all = product_of(all, *here);
  }
  add(all);
  return kBlameAll;
}

/// The number of ways in which vertices of one label get distinct, unused images.
Count Search::ways(Mask group) {
  if (std::popcount(group) > 2) {
    const std::optional<Count> combined = ways_at_once(group);
    if (combined) return *combined;
  }
  std::array<int, kMostVertices> vertices{};
  std::size_t n = 0;
  for_each(group, [&](int w) { vertices[n++] = w; });
  std::sort(vertices.begin(), vertices.begin() + n,
            [&](int a, int b) { return lists_[at(a)].size < lists_[at(b)].size; });
  return ways_of(std::span(vertices).first(n));
}

/// The same if some of the group are a chain, of which each set of images counts once; empty if that takes too long at
/// once.
std::optional<Count> Search::ways_of_chains(Mask group) {
  std::vector<ListedChain> chains;
  for (Mask left = group; left != 0;) {
    const int u = lowest(left);
    const Mask chain = order_.chain(u) & left;
    left &= ~chain;
    chains.push_back({{lists_[at(u)].items, lists_[at(u)].size}, static_cast<std::uint32_t>(std::popcount(chain))});
  }
  if (chains.size() == 1) return binomial(free_of(lists_[at(lowest(group))]), chains.front().size);
  return match::ways_of_chains(
      chains, [this](std::uint32_t image) { return is_free(image); }, [this] { return step(); });
}

/// The same by a formula; empty if there are too many lists, or numbers are too large.
std::optional<Count> Search::ways_at_once(Mask group) {
  using Group = matcha_program::Group<1>;
  bool is_known = false;
  matcha_program::MatchWays ways{0, 0};
  if (std::popcount(group) <= 4) {
    std::array<matcha_program::u64, 16> common{};
    count_common(group, common);
    ways = std::popcount(group) == 3 ? matcha_program::ways_of_few<3>(common.data(), is_known)
                                     : matcha_program::ways_of_few<4>(common.data(), is_known);
  } else {
    if (leaves_ == nullptr) leaves_ = std::make_unique_for_overwrite<LeafMemory>();
    matcha_program::LeafWays<Group> leaves(Group::here(), leaves_->room);
    for (Mask rest = group; rest != 0; rest &= rest - 1) {
      const List& list = lists_[at(lowest(rest))];
      if (!leaves.add({list.items, list.size})) return std::nullopt;
    }
    ways = leaves.ways(images_.data(), same_label_[at(lowest(group))] & assigned_, is_known);
  }
  if (!is_known || ways.bound > matcha_program::kMostExactWays) return std::nullopt;
  return ways.number;
}

/// By set of the vertices: the number of images in exactly their lists.
void Search::count_common(Mask group, std::span<unsigned long long> common) {
  unsigned own = 1;
  for (Mask rest = group; rest != 0; rest &= rest - 1, own *= 2) {
    const List& list = lists_[at(lowest(rest))];
    for (std::uint32_t i = 0; i < list.size; ++i) marks_[list.items[i]] |= own;
  }
  for_each(group, [&](int w) {
    const List& list = lists_[at(w)];
    for (std::uint32_t i = 0; i < list.size; ++i) {
      const unsigned mask = std::exchange(marks_[list.items[i]], std::uint8_t{0});
      common[mask] += is_free(list.items[i]) ? 1 : 0;
    }
  });
  for (unsigned vertex = 1; vertex < own; vertex *= 2) {
    for (unsigned set = 1; set < own; ++set) {
      if ((set & vertex) == 0) common[set] += common[set | vertex];
    }
  }
}

std::uint32_t Search::free_of(const List& list) const {
  std::uint32_t free = 0;
  for (std::uint32_t i = 0; i < list.size; ++i) free += is_free(list.items[i]) ? 1 : 0;
  return free;
}

Count Search::ways_of(std::span<const int> vertices) {
  const List& list = lists_[at(vertices[0])];
  const std::uint32_t free = free_of(list);
  if (vertices.size() == 1 || free == 0) return free;
  const auto is_same = [&](int w) {
    const List& other = lists_[at(w)];
    return other.size == list.size &&
           (other.items == list.items || std::equal(list.items, list.items + list.size, other.items));
  };
  if (std::ranges::all_of(vertices, is_same)) {
    Count all = 1;
    for (std::size_t i = 0; i < vertices.size(); ++i) all = product_of(all, free > i ? free - i : 0);
    return all;
  }
  if (vertices.size() == 2) {
    const List& other = lists_[at(vertices[1])];
    std::uint32_t both = 0;
    for (std::uint32_t i = 0, j = 0; i < list.size && j < other.size;) {
      const std::uint32_t a = list.items[i], b = other.items[j];
      both += a == b && is_free(a) ? 1 : 0;
      i += a <= b ? 1 : 0;
      j += b <= a ? 1 : 0;
    }
    return Count{free} * free_of(other) - both;
  }
  Count all = 0;
  for (std::uint32_t i = 0; i < list.size && step(); ++i) {
    if (!is_free(list.items[i])) continue;
    owner_[list.items[i]] = static_cast<std::uint8_t>(vertices[0] + 1);
    all = sum_of(all, ways_of(vertices.subspan(1)));
    owner_[list.items[i]] = 0;
  }
  return all;
}

}  // namespace matcha::runtime::match
