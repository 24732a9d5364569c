#include "runtime/cpu/common_neighbors.h"

#include <algorithm>
#include <span>

#include "runtime/graph/graph.h"

namespace matcha::runtime {

namespace {

using Ranks = std::span<const std::uint32_t>;

/// One side of a cut. Neighbours are read from the outer end of their list, so no search is needed.
struct Below {
  std::uint64_t cut;
  static std::size_t place(Ranks, std::size_t i) { return i; }
  bool has(std::uint32_t rank) const { return rank < cut; }
  Ranks of(Ranks near, const SetKernels& sets) const {
    return near.first(sets.lower_bound(near.data(), near.size(), cut));
  }
};
struct Above {
  std::uint64_t cut;
  static std::size_t place(Ranks near, std::size_t i) { return near.size() - 1 - i; }
  bool has(std::uint32_t rank) const { return rank > cut; }
  Ranks of(Ranks near, const SetKernels& sets) const {
    return near.subspan(sets.lower_bound(near.data(), near.size(), cut + 1));
  }
};

template <typename Side>
class CommonNeighbors {
 public:
  CommonNeighbors(const RegionContext& region, const GraphView& graph, Ranks list, Side side)
      : sets_(*region.sets), graph_(graph), list_(list), side_(side) {}

  std::int64_t count(std::uint32_t* counters) const {
    if (list_.size() < 2) return 0;
    const unsigned __int128 found = searches_pay() ? count_by_searches() : count_wedges(counters);
    return found > INT64_MAX ? -1 : static_cast<std::int64_t>(found);
  }

 private:
  Ranks near(std::uint32_t vertex) const {
    const ArcRange arcs = arcs_of(graph_, vertex);
    return {graph_.neighbors + arcs.begin, arcs.end - arcs.begin};
  }

  /// True if most wedges belong to one vertex and its few companions share few of them. Costs are in reads of an item.
  /// Prefetches the first neighbours of each vertex.
  bool searches_pay() const {
    constexpr double kCall = 8;
    constexpr double kSearch = 2;
    double wedges = 0;
    double widest = 0;
    for (std::uint32_t vertex : list_) {
      const Ranks all = near(vertex);
      __builtin_prefetch(all.data() + Side::place(all, 0));
      const double degree = static_cast<double>(all.size());
      wedges += degree;
      widest = std::max(widest, degree);
    }
    const double pairs = static_cast<double>(list_.size()) * static_cast<double>(list_.size() - 1) / 2;
    const double searched = static_cast<double>(list_.size() - 1) / 2 * (wedges - widest);
    return pairs * kCall + searched * kSearch < wedges;
  }

  unsigned __int128 count_by_searches() const {
    unsigned __int128 found = 0;
    for (std::size_t i = 1; i < list_.size(); ++i) {
      const Ranks a = side_.of(near(list_[i]), sets_);
      for (std::uint32_t other : list_.first(i)) {
        const Ranks b = side_.of(near(other), sets_);
        found += sets_.intersect_count(a.data(), a.size(), b.data(), b.size());
      }
    }
    return found;
  }

  unsigned __int128 count_wedges(std::uint32_t* counters) const {
    unsigned __int128 found = 0;
    for (std::uint32_t vertex : list_) {
      std::uint64_t shared = 0;  // A list has less than 2^32 items, each counted less than 2^32 times.
      for_each_near(vertex, [&](std::uint32_t end) { shared += counters[end]++; });
      found += shared;
    }
    for (std::uint32_t vertex : list_) for_each_near(vertex, [&](std::uint32_t end) { counters[end] = 0; });
    return found;
  }

  template <typename Visit>
  void for_each_near(std::uint32_t vertex, Visit visit) const {
    const Ranks all = near(vertex);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint32_t end = all[Side::place(all, i)];
      if (!side_.has(end)) break;
      visit(end);
    }
  }

  const SetKernels& sets_;
  const GraphView& graph_;
  Ranks list_;
  Side side_;
};

}  // namespace

extern "C" {

std::int64_t rt_common_below(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters) {
  return part != 0 ? 0 : CommonNeighbors<Below>(*region, *graph, {list, n}, {cut}).count(counters);
}

std::int64_t rt_common_above(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters) {
  return part != 0 ? 0 : CommonNeighbors<Above>(*region, *graph, {list, n}, {cut}).count(counters);
}

}  // extern "C"

}  // namespace matcha::runtime
