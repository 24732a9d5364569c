#include "engines/identities/four_walk.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "engines/identities/cells.h"
#include "engines/identities/clique_kernel.h"
#include "engines/identities/triangles.h"
#include "engines/identities/ways_kernel.h"
#include "runtime/graph/order.h"

namespace matcha::runtime::motif {

namespace {

/// The number of pairs of paths with the same end.
std::uint64_t pairs_of(std::uint64_t ways) { return ways * (ways - 1) / 2; }

/// The same for a whole array, which is reset to zero.
unsigned __int128 take_pairs(std::uint32_t* first, const std::uint32_t* end) {
  unsigned __int128 pairs = 0;
  for (; first < end; ++first) pairs += pairs_of(std::exchange(*first, 0));
  return pairs;
}

struct WedgeCounters {
  WedgeCounters(std::uint64_t wide_end, std::uint64_t size)
      : wide(zeros<std::uint32_t>(wide_end)), narrow(zeros<std::uint16_t>(size)) {}

  /// Paths of two edges from the current vertex, by end: wide counters for the first vertices, which have many
  /// neighbours, narrow ones for the others. Half the bytes are half the cache misses.
  Buffer<std::uint32_t> wide;
  Buffer<std::uint16_t> narrow;
  std::vector<std::uint64_t> edges;  ///< Edges of the vertex to lighter ones.
  Sum four_cycles;
};

/// Wedges from each vertex over a lighter one to all vertices lighter than the first: each 4-cycle is two of these with
/// one end, from its heaviest vertex. The paths to a neighbour are the triangles on that edge whose third vertex is
/// lighter than the heavier end.
class WedgesOfFour {
 public:
  WedgesOfFour(const FourGraph& graph, std::uint64_t wide_end, bool thirds, LighterThirds& lighter)
      : graph_(graph), wide_end_(wide_end), thirds_(thirds), lighter_(lighter) {}

  void at(WedgeCounters& counters, std::uint64_t a) const {
    const std::uint32_t* const first = graph_.lighter(a);
    const std::uint32_t* const end = graph_.end(a);
    if (first == end) return;
    const Steps steps = count_ways(counters, a, first, end);
    if (thirds_) {
      for (const std::uint32_t* v = first; v != end; ++v) {
        const std::uint32_t ways = *v < wide_end_ ? counters.wide[*v] : counters.narrow[*v];
        lighter_[counters.edges[static_cast<std::size_t>(v - first)]] = ways;
      }
    }
    unsigned __int128 pairs = 0;
    if (kStepsToTake * steps.count > steps.last - a) {
      const std::uint64_t narrow = std::max(a + 1, wide_end_);
      pairs = take_pairs(counters.wide.data() + std::min(a + 1, wide_end_), counters.wide.data() + wide_end_);
      if (steps.last >= narrow) {
        pairs += take_pairs_of_ways(counters.narrow.data() + narrow, steps.last + 1 - narrow);
      }
    } else {
      pairs = take_ways(counters, a, first, end);
    }
    counters.four_cycles.add(static_cast<__int128>(pairs));
  }

 private:
  /// Counters that are read sequentially in the time of one step.
  static constexpr std::uint64_t kStepsToTake = 12;
  struct Steps {
    std::uint64_t count = 0;
    std::uint64_t last = 0;  ///< The lightest end.
  };

  /// Rows are scattered in memory: those of the next neighbours are prefetched, from their ends, where reading starts.
  /// Always inline: GCC 12 treats a function that only prefetches as one without effects, and drops its calls.
  [[gnu::always_inline]] void fetch(const std::uint32_t* v, const std::uint32_t* end) const {
    constexpr std::ptrdiff_t kOffsetsAhead = 8, kRowsAhead = 2;
    constexpr std::uint64_t kItemsOfLine = 16, kMostItems = 16 * kItemsOfLine;
    if (end - v > kOffsetsAhead) __builtin_prefetch(graph_.offsets + v[kOffsetsAhead]);
    if (end - v <= kRowsAhead) return;
    const std::uint64_t next = v[kRowsAhead], size = std::min(graph_.degree(next), kMostItems);
    const std::uint32_t* const last = graph_.end(next) - 1;
    for (std::uint64_t item = 0; item < size; item += kItemsOfLine) __builtin_prefetch(last - item);
  }

  /// Rows are read from their last item to `a`, which is in each.
  Steps count_ways(WedgeCounters& counters, std::uint64_t a, const std::uint32_t* first,
                   const std::uint32_t* end) const {
    std::uint32_t* const wide = counters.wide.data();
    std::uint16_t* const narrow = counters.narrow.data();
    const std::uint64_t narrow_end = std::max(a + 1, wide_end_);
    counters.edges.resize(static_cast<std::size_t>(end - first));
    std::uint64_t* edge = counters.edges.data();
    Steps steps;
    for (const std::uint32_t* v = first; v != end; ++v) {
      fetch(v, end);
      const std::uint32_t* const last = graph_.end(*v) - 1;
      const std::uint32_t* b = last;
      for (; *b >= narrow_end; --b) ++narrow[*b];
      for (; *b > a; --b) ++wide[*b];
      steps.count += static_cast<std::uint64_t>(last - b);
      steps.last = std::max<std::uint64_t>(steps.last, *last);
      *edge++ = graph_.edges[*v] + static_cast<std::uint64_t>(b - graph_.begin(*v));
    }
    return steps;
  }

  /// The pairs of paths, by the same iteration; it resets the counters to zero.
  unsigned __int128 take_ways(WedgeCounters& counters, std::uint64_t a, const std::uint32_t* first,
                              const std::uint32_t* end) const {
    unsigned __int128 pairs = 0;
    for (const std::uint32_t* v = first; v != end; ++v) {
      for (const std::uint32_t* b = graph_.end(*v) - 1; *b > a; --b) {
        pairs += *b < wide_end_ ? pairs_of(std::exchange(counters.wide[*b], 0))
                                : pairs_of(std::exchange(counters.narrow[*b], std::uint16_t{0}));
      }
    }
    return pairs;
  }

  const FourGraph& graph_;
  const std::uint64_t wide_end_;
  const bool thirds_;
  LighterThirds& lighter_;
};

/// Bit rows of the first vertices: for each the earlier vertices that are neighbours. Together at most as many bytes as
/// arcs.
class HubRows {
 public:
  explicit HubRows(const FourGraph& graph) {
    const double arcs = static_cast<double>(graph.offsets[graph.size]);
    size_ = std::min(graph.size, static_cast<std::uint64_t>(4 * std::sqrt(arcs)));
    start_.resize(size_ + 1);
    for (std::uint64_t v = 0; v < size_; ++v) start_[v + 1] = start_[v] + (v + 63) / 64;
    words_ = zeros<std::uint64_t>(start_[size_]);
    for (std::uint64_t v = 0; v < size_; ++v) {
      std::uint64_t* const row = words_.data() + start_[v];
      for (const std::uint32_t* w = graph.begin(v); w != graph.lighter(v); ++w) {
        row[*w / 64] |= std::uint64_t{1} << *w % 64;
      }
    }
  }

  std::uint64_t size() const { return size_; }
  const std::uint64_t* row(std::uint64_t vertex) const { return words_.data() + start_[vertex]; }

 private:
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> start_;
  Buffer<std::uint64_t> words_;
};

struct HeavierWorker {
  explicit HeavierWorker(std::uint64_t size) : places(unmarked(size)) {}

  Marks places;  ///< By heavier neighbour of a vertex, its place plus 1; the lightest is first.
  std::vector<std::uint64_t> rows, spare;
  FourSums sums;
};

/// The graph on the heavier neighbours of each vertex, as bit rows: its edges are triangles whose third vertex is
/// heavier than both ends of an edge, its triangles are 4-cliques.
class HeavierWalk {
 public:
  HeavierWalk(const FourGraph& graph, const HubRows& hubs, const LighterThirds& thirds)
      : graph_(graph), hubs_(hubs), thirds_(thirds) {}

  void at(HeavierWorker& worker, std::uint64_t u) const {
    const auto d = static_cast<std::int64_t>(graph_.degree(u));
    FourSums& sums = worker.sums;
    const __int128 pairs = static_cast<__int128>(d) * (d - 1) / 2;
    sums.wedges.add(pairs);
    sums.three_stars.add(pairs * (d - 2));
    const std::uint64_t count = graph_.heavier(u);
    if (count == 0) return;
    const std::uint64_t words = (count + 63) / 64;
    write_rows(worker, u, count, words);
    __int128 ways = 0, triangles = 0, tails = 0, diamonds = 0;
    const std::uint32_t* const first = graph_.begin(u);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t* const row = worker.rows.data() + (count - 1 - i) * words;
      const auto other = static_cast<std::int64_t>(graph_.degree(first[i]));
      ways += static_cast<__int128>(d - 1) * (other - 1);
      const std::uint64_t on = thirds_[graph_.edges[u] + i] + common_bits(row, row, words);
      if (on == 0) continue;
      triangles += on;
      tails += static_cast<__int128>(on) * (d + other - 4);
      diamonds += pairs_of(on);
    }
    sums.ways.add(ways);
    sums.triangles.add(triangles);
    sums.tails.add(tails);
    sums.diamonds.add(diamonds);
    const CliquesOfRows cliques = count_cliques(worker.rows.data(), count, words, false, worker.spare.data());
    sums.four_cliques.add(static_cast<__int128>(cliques.triangles));
  }

 private:
  /// Places are by rank from the lightest on, so that each row only has later places.
  void write_rows(HeavierWorker& worker, std::uint64_t u, std::uint64_t count, std::uint64_t words) const {
    worker.rows.assign(count * words, 0);
    worker.spare.resize(words);
    const std::uint32_t* const lightest = graph_.lighter(u) - 1;
    const bool all_hubs = *lightest < hubs_.size();
    for (std::uint64_t i = 0; i < count && !all_hubs; ++i) {
      worker.places[*(lightest - i)] = static_cast<std::uint32_t>(i + 1);
    }
    for (std::uint64_t i = 0; i + 1 < count; ++i) {
      const std::uint64_t v = *(lightest - i);
      std::uint64_t* const row = worker.rows.data() + i * words;
      if (v < hubs_.size()) {
        write_hub_row(hubs_.row(v), lightest, i + 1, count, row);
        continue;
      }
      for (const std::uint32_t* w = graph_.begin(v); w != graph_.lighter(v); ++w) {
        const std::uint64_t place = worker.places[*w];
        if (place != 0) row[(place - 1) / 64] |= std::uint64_t{1} << (place - 1) % 64;
      }
    }
    for (std::uint64_t i = 0; i < count && !all_hubs; ++i) worker.places[*(lightest - i)] = 0;
  }

  /// The bits of the places from `first` on.
  static void write_hub_row(const std::uint64_t* hub, const std::uint32_t* lightest, std::uint64_t first,
                            std::uint64_t count, std::uint64_t* row) {
    for (std::uint64_t word = first / 64; word * 64 < count; ++word) {
      const std::uint64_t end = std::min(count, word * 64 + 64);
      std::uint64_t bits = 0;
      for (std::uint64_t i = std::max(first, word * 64); i < end; ++i) {
        const std::uint64_t w = *(lightest - i);
        bits |= (hub[w / 64] >> w % 64 & 1) << i % 64;
      }
      row[word] = bits;
    }
  }

  const FourGraph& graph_;
  const HubRows& hubs_;
  const LighterThirds& thirds_;
};

/// The end of the vertices whose counters may need more than 16 bits.
std::uint64_t wide_end_of(const FourGraph& graph, std::uint64_t most_narrow) {
  std::uint64_t end = graph.size;
  while (end > 0 && graph.degree(end - 1) <= most_narrow) --end;
  return end;
}

}  // namespace

Result<FourGraph> rank_for_four(const Graph& graph) {
  Graph ordered = MATCHA_TRY(ordered_by_degree(graph, Halves::Lower));
  FourGraph ranked;
  ranked.graph = std::move(ordered);
  const GraphView view = ranked.graph.view();
  ranked.size = view.universe;
  ranked.offsets = view.offsets;
  ranked.near = view.neighbors;
  try {
    ranked.edges = Buffer<std::uint64_t>(ranked.size + 1);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to rank the vertices by degree", {}, 0, {}};
  }
  ranked.edges[0] = 0;
  const SplitOffsets& halves = ranked.graph.split_offsets();
  for (std::uint64_t v = 0; v < ranked.size; ++v) {
    ranked.edges[v + 1] = ranked.edges[v] + half_offset(halves, 2 * v + 1) - ranked.offsets[v];
  }
  return ranked;
}

void FourSums::add(const FourSums& other) {
  wedges.add(other.wedges);
  three_stars.add(other.three_stars);
  ways.add(other.ways);
  triangles.add(other.triangles);
  tails.add(other.tails);
  diamonds.add(other.diamonds);
  four_cycles.add(other.four_cycles);
  four_cliques.add(other.four_cliques);
}

bool are_for_four(const MotifSet& wanted) {
  constexpr MotifSet kUpToFour((1U << (at(Motif::FourClique) + 1)) - 1);
  return wanted[at(Motif::FourCycle)] && (wanted & ~kUpToFour).none();
}

LighterThirds walk_lighter(const FourGraph& graph, bool thirds, std::uint64_t most_narrow, VertexLoop& loop,
                           FourSums& sums) {
  const std::uint64_t wide_end = wide_end_of(graph, std::min(most_narrow, kMostNarrow));
  LighterThirds lighter;
  if (thirds) lighter = LighterThirds(graph.edges[graph.size]);
  const WedgesOfFour walk(graph, wide_end, thirds, lighter);
  tbb::enumerable_thread_specific<WedgeCounters> workers([&] { return WedgeCounters(wide_end, graph.size); });
  loop.heavy_first(workers, [&](WedgeCounters& counters, std::uint64_t a) { walk.at(counters, a); });
  for (const WedgeCounters& counters : workers) sums.four_cycles.add(counters.four_cycles);
  return lighter;
}

void walk_heavier(const FourGraph& graph, const LighterThirds& thirds, VertexLoop& loop, FourSums& sums) {
  const HubRows hubs(graph);
  const HeavierWalk walk(graph, hubs, thirds);
  tbb::enumerable_thread_specific<HeavierWorker> workers([&] { return HeavierWorker(graph.size); });
  loop(workers, [&](HeavierWorker& worker, std::uint64_t u) { walk.at(worker, u); });
  for (const HeavierWorker& worker : workers) sums.add(worker.sums);
}

}  // namespace matcha::runtime::motif
