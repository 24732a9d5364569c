// Reads of rows that random walks expect, against those of all ways to place the vertices.

#include "incremental/runtime/row_walks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace matcha::runtime::stream {
namespace {

constexpr std::uint32_t kLayers = 3;

using Reads = std::map<std::pair<std::uint32_t, bool>, double>;

TermPattern walk_pattern(bool directed, std::vector<Mask> after) {
  TermPattern pattern;
  pattern.directed = directed;
  pattern.size = pattern.walked = static_cast<int>(after.size());
  pattern.after = std::move(after);
  pattern.before.assign(pattern.after.size(), 0);
  pattern.off_after = pattern.off_before = pattern.larger = pattern.before;
  pattern.classes.assign(pattern.after.size(), kAnyClass);
  return pattern;
}

/// Every vertex in turn for every vertex of the term, and then the conditions.
Reads reads_of(const Term& term, const DynamicGraph& graph, const std::vector<BatchUpdate>& updates) {
  Reads reads;
  const TermPattern& pattern = term.pattern;
  std::vector<std::uint32_t> places(pattern.after.size());
  const auto has = [](Mask mask, std::size_t bit) { return (mask >> bit & 1) != 0; };
  const auto add_steps = [&](std::size_t v) {
    for (const TermStep& step : term.steps[v]) {
      if (step.kind == TermStep::Kind::Below || step.kind == TermStep::Kind::Above) continue;
      const std::uint32_t row = graph.layers() * places[step.vertex] + step.layer;
      reads[{row, step.backwards && graph.directed()}] += 1;
    }
  };
  const std::function<void(std::size_t)> place = [&](std::size_t v) {
    if (v >= pattern.after.size()) return;
    for (std::uint32_t c = 0; c < graph.rows(false).size() / graph.layers(); ++c) {
      bool fits = true;
      for (std::size_t u = 0; u < v; ++u) {
        fits = fits && c != places[u];
        fits = fits && (!has(pattern.after[v], u) || graph.has_edge(places[u], c));
        fits = fits && (!has(pattern.before[v], u) || graph.has_edge(c, places[u]));
        fits = fits && (!has(pattern.off_after[v], u) || !graph.has_edge(places[u], c));
        fits = fits && (!has(pattern.larger[u], v) || places[u] < c);
        fits = fits && (!has(pattern.larger[v], u) || c < places[u]);
      }
      places[v] = c;
      for (const LayerArc& arc : pattern.arcs) {
        if (std::max(at(arc.from), at(arc.to)) != v) continue;
        fits = fits && graph.has_edge(places[at(arc.from)], places[at(arc.to)], arc.layer);
      }
      if (!fits) continue;
      add_steps(v);
      place(v + 1);
    }
  };
  for (const BatchUpdate& update : updates) {
    places[0] = update.u;
    places[1] = update.v;
    if (update.layer != pattern.layer) continue;
    if (graph.layers() > 1) {
      add_steps(1);
    } else {
      reads[{update.u, false}] += 1;
      reads[{update.v, graph.directed()}] += 1;
    }
    place(2);
  }
  return reads;
}

void compare_walks(TermPattern pattern, std::uint32_t layers = 1) {
  constexpr std::uint32_t kVertices = 14;
  std::mt19937 random(3);
  DynamicGraph graph(pattern.directed, 1, std::vector<std::uint32_t>(kVertices, 0), layers);
  std::vector<BatchUpdate> updates;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    for (std::uint32_t u = 0; u < kVertices; ++u) {
      for (std::uint32_t v = 0; v < kVertices; ++v) {
        if (u == v) continue;
        if (random() % 10 < 4) {
          graph.insert(u, v, layer);
        } else if (updates.size() < 20 * (layer + 1)) {
          updates.push_back({u, v, 1, layer});
        }
      }
    }
  }
  const Term term = make_term(std::move(pattern));
  SharedTerms terms;
  terms.all.push_back({&term, false});
  terms.classes = 1;
  terms.by_classes.resize(layers);
  terms.by_classes[term.pattern.layer] = {0};
  const Reads expected = reads_of(term, graph, updates);
  RowWalks walks(graph);
  Reads found;
  constexpr int kTimes = 4000;
  for (int i = 0; i < kTimes; ++i) {
    for (const RowWalks::Read& read : walks.estimate(terms, updates)) {
      found[{read.row, read.backwards}] += read.times / kTimes;
    }
  }
  double all = 0;
  for (const auto& [row, times] : expected) all += times;
  EXPECT_GT(all, static_cast<double>(2 * updates.size()));
  for (const auto& [row, times] : found) {
    const auto is = expected.find(row);
    ASSERT_NE(is, expected.end()) << row.first;
  }
  for (const auto& [row, times] : expected) {
    EXPECT_NEAR(found[row], times, 0.1 * times + 0.01 * all / static_cast<double>(expected.size()))
        << "row " << row.first << (row.second ? " backwards" : "");
  }
}

TEST(RowWalks, EstimateTheReadsOfASearch) {
  compare_walks(walk_pattern(false, {0, 0, 0b11, 0b111}));         // A clique of 4.
  compare_walks(walk_pattern(false, {0, 0, 0b10, 0b101, 0b100}));  // A cycle with a tail.
  TermPattern wedge = walk_pattern(false, {0, 0, 0b01, 0b110, 0b1000});
  wedge.off_after[2] = 0b10;
  wedge.larger[2] = 0b1000;
  compare_walks(std::move(wedge));
  TermPattern arcs = walk_pattern(true, {0, 0, 0b10, 0b10, 0b1000});
  arcs.before[2] = 0b01;
  arcs.before[3] = 0b100;
  compare_walks(std::move(arcs));
  for (const bool directed : {false, true}) {
    TermPattern layered = walk_pattern(directed, {0, 0, 0b01, 0b100});
    layered.layer = 1;
    layered.arcs = {{1, 2, 2}, {3, 2, 1}, {1, 3, 2}};
    compare_walks(std::move(layered), kLayers);
  }
}

}  // namespace
}  // namespace matcha::runtime::stream
