#include "engines/identities/counter.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <new>
#include <optional>

#include "engines/identities/device_counter.h"
#include "engines/identities/triangle_walk.h"

namespace matcha::runtime::motif {

namespace {

/// The sums that counts depend on; those of vertices and their degrees are always computed.
struct Parts {
  bool triangles = false;
  bool lists = false;
  bool wedges = false;
  WedgeRequest of_wedges;
  bool walk_triangles = false;
  TriangleRequest of_triangles;
};

bool has_any(const MotifSet& wanted, std::initializer_list<Motif> motifs) {
  return std::ranges::any_of(motifs, [&](Motif motif) { return wanted[at(motif)]; });
}

Parts parts_of(const MotifSet& wanted) {
  Parts parts;
  MotifSet plain;
  for (const Motif motif : {Motif::Wedge, Motif::FourStar, Motif::FiveStar}) plain[at(motif)] = true;
  parts.triangles = (wanted & ~plain).any();
  parts.of_wedges.by_edge = has_any(wanted, {Motif::Banner, Motif::House});
  parts.of_wedges.five_cycles = has_any(wanted, {Motif::FiveCycle});
  parts.of_wedges.inside = has_any(wanted, {Motif::TwoByThreePlusEdge});
  parts.of_wedges.pairs = has_any(wanted, {Motif::TwoByThree}) || parts.of_wedges.inside;
  parts.of_wedges.wheels = has_any(wanted, {Motif::FourWheel});
  parts.of_wedges.cliques =
      has_any(wanted, {Motif::FourCliqueTail, Motif::FiveCliqueMinusPath, Motif::FiveCliqueMinusEdge});
  parts.wedges = has_any(wanted, {Motif::FourCycle, Motif::FivePath}) || parts.of_wedges.by_edge ||
                 parts.of_wedges.five_cycles || parts.of_wedges.pairs || parts.of_wedges.wheels ||
                 parts.of_wedges.cliques;
  parts.of_triangles.terms = has_any(wanted, {Motif::Kite, Motif::Gem, Motif::FiveCycle});
  parts.of_triangles.five_cliques = has_any(wanted, {Motif::FiveClique});
  parts.of_triangles.cliques =
      has_any(wanted, {Motif::FourClique, Motif::Kite, Motif::Gem}) || parts.of_triangles.five_cliques;
  parts.walk_triangles = parts.of_triangles.terms || parts.of_triangles.cliques;
  parts.lists = parts.of_wedges.cliques || parts.of_wedges.inside || parts.of_wedges.wheels;
  return parts;
}

/// Sums over the vertices and edges; d is the degree, t the number of triangles.
struct LocalSums {
  Sum wedges, triangles, three_stars,
      four_stars;  ///< The last two times 3 and 12.
  Sum paths, tails, diamonds;
  Sum middles, forks, bulls, crickets, lollipops, banners, houses, darts, butterflies, books;

  void add(const LocalSums& other) {
    for (const auto member : kAll) (this->*member).add(other.*member);
  }

 private:
  static constexpr std::array kAll = {&LocalSums::wedges,      &LocalSums::triangles, &LocalSums::three_stars,
                                      &LocalSums::four_stars,  &LocalSums::paths,     &LocalSums::tails,
                                      &LocalSums::diamonds,    &LocalSums::middles,   &LocalSums::forks,
                                      &LocalSums::bulls,       &LocalSums::crickets,  &LocalSums::lollipops,
                                      &LocalSums::banners,     &LocalSums::houses,    &LocalSums::darts,
                                      &LocalSums::butterflies, &LocalSums::books};
};

__int128 choose2(__int128 n) { return n * (n - 1) / 2; }

class LocalWalk {
 public:
  LocalWalk(const RankedGraph& graph, const Triangles& triangles, const CyclesOfArcs& cycles)
      : graph_(graph), triangles_(triangles), cycles_(cycles) {}

  void at(LocalSums& sums, std::uint64_t u) const {
    const auto d = static_cast<std::int64_t>(graph_.degree(u));
    const __int128 pairs = static_cast<__int128>(d) * (d - 1) / 2;
    sums.wedges.add(pairs);
    sums.three_stars.add(pairs * (d - 2));
    sums.four_stars.add(pairs * (static_cast<__int128>(d - 2) * (d - 3)));
    if (triangles_.on.empty()) return;
    const __int128 t = static_cast<__int128>(triangles_.at[u]);
    sums.triangles.add(t);
    sums.tails.add(t * (d - 2));
    sums.crickets.add(t * choose2(d - 2));
    sums.butterflies.add(choose2(t));
    __int128 ways = 0, squares = 0;
    std::uint64_t cycles = 0;
    for (std::uint64_t p = graph_.begin(u); p != graph_.end(u); ++p) {
      const auto other = static_cast<std::int64_t>(graph_.degree(graph_.near[p])) - 1;
      const std::int64_t on = triangles_.on[p];
      ways += other;
      squares += static_cast<__int128>(other) * other;
      if (on != 0)
        sums.lollipops.add((t - on) * other - static_cast<__int128>(on) * (on - 1));
      else if (t != 0)
        sums.lollipops.add(t * other);
      sums.forks.add(choose2(d - 1) * other);
      if (!cycles_.empty()) cycles += cycles_[p] + cycles_[graph_.twin[p]];
      if (p >= graph_.split[u]) at_edge(sums, p, d, other + 1, on);
    }
    sums.middles.add(ways * ways - squares);
    if (!cycles_.empty()) sums.banners.add(static_cast<__int128>(cycles / 2) * (d - 2));
  }

 private:
  void at_edge(LocalSums& sums, std::uint64_t p, std::int64_t d, std::int64_t other, std::int64_t on) const {
    sums.paths.add(static_cast<__int128>(d - 1) * (other - 1) - on);
    if (on == 0) return;
    const __int128 pairs = choose2(on);
    sums.diamonds.add(pairs);
    sums.bulls.add(static_cast<__int128>(d - 2) * (other - 2) * on - 2 * pairs);
    sums.darts.add(pairs * (d + other - 6));
    sums.books.add(pairs * (on - 2));
    if (cycles_.empty()) return;
    const std::uint64_t cycles = cycles_[p] + cycles_[graph_.twin[p]];
    sums.houses.add(static_cast<__int128>(cycles) * on);
  }

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const CyclesOfArcs& cycles_;
};

/// Computes the counts from the sums; empty if one does not fit.
class Identities {
 public:
  Identities(const LocalSums& local, const WedgeSums& wedges, const TriangleSums& triangles)
      : local_(local), wedges_(wedges), triangles_(triangles) {}

  void write() {
    set(Motif::Wedge, local_.wedges);
    set(Motif::Triangle, local_.triangles.over(3, exact_));
    set(Motif::FourPath, local_.paths);
    set(Motif::FourStar, local_.three_stars.over(3, exact_));
    set(Motif::FourCycle, wedges_.four_cycles);
    set(Motif::TailedTriangle, local_.tails);
    set(Motif::Diamond, local_.diamonds);
    set(Motif::FourClique, triangles_.four_cliques);
    set(Motif::FiveStar, local_.four_stars.over(12, exact_));
    set(Motif::FivePath, local_.middles.over(2, exact_),
        {{Motif::FourCycle, -4}, {Motif::TailedTriangle, -2}, {Motif::Triangle, -3}});
    set(Motif::Fork, local_.forks, {{Motif::TailedTriangle, -2}});
    Sum cycles = wedges_.closed;
    cycles.add(wedges_.returned, -1);
    cycles.add(triangles_.above, -1);
    set(Motif::FiveCycle, cycles, {{Motif::Triangle, 1}});
    set(Motif::Bull, local_.bulls);
    set(Motif::Cricket, local_.crickets);
    set(Motif::LongTailedTriangle, local_.lollipops);
    set(Motif::Banner, local_.banners, {{Motif::Diamond, -2}});
    set(Motif::House, local_.houses, {{Motif::Diamond, -4}});
    set(Motif::Dart, local_.darts);
    set(Motif::Kite, triangles_.hats, {{Motif::FourClique, -12}});
    set(Motif::Butterfly, local_.butterflies, {{Motif::Diamond, -2}});
    set(Motif::TwoByThree, wedges_.pairs.over(6, exact_));
    set(Motif::TwoByThreePlusEdge, wedges_.inside);
    set(Motif::Gem, triangles_.fans, {{Motif::FourClique, -12}});
    set(Motif::ThreeBook, local_.books.over(3, exact_));
    set(Motif::FourCliqueTail, wedges_.tails.over(3, exact_));
    set(Motif::FourWheel, wedges_.wheels);
    set(Motif::FiveCliqueMinusPath, wedges_.clique_on.over(2, exact_));
    set(Motif::FiveCliqueMinusEdge, wedges_.clique_pairs);
    set(Motif::FiveClique, triangles_.five_cliques);
  }

  std::optional<MotifCounts> wanted(const MotifSet& wanted) const {
    MotifCounts counts{};
    for (std::size_t i = 0; i < kMotifs; ++i) {
      if (!wanted[i]) continue;
      if (counts_[i].overflow()) return std::nullopt;
      counts[i] = counts_[i].value();
    }
    return counts;
  }
  bool exact() const { return exact_; }

 private:
  using Terms = std::initializer_list<std::pair<Motif, std::int64_t>>;
  void set(Motif motif, Sum sum, Terms terms = {}) {
    for (const auto& [other, factor] : terms) sum.add(counts_[motif::at(other)], factor);
    counts_[motif::at(motif)] = sum;
  }

  const LocalSums& local_;
  const WedgeSums& wedges_;
  const TriangleSums& triangles_;
  std::array<Sum, kMotifs> counts_;
  bool exact_ = true;
};

class Watch {
 public:
  explicit Watch(MotifOutcome& outcome) : outcome_(outcome) {}
  void lap(std::string_view part) {
    const auto now = std::chrono::steady_clock::now();
    outcome_.times.emplace_back(part, std::chrono::duration<double, std::milli>(now - begin_).count());
    begin_ = now;
  }

 private:
  MotifOutcome& outcome_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Error runtime_error(const char* message) { return {ErrorKind::Runtime, message, {}, 0, {}}; }

Error inexact_error() { return runtime_error("a sum over the graph leaves a rest where it must not"); }

struct AllSums {
  Triangles triangles;
  CyclesOfArcs cycles;
  WedgeSums wedges;
  TriangleSums of_triangles;
};

/// The outcome with the requested counts.
Result<MotifOutcome> with_counts(Identities& identities, const MotifSet& wanted, MotifOutcome& outcome) {
  identities.write();
  const std::optional<MotifCounts> counts = identities.wanted(wanted);
  if (!counts) return runtime_error("a count does not fit into 128 bits");
  if (!identities.exact()) return inexact_error();
  outcome.counts = *counts;
  return std::move(outcome);
}

/// Computes the counts from the sums over triangles and wedges.
Result<MotifOutcome> finish(const RankedGraph& graph, const MotifRequest& request, const AllSums& found,
                            VertexLoop& loop, MotifOutcome& outcome, Watch& watch) {
  const LocalWalk local(graph, found.triangles, found.cycles);
  tbb::enumerable_thread_specific<LocalSums> workers;
  loop(workers, [&](LocalSums& sums, std::uint64_t u) { local.at(sums, u); });
  LocalSums sums;
  for (const LocalSums& worker : workers) sums.add(worker);
  watch.lap("edges");
  outcome.end = loop.end();
  if (outcome.end != End::Complete) return std::move(outcome);
  Identities identities(sums, found.wedges, found.of_triangles);
  return with_counts(identities, request.wanted, outcome);
}

Result<MotifOutcome> count(const RankedGraph& graph, const MotifRequest& request, const SetKernels& sets,
                           MotifOutcome& outcome, Watch& watch) {
  Parts parts = parts_of(request.wanted);
  parts.of_wedges.most_row_words = request.most_row_words;
  VertexLoop loop(graph.size, request.threads, request.stops);
  AllSums found;
  if (parts.triangles) found.triangles = count_triangles(graph, loop);
  if (parts.lists && loop.end() == End::Complete) list_triangles(graph, loop, found.triangles);
  watch.lap("triangles");
  if (parts.of_wedges.by_edge) {
    found.cycles = CyclesOfArcs(graph.arcs);
    std::memset(found.cycles.data(), 0, graph.arcs * sizeof(std::uint64_t));
  }
  if (parts.wedges && loop.end() == End::Complete) {
    found.wedges = walk_wedges(graph, found.triangles, parts.of_wedges, sets, loop, found.cycles);
  }
  watch.lap("wedges");
  if (parts.walk_triangles && loop.end() == End::Complete) {
    found.of_triangles = walk_triangles(graph, found.triangles, parts.of_triangles, loop);
  }
  watch.lap("cliques");
  return finish(graph, request, found, loop, outcome, watch);
}

/// Counts the motifs of 3 and 4 vertices, which need no list of triangles.
Result<MotifOutcome> count_four(const Graph& graph, const MotifRequest& request, MotifOutcome& outcome, Watch& watch) {
  const FourGraph ranked = MATCHA_TRY(rank_for_four(graph));
  watch.lap("rank");
  VertexLoop loop(ranked.size, request.threads, request.stops);
  const bool cycles_alone = request.wanted == MotifSet().set(at(Motif::FourCycle));
  FourSums found;
  const LighterThirds thirds = walk_lighter(ranked, !cycles_alone, request.most_narrow, loop, found);
  watch.lap("wedges");
  if (!cycles_alone && loop.end() == End::Complete) walk_heavier(ranked, thirds, loop, found);
  watch.lap("cliques");
  outcome.end = loop.end();
  if (outcome.end != End::Complete) return std::move(outcome);
  bool is_exact = true;
  LocalSums local;
  local.wedges = found.wedges;
  local.triangles = found.triangles;
  local.three_stars = found.three_stars;
  local.paths = found.ways;
  local.paths.add(found.triangles, -1);
  local.tails = found.tails.over(2, is_exact);
  local.diamonds = found.diamonds;
  WedgeSums wedges;
  wedges.four_cycles = found.four_cycles;
  TriangleSums triangles;
  triangles.four_cliques = found.four_cliques;
  if (!is_exact) return inexact_error();
  Identities identities(local, wedges, triangles);
  return with_counts(identities, request.wanted, outcome);
}

}  // namespace

Result<MotifOutcome> count_motifs(const Graph& graph, const MotifRequest& request, const SetKernels& sets) {
  MotifOutcome outcome;
  Watch watch(outcome);
  try {
    if (are_for_four(request.wanted)) return count_four(graph, request, outcome, watch);
    RankedGraph ranked = MATCHA_TRY(rank_for_motifs(graph));
    watch.lap("rank");
    return count(ranked, request, sets, outcome, watch);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource,
                 "not enough memory for the triangles of the graph",
                 {},
                 0,
                 "`--algorithm extend` counts motifs without them, one by one"};
  }
}

bool fits_device(const MotifSet& wanted) {
  const Parts parts = parts_of(wanted);
  return !parts.of_wedges.by_edge && !parts.of_wedges.inside && !parts.of_wedges.cliques &&
         !parts.of_triangles.cliques && !has_any(wanted, {Motif::Kite, Motif::Gem});
}

Result<MotifOutcome> count_motifs(DeviceMotifs& device, const MotifRequest& request) {
  MotifOutcome outcome;
  Watch watch(outcome);
  const Parts parts = parts_of(request.wanted);
  try {
    DeviceMotifs::Request wants;
    wants.wheels = parts.of_wedges.wheels;
    wants.five_cycles = parts.of_wedges.five_cycles;
    wants.pairs = parts.of_wedges.pairs;
    wants.wedges = wants.five_cycles || wants.pairs || has_any(request.wanted, {Motif::FourCycle, Motif::FivePath});
    DeviceMotifs::Found sums = MATCHA_TRY(device.run(wants, request.stops));
    watch.lap("kernels");
    outcome.end = sums.end;
    if (outcome.end != End::Complete) return outcome;
    AllSums found;
    found.triangles = std::move(sums.triangles);
    found.wedges = sums.wedges;
    found.of_triangles.above = sums.above;
    VertexLoop loop(device.graph().size, request.threads, request.stops);
    return finish(device.graph(), request, found, loop, outcome, watch);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory for the triangles of the graph", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::motif
