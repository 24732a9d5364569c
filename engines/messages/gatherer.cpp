#include "engines/messages/gatherer.h"

#include <algorithm>

namespace matcha::runtime::messages {

namespace {

/// Up to this many items are scanned without considering the other direction, or sorted.
constexpr std::uint64_t kFew = 128;
/// Up to this many images are merged with each row.
constexpr std::size_t kMerged = 32;
/// Numbers for this many ranks fit the caches of a core, so no other method pays.
constexpr std::uint64_t kSmallUniverse = std::uint64_t{1} << 15;

template <typename Number>
std::uint64_t price_of_asking(Ranks row, const ImagesOf<Number>& theirs) {
  return std::min<std::uint64_t>(row.size(), kSearch * theirs.ranks.size());
}

/// Multiplies the maps of each image by those of a child; `factor` returns them by place.
template <typename Number, typename Factor>
void keep(const Node& child, ImagesOf<Number>& mine, const Factor& factor) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mine.ranks.size(); ++i) {
    const Number maps = product(mine.maps[i], of_all(child, factor(i)));
    if (maps == 0) continue;
    mine.ranks[kept] = mine.ranks[i];
    mine.maps[kept++] = maps;
  }
  mine.ranks.resize(kept);
  mine.maps.resize(kept);
}

}  // namespace

template <typename Number>
Number* GathererOf<Number>::by_rank(Images& images) {
  if (!images.by_rank) images.by_rank = Zeros<Number>(forest_->universe());
  return images.by_rank.get();
}

/// The images of a vertex with ties, by the ties only.
template <typename Number>
void GathererOf<Number>::begin(const Node& node, const CutImages& cuts, Images& mine) {
  const auto row_of = [&](const Tie& tie) { return tie.side.row(cuts[tie.cut]); };
  std::size_t walked = 0;
  if (node.ties.size() == 2 && row_of(node.ties[1]).size() < row_of(node.ties[0]).size()) walked = 1;
  const Tie* const maybe_other = node.ties.size() == 2 ? &node.ties[1 - walked] : nullptr;
  walk(node.ties[walked].side, cuts[node.ties[walked].cut], [&](std::uint32_t image) {
    if (!forest_->may_be(node, image)) return;
    const std::uint64_t ways_to_it =
        maybe_other == nullptr ? 1 : ways(maybe_other->side, 0, cuts[maybe_other->cut], image);
    if (ways_to_it == 0) return;
    const Number maps = times(weight(node, image), ways_to_it);
    if (maps == 0) return;
    if (mine.ranks.empty() || mine.ranks.back() != image) return mine.add(image, maps);
    mine.maps.back() = added(mine.maps.back(), maps);
  });
}

template <typename Number>
Number GathererOf<Number>::weight(const Node& node, std::uint32_t image) {
  if (!forest_->fits(node, image)) return 0;
  if (node.pendants.empty() && node.blocks.empty()) return 1;
  if (!node.weights) return maps_below(node, image, {image, 0});
  using Kept = KeptWeight<Number>;
  std::uint64_t* const words = node.weights.get() + Kept::kWords * image;
  if (const std::optional<Number> known = Kept::load(words)) return *known;
  const Number all = maps_below(node, image, {image, 0});
  Kept::store(words, all);
  return all;
}

template <typename Number>
Number GathererOf<Number>::sum(const Node& child, std::uint32_t parent_image) {
  if (child.is_counted) return child.down.row(parent_image).size();
  if (forest_->is_for_some()) {
    const auto leads_nowhere = [&](std::uint32_t image) { return weight(child, image) == 0; };
    return walk_while(child.down, parent_image, leads_nowhere) ? 0 : 1;
  }
  Number all = 0;
  walk(child.down, parent_image, [&](std::uint32_t image) { all = added(all, weight(child, image)); });
  return all;
}

template <typename Number>
Number GathererOf<Number>::maps_below(const Node& node, std::uint32_t image, const CutImages& cuts) {
  Number all = 1;
  for (const int child : node.pendants) {
    all = product(all, of_all(forest_->node(child), sum(forest_->node(child), image)));
    if (all == 0) return 0;
  }
  for (const int root : node.blocks) {
    all = product(all, of_all(forest_->node(root), gather_maps(root, cuts)));
    if (all == 0) return 0;
  }
  return all;
}

template <typename Number>
Number GathererOf<Number>::gather_maps(int root, const CutImages& cuts) {
  gather(forest_->node(root), cuts);
  Number maps = 0;
  for (const Number each : of(root).maps) maps = added(maps, each);
  return maps;
}

template <typename Number>
void GathererOf<Number>::gather(const Node& node, const CutImages& cuts) {
  Images& mine = of(node.vertex);
  mine.clear();
  bool is_known = !node.ties.empty();
  if (is_known) begin(node, cuts, mine);
  if (is_known && mine.ranks.empty()) return;
  for (const int child : node.strands) {
    gather(forest_->node(child), cuts);
    if (of(child).ranks.empty()) return mine.clear();
    if (is_known) {
      meet(mine, forest_->node(child));
    } else {
      find(node, forest_->node(child));
    }
    is_known = true;
    if (mine.ranks.empty()) return;
  }
}

/// The images of a vertex by those of a child.
template <typename Number>
void GathererOf<Number>::find(const Node& node, const Node& child) {
  Images& mine = of(node.vertex);
  const Images& theirs = of(child.vertex);
  std::uint64_t reach = 0;
  for (const std::uint32_t rank : theirs.ranks) {
    const Ranks row = child.up.row(rank);
    __builtin_prefetch(row.data());
    reach += row.size();
  }
  if (reach <= kFew && forest_->universe() > kSmallUniverse) return find_few(node, child);
  send(theirs, child.up, mine, mine.ranks);
  mine.ascend = false;
  Number* const sums = mine.by_rank.get();
  std::size_t kept = 0;
  for (const std::uint32_t rank : mine.ranks) {
    const bool may_be = forest_->may_be(node, rank);
    const Number maps = may_be ? product(of_all(child, sums[rank]), weight(node, rank)) : 0;
    sums[rank] = 0;
    if (maps == 0) continue;
    mine.ranks[kept++] = rank;
    mine.maps.push_back(maps);
  }
  mine.ranks.resize(kept);
}

/// The same for a few images, which are sorted: numbers by rank would be scattered in memory.
template <typename Number>
void GathererOf<Number>::find_few(const Node& node, const Node& child) {
  const Images& theirs = of(child.vertex);
  Images& mine = of(node.vertex);
  std::vector<std::pair<std::uint32_t, Number>>& few = mine.few;
  few.clear();
  for (std::size_t i = 0; i < theirs.ranks.size(); ++i) {
    walk(child.up, theirs.ranks[i], [&](std::uint32_t rank) {
      if (forest_->may_be(node, rank)) few.emplace_back(rank, theirs.maps[i]);
    });
  }
  if (theirs.ranks.size() > 1) std::sort(few.begin(), few.end());
  for (std::size_t i = 0; i < few.size();) {
    const std::uint32_t rank = few[i].first;
    Number maps = 0;
    for (; i < few.size() && few[i].first == rank; ++i) maps = added(maps, few[i].second);
    maps = product(of_all(child, maps), weight(node, rank));
    if (maps != 0) mine.add(rank, maps);
  }
}

/// Adds the maps of each image of a child to those of the adjacent images of the parent; `reached`: these images.
template <typename Number>
void GathererOf<Number>::send(const Images& from, const EdgeSide& up, Images& to, std::vector<std::uint32_t>& reached) {
  Number* const sums = by_rank(to);
  for (std::size_t i = 0; i < from.ranks.size(); ++i) {
    walk(up, from.ranks[i], [&](std::uint32_t rank) {
      if (sums[rank] == 0) reached.push_back(rank);
      sums[rank] = added(sums[rank], from.maps[i]);
    });
  }
}

/// Multiplies the maps of known images by those of a child, in the cheaper direction.
template <typename Number>
void GathererOf<Number>::meet(Images& mine, const Node& child) {
  const Images& theirs = of(child.vertex);
  std::uint64_t asking = 0, sending = 0;
  rows_.clear();
  for (const std::uint32_t rank : mine.ranks) {
    const Ranks row = child.down.row(rank);
    __builtin_prefetch(row.data());
    rows_.push_back(row);
    asking += price_of_asking(row, theirs);
  }
  if (asking > kFew) {
    for (const std::uint32_t rank : theirs.ranks) sending += child.up.row(rank).size();
  }
  if (asking <= kFew || asking <= 2 * sending) return ask(mine, child);
  reached_.clear();
  send(theirs, child.up, mine, reached_);
  Number* const sums = mine.by_rank.get();
  keep(child, mine, [&](std::size_t i) { return sums[mine.ranks[i]]; });
  for (const std::uint32_t rank : reached_) sums[rank] = 0;
}

/// Each image reads its own row, in `rows_`.
template <typename Number>
void GathererOf<Number>::ask(Images& mine, const Node& child) {
  Images& theirs = of(child.vertex);
  const auto searches = [&](Ranks row) { return row.size() > kSearch * theirs.ranks.size(); };
  if (theirs.ascend && theirs.ranks.size() <= kMerged && forest_->universe() > kSmallUniverse) {
    return keep(child, mine, [&](std::size_t i) {
      const std::uint32_t rank = mine.ranks[i];
      return searches(rows_[i]) ? search(child.down, rank, rows_[i], theirs)
                                : merge(child.down, rank, rows_[i], theirs);
    });
  }
  Number* const sums = by_rank(theirs);
  for (std::size_t i = 0; i < theirs.ranks.size(); ++i) sums[theirs.ranks[i]] = theirs.maps[i];
  keep(child, mine, [&](std::size_t i) {
    const std::uint32_t rank = mine.ranks[i];
    return searches(rows_[i]) ? search(child.down, rank, rows_[i], theirs) : add_up(child.down, rank, rows_[i], sums);
  });
  for (const std::uint32_t rank : theirs.ranks) sums[rank] = 0;
}

/// The numbers of the items of a row.
template <typename Number>
Number GathererOf<Number>::add_up(const EdgeSide& down, std::uint32_t rank, Ranks row, const Number* sums) const {
  Number all = 0;
  for (const std::uint32_t other : row) {
    if (sums[other] == 0) continue;
    all = added(all, times(sums[other], ways(down, 1, rank, other)));
  }
  return all;
}

/// The same by merging, if both ascend.
template <typename Number>
Number GathererOf<Number>::merge(const EdgeSide& down, std::uint32_t rank, Ranks row, const Images& theirs) const {
  Number all = 0;
  std::size_t i = 0;
  for (const std::uint32_t other : row) {
    while (i < theirs.ranks.size() && theirs.ranks[i] < other) ++i;
    if (i == theirs.ranks.size()) break;
    if (theirs.ranks[i] != other) continue;
    all = added(all, times(theirs.maps[i], ways(down, 1, rank, other)));
  }
  return all;
}

/// The same for a row much longer than the list of images.
template <typename Number>
Number GathererOf<Number>::search(const EdgeSide& down, std::uint32_t rank, Ranks row, const Images& theirs) const {
  Number all = 0;
  for (std::size_t i = 0; i < theirs.ranks.size(); ++i) {
    const auto [first, last] = std::equal_range(row.begin(), row.end(), theirs.ranks[i]);
    if (first == last) continue;
    const auto edges = static_cast<std::uint64_t>(last - first);
    const Number all_ways = times(Number{edges}, ways(down, 1, rank, theirs.ranks[i]));
    all = added(all, product(theirs.maps[i], all_ways));
  }
  return all;
}

template class GathererOf<std::uint64_t>;
template class GathererOf<WideNumber>;

}  // namespace matcha::runtime::messages
