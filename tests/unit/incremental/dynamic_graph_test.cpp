// Graphs that change: against sets of pairs.

#include "incremental/runtime/dynamic_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

namespace matcha::runtime::stream {
namespace {

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// The contents of a graph's rows, by vertices.
Edges edges_of(const DynamicGraph& graph, std::uint32_t vertices) {
  Edges found;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (graph.place(v) == DynamicGraph::kNone) continue;
    const auto row = graph.after(graph.place(v));
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
    for (std::uint32_t p : row) found.emplace(v, graph.vertex(p));
  }
  return found;
}

TEST(ArrayPool, ClassesAreTheLeastThatFit) {
  for (std::uint64_t items = 1; items < 5000; ++items) {
    const std::uint32_t c = ArrayPool::class_of(items);
    EXPECT_GE(ArrayPool::capacity_of(c), items);
    if (c > 0) {
      EXPECT_LT(ArrayPool::capacity_of(c - 1), items);
    }
    EXPECT_LE(ArrayPool::capacity_of(c), std::max<std::uint64_t>(2, items * 3 / 2));
  }
}

TEST(ArrayPool, FreedArraysAreReused) {
  ArrayPool pool;
  std::uint32_t* array = pool.take(7);
  const std::uint64_t bytes = pool.bytes();
  pool.give_back(array, 7);
  EXPECT_EQ(pool.take(7), array);
  EXPECT_EQ(pool.bytes(), bytes);
}

TEST(PairSet, IsASet) {
  std::mt19937 random(3);
  PairSet pairs;
  std::set<std::uint64_t> known;
  for (int i = 0; i < 40000; ++i) {
    const std::uint32_t u = random() % 40, v = 40 + random() % (i < 20000 ? 60 : 20);
    const std::uint64_t pair = PairSet::pair_of(u, v);
    ASSERT_EQ(pairs.has(pair), known.count(pair) != 0);
    if (random() % 2 == 0) {
      ASSERT_EQ(pairs.add(pair), known.insert(pair).second);
    } else {
      ASSERT_EQ(pairs.erase(pair), known.erase(pair) != 0);
    }
    ASSERT_EQ(pairs.size(), known.size());
  }
  std::set<std::uint64_t> found;
  pairs.each([&](std::uint32_t u, std::uint32_t v) { EXPECT_TRUE(found.insert(PairSet::pair_of(u, v)).second); });
  EXPECT_EQ(found, known);
}

TEST(DynamicGraph, EdgesThatAreNotAskedForStandAside) {
  for (const bool directed : {false, true}) {
    std::uint32_t vertices = 30;
    constexpr std::uint32_t kClasses = 3;
    std::mt19937 random(directed ? 8 : 9);
    std::vector<std::uint32_t> classes(vertices);
    for (std::uint32_t& one : classes) one = random() % kClasses;
    DynamicGraph graph(directed, kClasses, classes);
    Edges edges;
    const auto is_asked = [&](std::uint32_t u, std::uint32_t v) { return classes[u] + classes[v] == 1; };
    for (int i = 0; i < 4000; ++i) {
      // Rows move when a class that is not the last one is full.
      if (i % 20 == 0) {
        classes.push_back(random() % kClasses);
        graph.set_class(vertices++, classes.back());
      }
      if (i == 300) graph.set_asked({false, true, false, true, false, false, false, false, false});
      const std::uint32_t u = random() % vertices, v = random() % vertices;
      if (u == v) continue;
      const std::uint32_t p = graph.place(u), q = graph.place(v);
      ASSERT_EQ(graph.asks(p, q), i < 300 || is_asked(u, v));
      const bool was_there = edges.count({u, v}) != 0;
      ASSERT_EQ(graph.has_edge(p, q), was_there);
      ASSERT_EQ(was_there ? graph.insert(p, q) : graph.erase(p, q), false);
      was_there ? graph.erase(p, q) : graph.insert(p, q);
      for (const auto& pair : {std::pair(u, v), std::pair(v, u)}) {
        if (directed && pair.first != u) continue;
        was_there ? static_cast<void>(edges.erase(pair)) : static_cast<void>(edges.insert(pair));
      }
      ASSERT_EQ(graph.edge_count(), edges.size() / (directed ? 1 : 2));
    }
    Edges in_rows, aside;
    for (const auto& [u, v] : edges) {
      if (is_asked(u, v)) in_rows.emplace(u, v);
    }
    EXPECT_EQ(edges_of(graph, vertices), in_rows);
    graph.each_aside([&](std::uint32_t p, std::uint32_t q) { EXPECT_TRUE(aside.emplace(p, q).second); });
    EXPECT_EQ(aside.size(), (edges.size() - in_rows.size()) / (directed ? 1 : 2));
    graph.keep_rows();
    graph.set_asked(std::vector<bool>(kClasses * kClasses, false));
    EXPECT_EQ(edges_of(graph, vertices), edges);
    EXPECT_EQ(graph.edge_count(), edges.size() / (directed ? 1 : 2));
  }
}

// If each edge moved into the row of the hub by itself, each would move half of the row: minutes.
TEST(DynamicGraph, EdgesOfAHubReturnAtOnce) {
  constexpr std::uint32_t kVertices = 1'000'000;
  DynamicGraph graph(false, 1, std::vector<std::uint32_t>(kVertices, 0));
  graph.insert(0, 7);
  graph.set_asked({false});
  for (std::uint32_t v = 1; v < kVertices; ++v) ASSERT_EQ(graph.insert(0, v), v != 7);
  EXPECT_EQ(graph.after(0).size(), 0U);
  graph.keep_rows();
  ASSERT_EQ(graph.after(0).size(), kVertices - 1);
  EXPECT_TRUE(std::ranges::is_sorted(graph.after(0)));
  EXPECT_EQ(graph.after(9).size(), 1U);
  EXPECT_EQ(graph.edge_count(), kVertices - 1);
}

/// The same of a layer.
Edges edges_in(const DynamicGraph& graph, std::uint32_t layer, std::uint32_t vertices) {
  Edges found;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (std::uint32_t p : graph.after(graph.place(v), layer)) {
      found.emplace(v, graph.vertex(p));
      EXPECT_TRUE(std::ranges::binary_search(graph.before(p, layer), graph.place(v)));
    }
  }
  return found;
}

TEST(DynamicGraph, LayersAreGraphsOfTheirOwn) {
  for (const bool directed : {false, true}) {
    std::uint32_t vertices = 20;
    constexpr std::uint32_t kLayers = 3;
    std::mt19937 random(directed ? 5 : 6);
    DynamicGraph graph(directed, 2, std::vector<std::uint32_t>(vertices, 0), kLayers);
    std::vector<Edges> edges(kLayers);
    graph.load(std::vector<std::pair<std::uint32_t, std::uint32_t>>{{3, 4}, {1, 2}}, 2);
    for (const auto& [u, v] : {std::pair(3U, 4U), std::pair(1U, 2U)}) {
      edges[2].emplace(u, v);
      if (!directed) edges[2].emplace(v, u);
    }
    for (int i = 0; i < 1500; ++i) {
      // The first class gets more places twice, and all rows move.
      if (i % 10 == 0) graph.set_class(vertices++, i % 20 == 0 ? 0 : 1);
      const std::uint32_t u = random() % vertices, v = random() % vertices, layer = random() % kLayers;
      if (u == v) continue;
      const std::uint32_t p = graph.place(u), q = graph.place(v);
      const bool there = edges[layer].count({u, v}) != 0;
      ASSERT_EQ(graph.has_edge(p, q, layer), there);
      ASSERT_TRUE(there ? graph.erase(p, q, layer) : graph.insert(p, q, layer));
      ASSERT_FALSE(there ? graph.erase(p, q, layer) : graph.insert(p, q, layer));
      for (const auto& edge : {std::pair(u, v), std::pair(v, u)}) {
        if (directed && edge.first != u) continue;
        if (there) {
          edges[layer].erase(edge);
        } else {
          edges[layer].insert(edge);
        }
      }
      if (i % 50 != 0) continue;
      for (std::uint32_t one = 0; one < kLayers; ++one) ASSERT_EQ(edges_in(graph, one, vertices), edges[one]);
      ASSERT_EQ(graph.edge_count(), directed ? edges[0].size() : edges[0].size() / 2);
    }
  }
}

TEST(DynamicGraph, FollowsASetOfPairs) {
  for (const bool directed : {false, true}) {
    constexpr std::uint32_t kVertices = 40;
    std::mt19937 random(directed ? 1 : 2);
    std::vector<std::uint32_t> classes(kVertices);
    for (std::uint32_t& c : classes) c = random() % 3;
    DynamicGraph graph(directed, 3, classes);
    Edges edges;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> first;
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t u = random() % kVertices, v = random() % kVertices;
      if (u == v || edges.count({u, v}) != 0) continue;
      first.emplace_back(u, v);
      edges.emplace(u, v);
      if (!directed) edges.emplace(v, u);
    }
    graph.load(first);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t u = random() % kVertices, v = random() % kVertices;
      if (u == v) continue;
      const bool there = edges.count({u, v}) != 0;
      EXPECT_EQ(graph.has_edge(graph.place(u), graph.place(v)), there);
      // Grows and shrinks in turn.
      if (random() % 100 < (i / 2000 % 2 == 0 ? 70U : 20U)) {
        EXPECT_EQ(graph.insert(graph.place(u), graph.place(v)), !there);
        edges.emplace(u, v);
        if (!directed) edges.emplace(v, u);
      } else {
        EXPECT_EQ(graph.erase(graph.place(u), graph.place(v)), there);
        edges.erase({u, v});
        if (!directed) edges.erase({v, u});
      }
      if (i % 500 == 0) {
        EXPECT_EQ(edges_of(graph, kVertices), edges);
      }
      EXPECT_EQ(graph.edge_count(), directed ? edges.size() : edges.size() / 2);
    }
    for (std::uint32_t v = 0; v < kVertices; ++v) {
      Edges sources;
      for (std::uint32_t p : graph.before(graph.place(v))) sources.emplace(graph.vertex(p), v);
      for (const auto& [a, b] : edges) EXPECT_EQ(sources.count({a, b}), b == v ? 1U : 0U);
    }
  }
}

TEST(DynamicGraph, VerticesOfAClassLieSideBySide) {
  DynamicGraph graph(false, 2, {1, 0, DynamicGraph::kNone, 1});
  EXPECT_EQ(graph.place(2), DynamicGraph::kNone);
  graph.insert(graph.place(0), graph.place(1));
  // More than there is room for.
  for (std::uint32_t v = 4; v < 300; ++v) {
    graph.set_class(v, v % 2);
    graph.insert(graph.place(v), graph.place(0));
  }
  graph.set_class(2, 0);
  for (std::uint32_t v = 0; v < 300; ++v) {
    const std::uint32_t c = graph.class_at(graph.place(v));
    const auto [begin, end] = graph.places_of(c);
    EXPECT_EQ(c, v == 0 || v == 3 ? 1U : v < 4 ? 0U : v % 2);
    EXPECT_GE(graph.place(v), begin);
    EXPECT_LT(graph.place(v), end);
    EXPECT_EQ(graph.vertex(graph.place(v)), v);
    if (v == 1 || v > 3) {
      EXPECT_TRUE(graph.has_edge(graph.place(0), graph.place(v))) << v;
    }
  }
  EXPECT_EQ(graph.edge_count(), 297U);
  EXPECT_EQ(graph.vertices_of(0) + graph.vertices_of(1), 300U);
  // Out, and in again with another class.
  graph.erase(graph.place(5), graph.place(0));
  graph.set_class(5, DynamicGraph::kNone);
  EXPECT_EQ(graph.place(5), DynamicGraph::kNone);
  graph.set_class(5, 0);
  EXPECT_EQ(graph.class_at(graph.place(5)), 0U);
  EXPECT_EQ(graph.edge_count(), 296U);
}

TEST(DynamicGraph, MemoryStaysInAWindow) {
  constexpr std::uint32_t kVertices = 2000, kWindow = 20000;
  std::mt19937 random(7);
  DynamicGraph graph(false, 1, std::vector<std::uint32_t>(kVertices, 0));
  std::deque<std::pair<std::uint32_t, std::uint32_t>> window;
  std::uint64_t after_one = 0;
  for (std::size_t i = 0; i < 120 * kWindow; ++i) {
    // Some vertices have many neighbours, other ones from time to time.
    const std::uint32_t hub = static_cast<std::uint32_t>(i / kWindow) * 7 + random() % 5;
    const std::uint32_t u = random() % 2 == 0 ? hub % kVertices : random() % kVertices, v = random() % kVertices;
    if (u != v && graph.insert(u, v)) window.emplace_back(u, v);
    if (window.size() > kWindow) {
      graph.erase(window.front().first, window.front().second);
      window.pop_front();
    }
    if (i == 60 * kWindow) after_one = graph.bytes();
  }
  EXPECT_LE(graph.bytes(), after_one * 5 / 4);
}

}  // namespace
}  // namespace matcha::runtime::stream
