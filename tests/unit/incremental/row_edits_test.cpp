// Many edges added to a graph at once, compared with sets of pairs; old versions of rows during updates; and rows in
// other memory.

#include "incremental/runtime/row_edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "incremental/runtime/kept_rows.h"
#include "incremental/runtime/row_places.h"

namespace matcha::runtime::stream {
namespace {

using Row = std::vector<std::uint32_t>;

/// A graph, and its arcs as a set, by layer: for an undirected graph, both arcs of an edge.
class Edited {
 public:
  Edited(bool directed, std::uint32_t vertices, unsigned seed, std::uint32_t layers = 1)
      : graph(directed, 1, std::vector<std::uint32_t>(vertices, 0), layers),
        edits(graph),
        random_(seed),
        vertices_(vertices) {}

  /// At most `count` different edges, most of them at the first `hubs` vertices. Edges that are present are deleted,
  /// the others inserted.
  std::vector<RowEdits::Edge> some_edges(std::size_t count, std::uint32_t hubs) {
    std::set<Arc> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t u = random_() % (i % 2 == 0 ? hubs : vertices_), v = random_() % vertices_;
      const std::uint32_t layer = random_() % graph.layers();
      if (u != v && (graph.directed() || !pairs.contains({layer, v, u}))) pairs.insert({layer, u, v});
    }
    std::vector<RowEdits::Edge> edges;
    for (const Arc& arc : pairs) {
      const auto& [layer, u, v] = arc;
      edges.push_back({u, v, !arcs_.contains(arc), layer});
    }
    std::shuffle(edges.begin(), edges.end(), random_);
    return edges;
  }
  bool make(const std::vector<RowEdits::Edge>& edges, KeptRows* maybe_kept) {
    if (!edits.make(edges, maybe_kept)) return false;
    for (const RowEdits::Edge& edge : edges) {
      set({edge.layer, edge.u, edge.v}, edge.is_insert);
      if (!graph.directed()) set({edge.layer, edge.v, edge.u}, edge.is_insert);
    }
    return true;
  }
  /// By its number.
  Row row(bool backwards, std::uint32_t number) const {
    const std::span<const std::uint32_t> items = graph.rows(backwards).row(number);
    return {items.begin(), items.end()};
  }
  void check() const {
    std::size_t edges = 0;
    const std::uint32_t layers = graph.layers();
    std::vector<Row> after(layers * vertices_), before(layers * vertices_);
    for (const auto& [layer, u, v] : arcs_) {
      after[layers * u + layer].push_back(v);
      before[layers * v + layer].push_back(u);
      edges += layer == 0 ? 1 : 0;
    }
    EXPECT_EQ(graph.edge_count(), graph.directed() ? edges : edges / 2);
    for (std::uint32_t number = 0; number < layers * vertices_; ++number) {
      ASSERT_EQ(row(false, number), after[number]) << number;
      ASSERT_EQ(row(true, number), before[number]) << number;
    }
  }

  DynamicGraph graph;
  RowEdits edits;

 private:
  using Arc = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< Layer, and ends.

  void set(const Arc& arc, bool there) {
    if (there) {
      arcs_.insert(arc);
    } else {
      arcs_.erase(arc);
    }
  }

  std::mt19937 random_;
  std::uint32_t vertices_;
  std::set<Arc> arcs_;
};

TEST(RowEdits, RowsEqualSets) {
  for (const bool directed : {false, true}) {
    // Few rows and many, which several threads take.
    for (const std::uint32_t vertices : {3U, 20U, 900U}) {
      SCOPED_TRACE(testing::Message() << (directed ? "directed, " : "undirected, ") << vertices);
      Edited edited(directed, vertices, vertices, vertices == 20 ? 3 : 1);
      (void)edited.graph.take_changes();
      for (int turn = 0; turn < 30; ++turn) {
        ASSERT_TRUE(edited.make(edited.some_edges(turn % 3 == 0 ? 4 : 2 * vertices, 1 + turn % 3), nullptr));
        ASSERT_NO_FATAL_FAILURE(edited.check());
      }
      EXPECT_TRUE(edited.graph.take_changes().rows.empty());
    }
  }
}

TEST(RowEdits, AllOrNothing) {
  for (const bool directed : {false, true}) {
    Edited edited(directed, 12, 3);
    ASSERT_TRUE(edited.make(edited.some_edges(40, 12), nullptr));
    const std::vector<RowEdits::Edge> fitting = edited.some_edges(30, 12);
    ASSERT_GT(fitting.size(), 4U);
    for (std::size_t at = 0; at < fitting.size(); ++at) {
      std::vector<RowEdits::Edge> edges = fitting;
      edges[at].is_insert = !edges[at].is_insert;
      EXPECT_FALSE(edited.make(edges, nullptr));
      edges = fitting;
      edges.push_back(fitting[at]);
      EXPECT_FALSE(edited.make(edges, nullptr));
    }
    ASSERT_NO_FATAL_FAILURE(edited.check());
    EXPECT_TRUE(edited.make({}, nullptr));
    EXPECT_TRUE(edited.make(fitting, nullptr));
  }
}

TEST(KeptRows, AreAsTheyWereWhileTheGraphChanges) {
  constexpr std::uint32_t kVertices = 40, kLayers = 2, kRows = kLayers * kVertices;
  for (const bool directed : {false, true}) {
    SCOPED_TRACE(directed ? "directed" : "undirected");
    Edited edited(directed, kVertices, 5, kLayers);
    RowPlaces places;
    KeptRows kept(edited.graph, places);
    ASSERT_TRUE(edited.make(edited.some_edges(300, 5), nullptr));
    // Nothing is far yet.
    EXPECT_FALSE(kept.wants(false, 0));
    places.reset(2 * kRows, 1 << 12, RowPlaces::Kind::Remote);
    const auto slot = [](bool backwards, std::uint32_t row) { return row + (backwards ? kRows : 0); };
    for (const bool backwards : {false, true}) {
      if (backwards && !directed) continue;
      for (std::uint32_t p = 0; p < kRows; ++p) {
        const auto size = static_cast<std::uint32_t>(edited.row(backwards, p).size());
        ASSERT_TRUE(places.put(slot(backwards, p), size, p % 3 == 0));
      }
    }
    kept.reset();
    for (int turn = 0; turn < 20; ++turn) {
      // The rows of a batch before it, even if the next one changes them again.
      std::vector<Row> before[2];
      for (const bool backwards : {false, true}) {
        for (std::uint32_t p = 0; p < kRows; ++p) before[backwards].push_back(edited.row(backwards, p));
      }
      std::set<std::pair<bool, std::uint32_t>> changed;
      for (int part = 0; part < 2; ++part) {
        const std::vector<RowEdits::Edge> edges = edited.some_edges(12, 4);
        for (const RowEdits::Edge& edge : edges) {
          changed.insert({false, kLayers * edge.u + edge.layer});
          changed.insert({directed, kLayers * edge.v + edge.layer});
        }
        ASSERT_TRUE(edited.make(edges, &kept));
      }
      kept.begin();
      const std::vector<RowEdits::Edge> later = edited.some_edges(12, 4);
      ASSERT_TRUE(edited.make(later, &kept));
      for (const auto& [backwards, p] : changed) {
        const auto found = kept.find(slot(backwards, p));
        ASSERT_EQ(found.has_value(), p % 3 != 0) << p;
        EXPECT_TRUE(!found || std::ranges::equal(*found, before[backwards][p])) << p;
      }
      ASSERT_NO_FATAL_FAILURE(edited.check());
      const Row row = {1, 2, 7};
      EXPECT_TRUE(std::ranges::equal(kept.put(slot(false, 3), row), row));
      EXPECT_TRUE(std::ranges::equal(kept.find(slot(false, 3)).value(), row));
      kept.end();
      EXPECT_FALSE(kept.find(slot(false, 3)));
      (void)edited.graph.take_changes();
      kept.undo();
      std::set<std::uint32_t> noted;
      for (const std::uint32_t row : edited.graph.take_changes().rows) noted.insert(row);
      std::set<std::uint32_t> wanted;
      for (const RowEdits::Edge& edge : later) {
        for (const std::uint32_t end : {edge.u, edge.v}) {
          const std::uint32_t row = kLayers * end + edge.layer;
          if (row % 3 != 0) wanted.insert(row);
        }
      }
      EXPECT_EQ(noted, wanted);
    }
  }
}

TEST(KeptRows, WantFetchedRows) {
  // The device copies them from the host while the host applies the next updates.
  DynamicGraph graph(false, 1, std::vector<std::uint32_t>(4, 0));
  RowPlaces places;
  KeptRows kept(graph, places);
  places.reset(4, 1 << 10, RowPlaces::Kind::Remote);
  for (std::uint64_t slot = 0; slot < 4; ++slot) ASSERT_TRUE(places.put(slot, 3, slot == 0));
  kept.reset();
  places.begin_turn(100);
  const std::vector<RowPlaces::Read> reads = {{0, 9}, {1, 9}};
  EXPECT_EQ(places.choose(reads).sent, 1U);
  EXPECT_TRUE(places.is_resident(1));
  EXPECT_FALSE(kept.wants(false, 0));
  EXPECT_TRUE(kept.wants(false, 1));
  EXPECT_TRUE(kept.wants(false, 2));
  places.begin_turn(100);
  EXPECT_FALSE(kept.wants(false, 1));
}

TEST(DynamicGraph, RowsMoveToOtherMemory) {
  for (const bool directed : {false, true}) {
    Edited edited(directed, 300, 8);
    ASSERT_TRUE(edited.make(edited.some_edges(2000, 20), nullptr));
    (void)edited.graph.take_changes();
    std::uint64_t given = 0;
    const auto memory = [&given](std::uint64_t items) {
      given += items;
      return std::shared_ptr<std::uint32_t[]>(new std::uint32_t[items]);
    };
    EXPECT_FALSE(edited.graph.is_rehoused());
    const auto none = [](std::uint64_t) -> std::shared_ptr<std::uint32_t[]> { throw std::bad_alloc(); };
    EXPECT_THROW(edited.graph.rehouse(none), std::bad_alloc);
    ASSERT_NO_FATAL_FAILURE(edited.check());
    edited.graph.rehouse(memory);
    EXPECT_TRUE(edited.graph.is_rehoused());
    EXPECT_FALSE(edited.graph.take_changes().all);
    EXPECT_EQ(edited.graph.array_bytes(), given * sizeof(std::uint32_t));
    const std::uint64_t first = given;
    for (int turn = 0; turn < 10; ++turn) ASSERT_TRUE(edited.make(edited.some_edges(4000, 300), nullptr));
    ASSERT_NO_FATAL_FAILURE(edited.check());
    EXPECT_GT(given, first);
    EXPECT_EQ(edited.graph.array_bytes(), given * sizeof(std::uint32_t));
  }
}

}  // namespace
}  // namespace matcha::runtime::stream
