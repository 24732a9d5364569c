// Deltas of patterns, against a search through all maps of pattern vertices to vertices.

#include "incremental/delta_query.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "question/read.h"
#include "question/symmetry.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::session::stream {
namespace {

using pattern::bit;
using pattern::DeltaAnswer;
using pattern::Induced;
using pattern::Pattern;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using Map = std::vector<std::uint32_t>;

Pattern pattern_of(const std::string& text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto set = pattern::read_pattern(sources, sources.add("<pattern>", text), diagnostics);
  EXPECT_TRUE(set) << text << render_text(diagnostics, false);
  return set->patterns.front();
}

/// A graph as a matrix.
struct Matrix {
  bool directed = false;
  std::vector<std::uint32_t> labels;
  std::vector<std::vector<bool>> arc;

  void set(std::uint32_t u, std::uint32_t v, bool there) {
    arc[u][v] = there;
    if (!directed) arc[v][u] = there;
  }
};

/// All embeddings, by looking at every injective map.
std::set<Map> embeddings(const Pattern& pattern, Induced induced, const Matrix& graph) {
  std::set<Map> found;
  Map map;
  const auto fits = [&](int u, int v) {
    const bool wanted = (pattern.out[static_cast<std::size_t>(u)] & bit(v)) != 0;
    const bool unwanted = induced == Induced::Vertex || (pattern.anti[static_cast<std::size_t>(u)] & bit(v)) != 0;
    const bool there = graph.arc[map[static_cast<std::size_t>(u)]][map[static_cast<std::size_t>(v)]];
    return wanted ? there : !(unwanted && there);
  };
  const auto extend = [&](auto self) -> void {
    const int v = static_cast<int>(map.size());
    if (v == pattern.size()) {
      found.insert(map);
      return;
    }
    for (std::uint32_t x = 0; x < graph.labels.size(); ++x) {
      const std::string& label = pattern.label(v);
      if (std::find(map.begin(), map.end(), x) != map.end()) continue;
      if (!label.empty() && label != std::to_string(graph.labels[x])) continue;
      map.push_back(x);
      bool all = true;
      for (int u = 0; u < v && all; ++u) all = fits(u, v) && fits(v, u);
      if (all) self(self);
      map.pop_back();
    }
  };
  extend(extend);
  return found;
}

std::uint32_t class_of(const std::string& label) { return static_cast<std::uint32_t>(std::stoi(label)); }

struct Setup {
  std::uint32_t vertices = 8;
  std::uint32_t labels = 1;
  int updates = 25;
  double density = 0.5;
};

/// Runs random updates and compares added and removed matches, counted and listed.
void compare(const Pattern& pattern, Induced induced, const Setup& setup, unsigned seed) {
  SCOPED_TRACE(pattern::to_text(pattern) + (induced == Induced::Edge ? " edge" : " vertex") + " seed " +
               std::to_string(seed));
  std::mt19937 random(seed);
  Matrix matrix;
  matrix.directed = pattern.directed;
  matrix.arc.assign(setup.vertices, std::vector<bool>(setup.vertices, false));
  for (std::uint32_t v = 0; v < setup.vertices; ++v) matrix.labels.push_back(random() % setup.labels);
  DynamicGraph graph(pattern.directed, setup.labels, matrix.labels);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t u = 0; u < setup.vertices; ++u) {
    for (std::uint32_t v = pattern.directed ? 0 : u + 1; v < setup.vertices; ++v) {
      if (u == v || random() % 1000 >= setup.density * 1000) continue;
      matrix.set(u, v, true);
      edges.emplace_back(u, v);
    }
  }
  graph.load(edges);
  std::string why;
  const auto query = DeltaQuery::make(pattern, induced, DeltaAnswer::Count, graph, class_of, nullptr, why);
  const auto subgraphs = DeltaQuery::make(pattern, induced, DeltaAnswer::Subgraphs, graph, class_of, nullptr, why);
  const auto rows = DeltaQuery::make(pattern, induced, DeltaAnswer::Embeddings, graph, class_of, nullptr, why);
  ASSERT_TRUE(query && subgraphs && rows) << why;
  DeltaSearch search(graph, runtime::set_kernels(runtime::best_tier()));
  std::set<Map> before = embeddings(pattern, induced, matrix);
  for (int i = 0; i < setup.updates; ++i) {
    const std::uint32_t u = random() % setup.vertices, v = random() % setup.vertices;
    if (u == v) continue;
    const std::uint32_t p = graph.place(u), q = graph.place(v);
    const bool insert = !graph.has_edge(p, q);
    if (!insert) graph.erase(p, q);
    EdgeDelta delta;
    ASSERT_EQ(query->count(search, {p, q}, graph.class_at(p), graph.class_at(q), delta), DeltaSearch::Ending::Complete);
    std::map<Map, int> came, went;
    const auto take = [&](const std::uint32_t* places, int sign) {
      Map map;
      for (int w = 0; w < pattern.size(); ++w) map.push_back(graph.vertex(places[w]));
      ++(sign > 0 ? came : went)[map];
    };
    rows->list(search, {p, q}, graph.class_at(p), graph.class_at(q), take);
    std::uint64_t listed = 0;
    subgraphs->list(search, {p, q}, graph.class_at(p), graph.class_at(q), [&](const std::uint32_t*, int) { ++listed; });
    if (insert) graph.insert(p, q);
    matrix.set(u, v, insert);
    const std::set<Map> after = embeddings(pattern, induced, matrix);
    std::map<Map, int> expected_more, expected_less;
    for (const Map& map : insert ? after : before) {
      if ((insert ? before : after).count(map) == 0) expected_more[map] = 1;
    }
    for (const Map& map : insert ? before : after) {
      if ((insert ? after : before).count(map) == 0) expected_less[map] = 1;
    }
    const auto a = static_cast<std::int64_t>(query->automorphisms());
    ASSERT_EQ(static_cast<std::int64_t>(delta.more) * a, static_cast<std::int64_t>(expected_more.size()));
    ASSERT_EQ(static_cast<std::int64_t>(delta.less) * a, static_cast<std::int64_t>(expected_less.size()));
    ASSERT_EQ(static_cast<std::int64_t>(listed) * a,
              static_cast<std::int64_t>(expected_more.size() + expected_less.size()));
    ASSERT_EQ(came, expected_more);
    ASSERT_EQ(went, expected_less);
    before = after;
  }
}

TEST(DeltaQuery, EveryPatternOfUpToFiveVertices) {
  for (int n = 2; n <= 5; ++n) {
    unsigned seed = 0;
    for (const Pattern& pattern : pattern::connected_patterns(n)) {
      for (const Induced induced : {Induced::Edge, Induced::Vertex}) {
        compare(pattern, induced, {7, 1, 12, 0.55}, ++seed);
      }
    }
  }
}

TEST(DeltaQuery, LabelsOnAllVerticesOrSome) {
  std::mt19937 random(3);
  for (int n = 2; n <= 5; ++n) {
    for (Pattern pattern : pattern::connected_patterns(n)) {
      pattern.labels.resize(static_cast<std::size_t>(n));
      for (std::string& label : pattern.labels) {
        if (random() % 3 != 0) label = std::to_string(random() % 2);
      }
      compare(pattern, random() % 2 == 0 ? Induced::Edge : Induced::Vertex, {8, 2, 12, 0.6},
              static_cast<unsigned>(random()));
    }
  }
}

TEST(DeltaQuery, LargerPatterns) {
  for (const std::string text : {"0-1-2-3-4-5", "0-1,0-2,0-3,0-4,0-5", "0-1-2-0,0-3,1-4,2-5", "0-1-2-3-4-5-0",
                                 "0-1,0-2,0-3,1-4,1-5", "0-1-2-3-0,0-4,2-5", "0-1,1-2,2-3,1-4,2-5:0",
                                 "0:0-1:1,0-2:1,0-3:1,0-4:0,1-5:0", "0-1,0-2,1-2,1-3,2-3,3-4,3-5,4-5"}) {
    for (unsigned seed = 0; seed < 3; ++seed) compare(pattern_of(text), Induced::Edge, {7, 2, 6, 0.6}, seed);
  }
}

TEST(DeltaQuery, ArcsAndForbiddenPairs) {
  for (const std::string text : {"0>1", "0>1>2", "0>1>2>0", "0>1,1>0", "0>1,1>0,1>2", "0>1,0>2,1>2", "0>1>2>3>0",
                                 "0>1,1>2,0!2", "0>1,2>1,3>1", "0>1,1>0,1>2,2>1,0>2", "0>1,0>2,0>3,1>4"}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      compare(pattern_of(text), Induced::Edge, {6, 2, 20, 0.4}, seed);
      compare(pattern_of(text), Induced::Vertex, {6, 2, 20, 0.4}, seed);
    }
  }
  for (const std::string text : {"0-1-2,0!2", "0-1-2-3,0!3", "0-1-2-3-0,0!2", "0-1,0-2,0-3,1!2", "0-1-2-3,1!3,0!2"}) {
    for (unsigned seed = 0; seed < 4; ++seed) compare(pattern_of(text), Induced::Edge, {7, 1, 20, 0.5}, seed);
  }
}

/// Ways to place leaves that may meet grow with the partitions of these, but for leaves that are all alike.
TEST(DeltaQuery, ManyLeavesAreCountedOnlyIfTheyAreAlike) {
  const DynamicGraph graph(true, 1, {0, 0, 0}, 3);
  const auto number = [](const std::string& label) { return static_cast<std::uint32_t>(std::stoi(label)); };
  const auto least_walked = [&](const std::string& text) {
    std::string why;
    const auto query =
        DeltaQuery::make(pattern_of(text), Induced::Edge, DeltaAnswer::Count, graph, class_of, number, why);
    EXPECT_TRUE(query) << why;
    runtime::stream::SharedTerms terms;
    query->add_terms(terms, false);
    int least = 64;
    for (const auto& one : terms.all) least = std::min(least, one.term->pattern.walked);
    return least;
  };
  EXPECT_EQ(least_walked("b->a=1, c->a=1, d->a=1, e->a=1, f->a=1, g->a=1, h->a=1"), 2);
  EXPECT_EQ(least_walked("a->b=1, a->c=1, a->d=1, a->e=1, a->f=1, a->g=1, a->h=1"), 2);
  EXPECT_GE(least_walked("b->a=1, c->a=2, d->a=1, e->a=2, f->a=1, g->a=2, h->a=1"), 4);
  EXPECT_GE(least_walked("a->b=1, a->c=2, a->d=1, a->e=2, a->f=1, a->g=2, a->h=1"), 4);
}

TEST(DeltaQuery, GivesTheReasonAgainstDeltas) {
  DynamicGraph graph(false, 1, {0, 0, 0});
  std::string why;
  const auto make = [&](const std::string& text) {
    return DeltaQuery::make(pattern_of(text), Induced::Edge, DeltaAnswer::Count, graph, class_of, nullptr, why)
        .has_value();
  };
  EXPECT_FALSE(make("0-1,2-3"));
  EXPECT_EQ(why, "the pattern is not connected");
  EXPECT_FALSE(make("0-1=3|4"));
  EXPECT_EQ(why, "edges of the pattern have any label, or one of several");
  EXPECT_FALSE(make("0"));
  EXPECT_EQ(why, "the pattern has no edge");
  EXPECT_TRUE(make("0-1"));
}

}  // namespace
}  // namespace matcha::session::stream
