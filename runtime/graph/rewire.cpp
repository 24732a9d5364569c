#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/copy_of.h"
#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/generate.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/random.h"

/// Random graphs with the degrees of a given one, by exchanges of ends.
namespace matcha::runtime {

namespace {

/// Swaps that are tried for each edge where half of them and more are possible. Pairs of small patterns no longer
/// change after some 5 (Milo et al. 2003 take 100).
constexpr std::uint64_t kTriesPerEdge = 20;
/// In a dense graph or a star few swaps are possible. Then more are tried: at most kMostTimes times as many, and at
/// most kMostTries, which take about a second.
constexpr std::uint64_t kMostTimes = 200, kMostTries = std::uint64_t{1} << 24;
/// Pairs that are tested to estimate the share of possible swaps: for each edge, and at most.
constexpr std::uint64_t kPilotsPerEdge = 4, kMostPilots = std::uint64_t{1} << 14;

/// Edges by their ends, in a table of open addressing with linear probing, at most half full.
class EdgeSet {
 public:
  explicit EdgeSet(std::uint64_t edges) {
    std::uint64_t size = 4;
    while (size < 2 * edges) size *= 2;
    slots_ = Buffer<std::uint64_t>(size);
    std::fill(slots_.begin(), slots_.end(), kFree);
    mask_ = size - 1;
  }

  static std::uint64_t key(std::uint32_t source, std::uint32_t target) { return std::uint64_t{source} << 32 | target; }
  /// Has the place of the key come to the cache.
  [[gnu::always_inline]] void fetch(std::uint64_t key) const {
    __builtin_prefetch(slots_.data() + (hash(key) & mask_));
  }
  bool has(std::uint64_t key) const { return slots_[place_of(key)] == key; }
  void add(std::uint64_t key) { slots_[place_of(key)] = key; }

  /// Moves later keys back, so that each is still found. Requires: the key is there.
  void remove(std::uint64_t key) {
    std::uint64_t hole = place_of(key);
    for (std::uint64_t at = (hole + 1) & mask_; slots_[at] != kFree; at = (at + 1) & mask_) {
      const std::uint64_t home = hash(slots_[at]) & mask_;
      // The key stays if its home is behind the hole and at or before its place.
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kFree;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // An edge has two ends that differ.

  /// Short, as each try needs several. The upper half of the product depends on both ends.
  static std::uint64_t hash(std::uint64_t key) {
    const std::uint64_t product = key * 0x9E3779B97F4A7C15ULL;
    return product ^ product >> 32;
  }

  std::uint64_t place_of(std::uint64_t key) const {
    std::uint64_t at = hash(key) & mask_;
    while (slots_[at] != key && slots_[at] != kFree) at = (at + 1) & mask_;
    return at;
  }

  Buffer<std::uint64_t> slots_;
  std::uint64_t mask_ = 0;
};

/// The edges of a graph whose ends are exchanged; an undirected edge is kept with its smaller end first in the set.
class Exchanger {
 public:
  explicit Exchanger(const Graph& graph)
      : directed_(graph.facts().directed),
        count_(graph.edge_count()),
        sources_(count_),
        targets_(count_),
        edges_(count_) {
    const GraphView view = graph.view();
    std::uint64_t next = 0;
    for (std::uint64_t v = 0; v < view.universe; ++v) {
      const ArcRange arcs = arcs_of(view, v);
      for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
        if (!directed_ && view.neighbors[arc] < v) continue;
        sources_[next] = static_cast<std::uint32_t>(v);
        targets_[next] = view.neighbors[arc];
        edges_.add(key(sources_[next], targets_[next]));
        ++next;
      }
    }
  }

  std::uint64_t size() const { return count_; }

  /// Two edges, the second perhaps turned round.
  struct Pair {
    std::uint64_t one = 0, other = 0;
    bool turned = false;
  };

  Pair draw(Random& random) const {
    Pair pair;
    pair.one = random.below(count_);
    pair.other = random.below(count_);
    pair.turned = !directed_ && (random.next() & 1) != 0;
    return pair;
  }

  /// Prefetches the data of a later `exchange`: this function the ends, the next one the places in the set. Inline,
  /// because GCC drops calls of functions that only prefetch.
  [[gnu::always_inline]] void fetch_ends(const Pair& pair) const {
    for (const std::uint64_t edge : {pair.one, pair.other}) {
      __builtin_prefetch(sources_.data() + edge);
      __builtin_prefetch(targets_.data() + edge);
    }
  }
  [[gnu::always_inline]] void fetch_places(const Pair& pair) const {
    const auto [a, b, c, d] = ends(pair);
    for (const std::uint64_t edge : {key(a, b), key(c, d), key(a, d), key(c, b)}) edges_.fetch(edge);
  }

  /// Whether no loop or repeat would come of an exchange.
  bool is_possible(const Pair& pair) const {
    const auto [a, b, c, d] = ends(pair);
    if (a == d || b == c || a == c || b == d) return false;
    return !edges_.has(key(a, d)) && !edges_.has(key(c, b));
  }

  /// Exchanges the targets if that is possible.
  void exchange(const Pair& pair) {
    if (!is_possible(pair)) return;
    const auto [a, b, c, d] = ends(pair);
    edges_.remove(key(a, b));
    edges_.remove(key(c, d));
    edges_.add(key(a, d));
    edges_.add(key(c, b));
    targets_[pair.one] = d;
    sources_[pair.other] = c;
    targets_[pair.other] = b;
  }

  detail::EdgeColumns columns() const { return {sources_.data(), targets_.data(), count_}; }

 private:
  std::array<std::uint32_t, 4> ends(const Pair& pair) const {
    const std::uint32_t c = sources_[pair.other], d = targets_[pair.other];
    return {sources_[pair.one], targets_[pair.one], pair.turned ? d : c, pair.turned ? c : d};
  }
  std::uint64_t key(std::uint32_t source, std::uint32_t target) const {
    return directed_ || source < target ? EdgeSet::key(source, target) : EdgeSet::key(target, source);
  }

  bool directed_;
  std::uint64_t count_;
  Buffer<std::uint32_t> sources_, targets_;
  EdgeSet edges_;
};

/// The number of tries. It depends on the graph alone: a number that came of the tries would prefer graphs in which
/// many exchanges are possible.
std::uint64_t tries_for(const Exchanger& edges) {
  if (edges.size() < 2) return 0;
  const std::uint64_t usual = kTriesPerEdge * edges.size();
  Random random(1);
  const std::uint64_t pilots = std::min(kMostPilots, kPilotsPerEdge * edges.size());
  std::uint64_t possible = 0;
  for (std::uint64_t pilot = 0; pilot < pilots; ++pilot) possible += edges.is_possible(edges.draw(random)) ? 1 : 0;
  const std::uint64_t times =
      std::clamp<std::uint64_t>(pilots / 2 / std::max<std::uint64_t>(possible, 1), 1, kMostTimes);
  return std::max(usual, std::min(usual * times, kMostTries));
}

/// Draws pairs ahead of their turns, so that their edges are in the cache by then. False: it was cancelled.
bool exchange_all(Exchanger& edges, Random& random, std::uint64_t tries, const IoOptions& options) {
  constexpr std::uint64_t kTriesPerLook = std::uint64_t{1} << 16, kAhead = 16;
  std::array<Exchanger::Pair, kAhead> pairs;
  for (std::uint64_t at = 0; at < std::min(kAhead, tries); ++at) pairs[at] = edges.draw(random);
  for (std::uint64_t at = 0; at < tries; ++at) {
    if (at % kTriesPerLook == 0 && options.cancelled()) return false;
    Exchanger::Pair& turn = pairs[at % kAhead];
    edges.exchange(turn);
    if (at + kAhead < tries) edges.fetch_ends(turn = edges.draw(random));
    edges.fetch_places(pairs[(at + kAhead / 2) % kAhead]);
  }
  return true;
}

}  // namespace

Result<Graph> rewired(const Graph& graph, std::uint64_t seed, const IoOptions& options) {
  const GraphView view = graph.view();
  if (view.edge_info != nullptr || !graph.facts().simple) {
    return detail::input_error("", 0, "graphs with loops, or with labels or numbers of edges, are not rewired",
                               "leave them out when the graph is read");
  }
  try {
    Exchanger edges(graph);
    Random random(seed);
    if (!exchange_all(edges, random, tries_for(edges), options)) return detail::interrupted_error();
    detail::SimpleCsr made = detail::simple_csr(view.universe, edges.columns(), graph.facts().directed);
    GraphArrays arrays;
    arrays.offsets = std::move(made.csr.offsets);
    arrays.neighbors = std::move(made.csr.neighbors);
    if (view.vertices != nullptr) arrays.vertices = detail::copy_of(view.vertices, view.vertex_count);
    if (view.labels != nullptr) arrays.labels = detail::copy_of(view.labels, view.universe);
    Graph result = Graph::from_arrays(graph.shared_universe(), std::move(arrays), graph.facts());
    result.set_dictionary(graph.shared_dictionary());
    return result;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
