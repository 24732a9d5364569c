// Rows with stamps, against a graph that takes one update after the other, and what a graph notes of its changes.

#include "runtime/stream/batch_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace matcha::runtime::stream {
namespace {

constexpr std::uint32_t kVertices = 30;

DynamicGraph random_graph(bool directed, unsigned seed) {
  std::mt19937 random(seed);
  DynamicGraph graph(directed, 1, std::vector<std::uint32_t>(kVertices, 0));
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = directed ? 0 : u + 1; v < kVertices; ++v) {
      if (u != v && random() % 10 < (u == 0 ? 8U : 4U)) graph.insert(u, v);
    }
  }
  return graph;
}

std::vector<EdgeUpdate> edges_of(const DynamicGraph& graph, bool there) {
  std::vector<EdgeUpdate> edges;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = graph.directed() ? 0 : u + 1; v < kVertices; ++v) {
      if (u != v && graph.has_edge(u, v) == there) edges.push_back({u, v});
    }
  }
  std::shuffle(edges.begin(), edges.end(), std::mt19937(7));
  edges.resize(std::min<std::size_t>(edges.size(), 70));
  return edges;
}

/// What an update sees of a row, by the rule of runtime/common/delta_data.h.
std::vector<std::uint32_t> seen(const BatchRows& batch, const BatchRows::Row& row, std::uint32_t update, bool come) {
  std::vector<std::uint32_t> items;
  for (std::uint32_t i = 0; i < row.size; ++i) {
    const std::uint32_t stamp = batch.words()[row.items + row.size + i];
    if ((stamp <= update) == come) items.push_back(batch.words()[row.items + i]);
  }
  return items;
}

TEST(BatchRows, EveryUpdateSeesItsGraph) {
  for (const bool directed : {false, true}) {
    for (const bool come : {false, true}) {
      SCOPED_TRACE(testing::Message() << (directed ? "directed" : "undirected") << (come ? ", come" : ", go"));
      DynamicGraph graph = random_graph(directed, 1), alone = random_graph(directed, 1);
      const std::vector<EdgeUpdate> updates = edges_of(graph, !come);
      BatchRows batch(graph);
      ASSERT_TRUE(batch.open(updates, come));
      for (std::uint32_t i = 0; i < updates.size(); ++i) {
        if (!come) {
          alone.erase(updates[i].u, updates[i].v);
        }
        for (const BatchRows::Row& row : batch.rows()) {
          ASSERT_TRUE(std::ranges::equal(seen(batch, row, i, come), alone.rows(row.backwards).row(row.place)))
              << "update " << i << " place " << row.place;
        }
        if (come) {
          alone.insert(updates[i].u, updates[i].v);
        }
      }
      batch.close();
      EXPECT_EQ(graph.edge_count(), alone.edge_count());
      for (const bool backwards : {false, true}) {
        for (std::uint32_t p = 0; p < kVertices; ++p) {
          EXPECT_TRUE(std::ranges::equal(graph.rows(backwards).row(p), alone.rows(backwards).row(p)));
        }
      }
      // They are there now, or are not any more; and none may be twice among them.
      EXPECT_FALSE(batch.open(updates, come));
      const std::vector<EdgeUpdate> twice = {updates[0], updates[0]};
      EXPECT_FALSE(batch.open(twice, !come));
      EXPECT_TRUE(batch.open({&updates[0], 1}, !come));
    }
  }
}

TEST(DynamicGraph, NotesWhichRowsChange) {
  DynamicGraph graph = random_graph(false, 2);
  EXPECT_TRUE(graph.take_changes().all);
  EXPECT_FALSE(graph.take_changes().all);
  const EdgeUpdate edge = edges_of(graph, true).front();
  graph.erase(edge.u, edge.v);
  EXPECT_FALSE(graph.erase(edge.u, edge.v));
  const DynamicGraph::Changes changes = graph.take_changes();
  EXPECT_FALSE(changes.all);
  EXPECT_EQ(changes.places, (std::vector<std::uint32_t>{edge.u, edge.v}));
  GraphVersions versions(graph);
  ASSERT_EQ(versions.open({&edge, 1}, true), 1U);
  versions.close(true);
  EXPECT_EQ(graph.take_changes().places.size(), 2U);
  const std::uint64_t layout = graph.layout();
  graph.set_class(kVertices, 0);
  EXPECT_NE(graph.layout(), layout);
  EXPECT_TRUE(graph.take_changes().all);
}

}  // namespace
}  // namespace matcha::runtime::stream
