// Changes of rows with stamps, compared with a graph that applies one update after the other, and a graph's record of
// its changes.

#include "incremental/runtime/batch_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "incremental/runtime/graph_versions.h"

namespace matcha::runtime::stream {
namespace {

constexpr std::uint32_t kVertices = 30;

DynamicGraph random_graph(bool directed, unsigned seed, std::uint32_t layers = 1) {
  std::mt19937 random(seed);
  DynamicGraph graph(directed, 1, std::vector<std::uint32_t>(kVertices, 0), layers);
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    for (std::uint32_t u = 0; u < kVertices; ++u) {
      for (std::uint32_t v = directed ? 0 : u + 1; v < kVertices; ++v) {
        if (u != v && random() % 10 < (u == 0 ? 8U : 4U)) graph.insert(u, v, layer);
      }
    }
  }
  return graph;
}

std::vector<BatchUpdate> edges_of(const DynamicGraph& graph, bool there) {
  std::vector<BatchUpdate> edges;
  for (std::uint32_t layer = 0; layer < graph.layers(); ++layer) {
    for (std::uint32_t u = 0; u < kVertices; ++u) {
      for (std::uint32_t v = graph.directed() ? 0 : u + 1; v < kVertices; ++v) {
        if (u != v && graph.has_edge(u, v, layer) == there) edges.push_back({u, v, there ? 0U : 1U, layer});
      }
    }
  }
  std::shuffle(edges.begin(), edges.end(), std::mt19937(7));
  edges.resize(std::min<std::size_t>(edges.size(), 70));
  return edges;
}

/// The version of a row seen by an update, by the rule of incremental/runtime/device/delta_data.h.
std::vector<std::uint32_t> seen(BatchRows& batch, const BatchRows::Row& row, std::uint32_t update) {
  constexpr std::uint32_t kGoes = 1U << 31;
  const std::span<const std::uint32_t> before = batch.row_before(row.backwards, row.row);
  std::vector<std::uint32_t> items(before.begin(), before.end());
  const std::uint32_t* const changes = batch.words().data() + row.word;
  EXPECT_EQ(changes[0], row.changes);
  for (std::uint32_t i = 1; i <= row.changes; ++i) {
    const std::uint32_t stamp = changes[i + row.changes];
    EXPECT_EQ(std::ranges::count(items, changes[i]), stamp >= kGoes ? 1 : 0);
    if (stamp >= kGoes ? update >= stamp - kGoes : update < stamp) {
      std::erase(items, changes[i]);
    } else if (stamp < kGoes) {
      items.push_back(changes[i]);
    }
  }
  std::ranges::sort(items);
  return items;
}

/// Added edges, removed edges, or both in turn.
std::vector<BatchUpdate> updates_of(const DynamicGraph& graph, bool adds, bool removes) {
  std::vector<BatchUpdate> updates;
  if (removes) updates = edges_of(graph, true);
  if (adds) {
    const std::vector<BatchUpdate> more = edges_of(graph, false);
    updates.insert(updates.end(), more.begin(), more.end());
  }
  std::shuffle(updates.begin(), updates.end(), std::mt19937(9));
  return updates;
}

struct Case {
  bool adds = false, removes = false;
  std::uint32_t layers = 1;
};

TEST(BatchRows, EveryUpdateSeesItsGraph) {
  for (const bool directed : {false, true}) {
    for (const auto& [adds, removes, layers] : {Case{false, true}, {true, false}, {true, true}, {true, true, 3}}) {
      SCOPED_TRACE(testing::Message() << (directed ? "directed" : "undirected") << (adds ? ", come" : "")
                                      << (removes ? ", go" : "") << ", layers: " << layers);
      DynamicGraph graph = random_graph(directed, 1, layers), alone = random_graph(directed, 1, layers),
                   changed = random_graph(directed, 1, layers);
      const std::vector<BatchUpdate> updates = updates_of(graph, adds, removes);
      for (const BatchUpdate& update : updates) {
        (void)(update.is_insert() ? changed.insert(update.u, update.v, update.layer)
                                  : changed.erase(update.u, update.v, update.layer));
      }
      BatchRows batch(graph), later(changed);
      ASSERT_TRUE(batch.open(updates, BatchRows::Graph::Before));
      ASSERT_TRUE(later.open(updates, BatchRows::Graph::After));
      EXPECT_TRUE(std::ranges::equal(batch.words(), later.words()));
      for (std::uint32_t i = 0; i < updates.size(); ++i) {
        if (!updates[i].is_insert()) {
          alone.erase(updates[i].u, updates[i].v, updates[i].layer);
        }
        for (const BatchRows::Row& row : batch.rows()) {
          for (BatchRows* rows : {&batch, &later}) {
            ASSERT_TRUE(std::ranges::equal(seen(*rows, row, i), alone.rows(row.backwards).row(row.row)))
                << "update " << i << " row " << row.row;
          }
          EXPECT_TRUE(batch.has(row.backwards, row.row));
        }
        if (updates[i].is_insert()) {
          alone.insert(updates[i].u, updates[i].v, updates[i].layer);
        }
      }
      for (const BatchRows::Row& row : batch.rows()) {
        const std::size_t before = graph.rows(row.backwards).row(row.row).size();
        EXPECT_EQ(static_cast<std::int64_t>(before) + row.more,
                  static_cast<std::int64_t>(changed.rows(row.backwards).row(row.row).size()));
      }
      batch.close();
      EXPECT_EQ(graph.edge_count(), alone.edge_count());
      for (const bool backwards : {false, true}) {
        for (std::uint32_t row = 0; row < kVertices * layers; ++row) {
          EXPECT_TRUE(std::ranges::equal(graph.rows(backwards).row(row), alone.rows(backwards).row(row)));
        }
      }
      // They are there now, or are not any more; and none may be twice among them.
      EXPECT_FALSE(batch.open(updates, BatchRows::Graph::Before));
      EXPECT_FALSE(later.open({&updates[0], 1}, BatchRows::Graph::Before));
      const BatchUpdate back{updates[0].u, updates[0].v, updates[0].slot ^ 1, updates[0].layer};
      const std::vector<BatchUpdate> twice = {back, back};
      EXPECT_FALSE(batch.open(twice, BatchRows::Graph::Before));
      EXPECT_TRUE(batch.open({&back, 1}, BatchRows::Graph::Before));
      EXPECT_FALSE(batch.open({&back, 1}, BatchRows::Graph::After));
    }
  }
}

TEST(DynamicGraph, NotesWhichRowsChange) {
  constexpr std::uint32_t kLayers = 3;
  DynamicGraph graph = random_graph(false, 2, kLayers);
  EXPECT_TRUE(graph.take_changes().all);
  EXPECT_FALSE(graph.take_changes().all);
  const BatchUpdate gone = edges_of(graph, true).front();
  const EdgeUpdate edge{gone.u, gone.v, gone.layer};
  graph.erase(edge.u, edge.v, edge.layer);
  EXPECT_FALSE(graph.erase(edge.u, edge.v, edge.layer));
  const DynamicGraph::Changes changes = graph.take_changes();
  EXPECT_FALSE(changes.all);
  EXPECT_EQ(changes.rows, (std::vector<std::uint32_t>{kLayers * edge.u + edge.layer, kLayers * edge.v + edge.layer}));
  GraphVersions versions(graph);
  ASSERT_EQ(versions.open({&edge, 1}, true), 1U);
  versions.close(true);
  EXPECT_EQ(graph.take_changes().rows.size(), 2U);
  const std::uint64_t layout = graph.layout();
  graph.set_class(kVertices, 0);
  EXPECT_NE(graph.layout(), layout);
  EXPECT_TRUE(graph.take_changes().all);
}

}  // namespace
}  // namespace matcha::runtime::stream
