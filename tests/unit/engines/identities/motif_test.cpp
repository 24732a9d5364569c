#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engines/identities/counter.h"
#include "engines/identities/orbit_counter.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/sanitized.h"

/// Motifs against all maps of the patterns into small graphs.
namespace matcha::runtime::motif {
namespace {

using Adjacency = std::vector<std::vector<bool>>;

Adjacency without_edges(std::size_t n) { return Adjacency(n, std::vector<bool>(n)); }

void join(Adjacency& graph, std::size_t u, std::size_t v) { graph[u][v] = graph[v][u] = u != v; }

using Rows = std::vector<std::vector<std::uint32_t>>;

/// Of ascending rows.
Graph graph_of(const Rows& rows) {
  std::vector<std::uint64_t> offsets = {0};
  for (const std::vector<std::uint32_t>& row : rows) offsets.push_back(offsets.back() + row.size());
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(offsets.size());
  std::ranges::copy(offsets, arrays.offsets.begin());
  arrays.neighbors = Buffer<std::uint32_t>(offsets.back());
  for (std::size_t v = 0; v < rows.size(); ++v) std::ranges::copy(rows[v], arrays.neighbors.begin() + offsets[v]);
  Graph graph = Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(rows.size())), std::move(arrays),
                                   GraphFacts());
  EXPECT_TRUE(ensure_split_offsets(graph));
  return graph;
}

Graph graph_of(const Adjacency& adjacency) {
  Rows rows(adjacency.size());
  for (std::size_t u = 0; u < rows.size(); ++u) {
    for (std::uint32_t v = 0; v < rows.size(); ++v) {
      if (adjacency[u][v]) rows[u].push_back(v);
    }
  }
  return graph_of(rows);
}

Graph graph_without_edges(std::uint64_t size) {
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(size + 1);
  std::ranges::fill(arrays.offsets, 0);
  arrays.neighbors = Buffer<std::uint32_t>(0);
  Graph graph = Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(size)), std::move(arrays), {});
  EXPECT_TRUE(ensure_split_offsets(graph));
  return graph;
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

Edges edges_of(std::string_view text) {
  Edges edges;
  for (std::size_t i = 0; i + 1 < text.size(); i += 3) {
    edges.emplace_back(static_cast<std::size_t>(text[i] - '0'), static_cast<std::size_t>(text[i + 1] - '0'));
  }
  return edges;
}

/// The subgraphs that have the pattern's edges: sets of edges, found vertex by vertex.
class BruteForce {
 public:
  BruteForce(const Adjacency& graph, std::string_view pattern) : graph_(graph), edges_(edges_of(pattern)) {
    for (const auto& [u, v] : edges_) size_ = std::max({size_, u + 1, v + 1});
    extend({});
  }
  std::size_t count() const { return found_.size(); }

 private:
  void extend(std::vector<std::size_t> map) {
    if (map.size() == size_) {
      std::set<std::pair<std::size_t, std::size_t>> image;
      for (const auto& [u, v] : edges_) image.insert(std::minmax(map[u], map[v]));
      found_.insert(std::move(image));
      return;
    }
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      if (std::ranges::find(map, v) != map.end()) continue;
      map.push_back(v);
      const bool fits = std::ranges::all_of(edges_, [&](const auto& edge) {
        return edge.first >= map.size() || edge.second >= map.size() || graph_[map[edge.first]][map[edge.second]];
      });
      if (fits) extend(map);
      map.pop_back();
    }
  }

  const Adjacency& graph_;
  const Edges edges_;
  std::size_t size_ = 0;
  std::set<std::set<std::pair<std::size_t, std::size_t>>> found_;
};

MotifSet all_motifs() { return MotifSet().set(); }

MotifCounts counts_of(const Graph& graph, const MotifRequest& request) {
  const Result<MotifOutcome> outcome = count_motifs(graph, request, set_kernels(best_tier()));
  EXPECT_TRUE(outcome);
  EXPECT_EQ(outcome->end, End::Complete);
  return outcome->counts;
}

MotifCounts counts_of(const Graph& graph, const MotifSet& wanted, unsigned threads,
                      std::uint64_t most_row_words = kMostRowWords) {
  MotifRequest request;
  request.most_row_words = most_row_words;
  request.wanted = wanted;
  request.threads = threads;
  return counts_of(graph, request);
}

/// Motifs of 3 and 4 vertices, which have walks of their own, with counters of one width and of both.
void check_four(const Graph& graph, const MotifCounts& counts, unsigned threads) {
  MotifRequest request;
  for (const Motif motif : {Motif::Wedge, Motif::Triangle, Motif::FourPath, Motif::FourStar, Motif::FourCycle,
                            Motif::TailedTriangle, Motif::Diamond, Motif::FourClique}) {
    request.wanted.set(at(motif));
  }
  ASSERT_TRUE(are_for_four(request.wanted));
  request.threads = threads;
  for (const std::uint64_t most_narrow : {kMostNarrow, std::uint64_t{0}, std::uint64_t{3}}) {
    request.most_narrow = most_narrow;
    const MotifCounts four = counts_of(graph, request);
    for (std::size_t i = 0; i <= at(Motif::FourClique); ++i) {
      EXPECT_TRUE(four[i] == counts[i]) << kMotifEdges[i] << ", " << most_narrow;
    }
  }
}

/// By rows of bits and without.
void check_all(const Adjacency& adjacency, unsigned threads) {
  const Graph graph = graph_of(adjacency);
  const MotifCounts counts = counts_of(graph, all_motifs(), threads);
  EXPECT_TRUE(counts == counts_of(graph, all_motifs(), threads, 0));
  check_four(graph, counts, threads);
  for (std::size_t i = 0; i < kMotifs; ++i) {
    EXPECT_EQ(static_cast<std::uint64_t>(counts[i]), BruteForce(adjacency, kMotifEdges[i]).count()) << kMotifEdges[i];
  }
}

/// Every graph of five vertices, and so everything that may go wrong with a single subgraph.
TEST(Motif, AllGraphsOfFiveVertices) {
  for (unsigned edges = 0; edges < 1U << 10; ++edges) {
    Adjacency graph = without_edges(5);
    unsigned pair = 0;
    for (std::size_t u = 0; u < 5; ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        if ((edges >> pair++ & 1) != 0) join(graph, u, v);
      }
    }
    check_all(graph, 1);
    if (HasFailure()) FAIL() << edges;
  }
}

/// Number of maps of a pattern with its root at `root`, by trying all.
class RootedMaps {
 public:
  RootedMaps(const Adjacency& graph, const Orbit& orbit, const std::vector<std::size_t>& root, bool induced)
      : graph_(graph), induced_(induced), root_(root) {
    for (const auto& [u, v] : edges_of(orbit.edges)) {
      wanted_.at(u).at(v) = wanted_.at(v).at(u) = true;
      size_ = std::max({size_, u + 1, v + 1});
    }
    for (const char c : orbit.root) is_root_.at(static_cast<std::size_t>(c - '0')) = true;
    extend(0);
  }
  std::size_t count() const { return count_; }

 private:
  void extend(std::size_t place) {
    if (place == size_) {
      ++count_;
      return;
    }
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      bool fits = is_root_[place] == (std::ranges::find(root_, v) != root_.end());
      for (std::size_t i = 0; i < place && fits; ++i) {
        const bool wanted = wanted_[place][i], there = graph_[map_[i]][v];
        fits = map_[i] != v && (there || !wanted) && (wanted || !there || !induced_);
      }
      if (!fits) continue;
      map_[place] = v;
      extend(place + 1);
    }
  }

  static constexpr std::size_t kMost = 5;

  const Adjacency& graph_;
  const bool induced_;
  const std::vector<std::size_t>& root_;
  std::array<std::array<bool, kMost>, kMost> wanted_ = {};
  std::array<bool, kMost> is_root_ = {};
  std::array<std::size_t, kMost> map_ = {};
  std::size_t size_ = 0, count_ = 0;
};

std::size_t subgraphs_at(const Adjacency& graph, const Orbit& orbit, const std::vector<std::size_t>& root,
                         bool induced) {
  static std::map<std::pair<std::string_view, std::string_view>, std::size_t> automorphisms;
  std::size_t& fixing = automorphisms[{orbit.edges, orbit.root}];
  if (fixing == 0) {
    Adjacency pattern = without_edges(5);
    std::size_t size = 0;
    for (const auto& [u, v] : edges_of(orbit.edges)) {
      join(pattern, u, v);
      size = std::max({size, u + 1, v + 1});
    }
    pattern.resize(size);
    std::vector<std::size_t> places;
    for (const char c : orbit.root) places.push_back(static_cast<std::size_t>(c - '0'));
    fixing = RootedMaps(pattern, orbit, places, true).count();
  }
  return RootedMaps(graph, orbit, root, induced).count() / fixing;
}

void check_orbits(const Adjacency& adjacency, int vertices, bool by_edge, bool induced, unsigned threads) {
  OrbitRequest request;
  request.vertices = vertices;
  request.by_edge = by_edge;
  request.induced = induced;
  request.threads = threads;
  std::set<std::vector<std::size_t>> roots;
  const auto orbits = by_edge ? edge_orbits(vertices) : vertex_orbits(vertices);
  request.on_rows = [&](const OrbitRows& rows) {
    for (std::uint64_t row = 0; row < rows.count; ++row) {
      std::vector<std::size_t> root;
      for (const std::uint32_t* const column : rows.ends) root.push_back(column[row]);
      EXPECT_TRUE(roots.insert(root).second && (roots.size() < 2 || *std::prev(roots.end()) == root));
      for (std::size_t i = 0; i < orbits.size(); ++i) {
        EXPECT_EQ(rows.orbits[i][row], static_cast<std::int64_t>(subgraphs_at(adjacency, orbits[i], root, induced)))
            << orbits[i].name << " at " << root.front() << (induced ? " induced" : "");
      }
    }
    return true;
  };
  const Result<OrbitOutcome> outcome = count_orbits(graph_of(adjacency), request);
  ASSERT_TRUE(outcome);
  std::size_t edges = 0;
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) edges += adjacency[u][v] ? 1 : 0;
  }
  EXPECT_EQ(outcome->rows, by_edge ? edges : adjacency.size());
  EXPECT_EQ(outcome->rows, roots.size());
}

TEST(Orbits, AllGraphsOfFiveVertices) {
  for (unsigned edges = 0; edges < 1U << 10; edges += unless_sanitized(1U, 5U)) {
    Adjacency graph = without_edges(5);
    unsigned pair = 0;
    for (std::size_t u = 0; u < 5; ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        if ((edges >> pair++ & 1) != 0) join(graph, u, v);
      }
    }
    check_orbits(graph, 2 + static_cast<int>(edges % 3), true, edges % 2 == 0, 1);
    if (edges % 7 == 0) check_orbits(graph, 5, false, edges % 5 != 0, 1);
    check_orbits(graph, 5, true, edges % 5 != 0, 1);
    if (HasFailure()) FAIL() << edges;
  }
}

TEST(Orbits, RandomGraphs) {
  std::mt19937 random(4);
  for (const double density : {0.2, 0.5, 0.8}) {
    for (int round = 0; round < 4; ++round) {
      Adjacency graph = without_edges(6 + random() % 5);
      std::bernoulli_distribution is_edge(density);
      for (std::size_t u = 0; u < graph.size(); ++u) {
        for (std::size_t v = 0; v < u; ++v) {
          if (is_edge(random)) join(graph, u, v);
        }
      }
      for (const bool by_edge : {false, true}) {
        for (const bool induced : {false, true}) {
          check_orbits(graph, 5, by_edge, induced, 1 + static_cast<unsigned>(round) % 2);
        }
      }
    }
  }
}

/// All vertices of a pattern are in one of its orbits, and so are its edges; the sums over them are the subgraphs.
TEST(Orbits, AddUpToMotifs) {
  std::mt19937 random(8);
  Adjacency adjacency = without_edges(150);
  std::bernoulli_distribution is_edge(0.1);
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (is_edge(random) || v == 0) join(adjacency, u, v);
    }
  }
  const Graph graph = graph_of(adjacency);
  const MotifCounts counts = counts_of(graph, all_motifs(), 2);
  for (const bool by_edge : {false, true}) {
    const auto orbits = by_edge ? edge_orbits(5) : vertex_orbits(5);
    OrbitRequest request;
    request.vertices = 5;
    request.by_edge = by_edge;
    request.induced = false;
    request.threads = 2;
    std::map<std::string_view, std::int64_t> sums;
    request.on_rows = [&](const OrbitRows& rows) {
      for (std::uint64_t row = 0; row < rows.count; ++row) {
        for (std::size_t i = 0; i < orbits.size(); ++i) sums[orbits[i].edges] += rows.orbits[i][row];
      }
      return true;
    };
    ASSERT_TRUE(count_orbits(graph, request));
    for (std::size_t i = 0; i < kMotifs; ++i) {
      const Edges edges = edges_of(kMotifEdges[i]);
      const std::int64_t size = by_edge ? static_cast<std::int64_t>(edges.size()) : i < 2 ? 3 : i < 8 ? 4 : 5;
      EXPECT_EQ(sums.at(kMotifEdges[i]), size * static_cast<std::int64_t>(counts[i])) << kMotifEdges[i];
    }
  }
}

TEST(Orbits, RowsThatAreNotWanted) {
  OrbitRequest request;
  std::uint64_t taken = 0;
  request.on_rows = [&](const OrbitRows& rows) { return (taken += rows.count) == 0; };
  const Result<OrbitOutcome> outcome = count_orbits(graph_without_edges(9000), request);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->refused);
  EXPECT_EQ(outcome->rows, taken);
  EXPECT_LT(taken, 9000U);
}

TEST(Motif, RandomGraphs) {
  std::mt19937 random(25);
  for (const double density : {0.15, 0.3, 0.5, 0.8}) {
    for (int round = 0; round < 12; ++round) {
      Adjacency graph = without_edges(4 + random() % 6);
      std::bernoulli_distribution is_edge(density);
      for (std::size_t u = 0; u < graph.size(); ++u) {
        for (std::size_t v = 0; v < u; ++v) {
          if (is_edge(random)) join(graph, u, v);
        }
      }
      check_all(graph, round % 2 == 0 ? 1 : 2);
    }
  }
}

TEST(Motif, EmptyAndTiny) {
  for (std::size_t n = 0; n < 4; ++n) check_all(without_edges(n), 1);
  Adjacency edge = without_edges(2);
  join(edge, 0, 1);
  check_all(edge, 2);
}

TEST(Motif, StarsCliquesAndOthers) {
  Adjacency star = without_edges(9), clique = without_edges(7), wheel = without_edges(8), halves = without_edges(8);
  for (std::size_t v = 1; v < 9; ++v) join(star, 0, v);
  for (std::size_t v = 0; v < 7; ++v) {
    for (std::size_t u = 0; u < v; ++u) join(clique, u, v);
  }
  for (std::size_t v = 0; v < 7; ++v) {
    join(wheel, v, (v + 1) % 7);
    join(wheel, v, 7);
  }
  for (std::size_t v = 0; v < 4; ++v) {
    for (std::size_t u = 4; u < 8; ++u) join(halves, u, v);
  }
  for (const Adjacency& graph : {star, clique, wheel, halves}) check_all(graph, 1);
}

TEST(Motif, EachAloneAsAllTogether) {
  std::mt19937 random(3);
  Adjacency adjacency = without_edges(120);
  std::bernoulli_distribution is_edge(0.2);
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (is_edge(random) || v < 3) join(adjacency, u, v);
    }
  }
  const Graph graph = graph_of(adjacency);
  const MotifCounts all = counts_of(graph, all_motifs(), 1);
  EXPECT_TRUE(all == counts_of(graph, all_motifs(), 2));
  // Neighbourhoods of up to two words.
  for (const std::uint64_t words : {0, 1}) EXPECT_TRUE(all == counts_of(graph, all_motifs(), 1, words));
  for (std::size_t i = 0; i < kMotifs; ++i) {
    const MotifCounts one = counts_of(graph, MotifSet().set(i), 1);
    EXPECT_TRUE(one[i] == all[i]) << kMotifEdges[i];
  }
}

/// Most vertices have no row of bits; cliques are among those too. Heavy vertices reach all others.
TEST(Motif, SparseGraph) {
  constexpr std::uint32_t kSize = 3000, kNear = 4;
  std::mt19937 random(24);
  std::vector<std::set<std::uint32_t>> sets(kSize);
  const auto join = [&](std::uint32_t u, std::uint32_t v) {
    if (u == v) return;
    sets[u].insert(v);
    sets[v].insert(u);
  };
  for (std::uint32_t v = 0; v < kSize; ++v) {
    for (std::uint32_t step = 1; step <= kNear; ++step) join(v, (v + step) % kSize);
    join(v, static_cast<std::uint32_t>(random() % 5));
    join(v, static_cast<std::uint32_t>(random() % kSize));
  }
  Rows rows;
  for (const std::set<std::uint32_t>& row : sets) rows.emplace_back(row.begin(), row.end());
  const Graph graph = graph_of(rows);
  const MotifCounts all = counts_of(graph, all_motifs(), 1);
  EXPECT_TRUE(all[at(Motif::FourClique)] > kSize);
  for (const unsigned threads : {1U, 2U}) check_four(graph, all, threads);
}

/// More common neighbours than 16 bits count.
TEST(Motif, TwoHubs) {
  constexpr std::uint32_t kLeaves = 70000;
  Rows rows(kLeaves + 2, {0, 1});
  rows[0] = {1};
  rows[1] = {0};
  for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
    rows[0].push_back(leaf + 2);
    rows[1].push_back(leaf + 2);
  }
  MotifRequest request;
  request.wanted.set(at(Motif::FourCycle)).set(at(Motif::Triangle)).set(at(Motif::Diamond)).set(at(Motif::FourStar));
  const MotifCounts counts = counts_of(graph_of(rows), request);
  const __int128 n = kLeaves;
  EXPECT_TRUE(counts[at(Motif::FourCycle)] == n * (n - 1) / 2);
  EXPECT_TRUE(counts[at(Motif::Diamond)] == n * (n - 1) / 2);
  EXPECT_TRUE(counts[at(Motif::Triangle)] == n);
  EXPECT_TRUE(counts[at(Motif::FourStar)] == (n + 1) * n * (n - 1) / 3);
}

/// Its neighbourhoods are dense, so that rows of bits are used for every purpose.
TEST(Motif, DenseGraph) {
  std::mt19937 random(5);
  Adjacency adjacency = without_edges(90);
  std::bernoulli_distribution is_edge(0.7);
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (is_edge(random)) join(adjacency, u, v);
    }
  }
  const Graph graph = graph_of(adjacency);
  const MotifCounts all = counts_of(graph, all_motifs(), 1, 0);
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_TRUE(all == counts_of(graph, all_motifs(), threads));
    check_four(graph, all, threads);
  }
}

TEST(Motif, LargeStar) {
  constexpr std::size_t kLeaves = 4000;
  Adjacency star = without_edges(kLeaves + 1);
  for (std::size_t v = 1; v <= kLeaves; ++v) join(star, 0, v);
  const MotifCounts counts = counts_of(graph_of(star), all_motifs(), 1);
  const __int128 n = kLeaves;
  EXPECT_TRUE(counts[at(Motif::FiveStar)] == n * (n - 1) / 2 * (n - 2) / 3 * (n - 3) / 4);
  EXPECT_TRUE(counts[at(Motif::FivePath)] == 0);
}

void check_stops(const MotifSet& motifs) {
  std::atomic<std::uint32_t> request = 1;
  MotifRequest wanted;
  wanted.wanted = motifs;
  wanted.stops.maybe_request = &request;
  Adjacency edge = without_edges(5);
  join(edge, 0, 1);
  const Graph graph = graph_of(edge);
  const Result<MotifOutcome> stopped = count_motifs(graph, wanted, set_kernels(best_tier()));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->end, End::Stopped);
  wanted.stops.maybe_request = nullptr;
  wanted.stops.deadline = std::chrono::steady_clock::now();
  const Result<MotifOutcome> late = count_motifs(graph, wanted, set_kernels(best_tier()));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->end, End::Deadline);
}

TEST(Motif, Stops) {
  check_stops(all_motifs());
  check_stops(MotifSet().set(at(Motif::FourCycle)));
  check_stops(MotifSet().set(at(Motif::FourCycle)).set(at(Motif::Diamond)));
}

}  // namespace
}  // namespace matcha::runtime::motif
