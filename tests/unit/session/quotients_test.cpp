// Maps whose edges all differ, counted by patterns in which vertices became one, against all maps of random graphs.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "planner/expand.h"
#include "question/pattern.h"

namespace {

using matcha::pattern::Expansion;
using matcha::pattern::Pattern;

struct Graph {
  std::vector<std::vector<bool>> arcs;
  std::vector<std::string> labels;
};

bool fits(const Pattern& pattern, int v, const Graph& graph, std::size_t image) {
  const std::string& label = pattern.label(v);
  if (label.empty()) return true;
  for (const std::string& one : matcha::pattern::alternatives(label)) {
    if (one == graph.labels[image]) return true;
  }
  return false;
}

/// Maps that keep arcs. `is_injective`: vertices differ; else arcs do.
std::uint64_t maps_of(const Pattern& pattern, const Graph& graph, bool is_injective) {
  std::uint64_t found = 0;
  std::vector<std::size_t> image(pattern.ids.size());
  const auto differ = [&](int a, int b) { return image[matcha::pattern::at(a)] != image[matcha::pattern::at(b)]; };
  const auto is_match = [&] {
    std::vector<std::pair<std::size_t, std::size_t>> arcs;
    for (const auto& [a, b] : pattern.different) {
      if (!differ(a, b)) return false;
    }
    for (int u = 0; u < pattern.size(); ++u) {
      for (int v = 0; v < pattern.size(); ++v) {
        if (is_injective && u < v && !differ(u, v)) return false;
        if (!matcha::pattern::has(pattern.out[matcha::pattern::at(u)], v)) continue;
        if (!pattern.directed && u > v) continue;
        std::pair<std::size_t, std::size_t> arc{image[matcha::pattern::at(u)], image[matcha::pattern::at(v)]};
        if (!graph.arcs[arc.first][arc.second]) return false;
        if (!pattern.directed && arc.first > arc.second) std::swap(arc.first, arc.second);
        for (const auto& other : arcs) {
          if (!is_injective && other == arc) return false;
        }
        arcs.push_back(arc);
      }
    }
    return true;
  };
  const std::function<void(int)> place = [&](int v) {
    if (v == pattern.size()) {
      found += is_match() ? 1 : 0;
      return;
    }
    for (std::size_t to = 0; to < graph.arcs.size(); ++to) {
      image[matcha::pattern::at(v)] = to;
      if (fits(pattern, v, graph, to)) place(v + 1);
    }
  };
  place(0);
  return found;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : source_(seed) {}
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(source_); }
  bool chance(double share) { return std::bernoulli_distribution(share)(source_); }

  Pattern pattern(bool is_directed) {
    Pattern made = Pattern::empty(2 + below(4));
    made.directed = is_directed;
    for (int u = 0; u < made.size(); ++u) {
      for (int v = 0; v < made.size(); ++v) {
        if (u == v || (!is_directed && u > v) || !chance(0.4)) continue;
        is_directed ? made.add_arc(u, v) : made.add_edge(u, v);
      }
      if (chance(0.3)) made.labels[matcha::pattern::at(u)] = chance(0.5) ? "1" : "2";
    }
    if (chance(0.3)) made.different.emplace_back(0, made.size() - 1);
    return made;
  }
  Graph graph(bool is_directed) {
    const std::size_t size = 2 + static_cast<std::size_t>(below(4));
    Graph made{std::vector(size, std::vector<bool>(size)), {}};
    for (std::size_t u = 0; u < size; ++u) {
      made.labels.emplace_back(chance(0.5) ? "1" : "2");
      for (std::size_t v = 0; v < size; ++v) {
        if (u == v || (!is_directed && u > v) || !chance(0.6)) continue;
        made.arcs[u][v] = true;
        if (!is_directed) made.arcs[v][u] = true;
      }
    }
    return made;
  }

 private:
  std::mt19937_64 source_;
};

TEST(Quotients, AddUpToAllMaps) {
  constexpr std::uint64_t kSeeds = 1500;
  std::uint64_t total = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Draw draw(seed);
    const bool is_directed = seed % 2 == 0;
    const Pattern asked = draw.pattern(is_directed);
    const Graph graph = draw.graph(is_directed);
    const auto quotients = matcha::pattern::quotients_of({{asked, 1}}, 1000);
    ASSERT_TRUE(quotients) << seed;
    std::uint64_t sum = 0;
    for (const Expansion& one : *quotients) sum += one.factor * maps_of(one.pattern, graph, true);
    const std::uint64_t wanted = maps_of(asked, graph, false);
    ASSERT_EQ(sum, wanted) << "seed " << seed << ": " << to_text(asked);
    total += wanted;
  }
  EXPECT_GT(total, kSeeds);
}

TEST(Quotients, AreRefused) {
  Pattern path = Pattern::empty(3);
  path.add_edge(0, 1);
  path.add_edge(1, 2);
  EXPECT_EQ(1U, matcha::pattern::quotients_of({{path, 1}}, 64)->size()) << "its ends never are one";
  const auto refuses = [](const Pattern& one) { return !matcha::pattern::quotients_of({{one, 1}}, 64).has_value(); };
  Pattern other = path;
  other.labels = {"1|2", "", "2|3"};
  EXPECT_TRUE(refuses(other));
  other = path;
  other.constants[0] = "7";
  EXPECT_TRUE(refuses(other));
  other = path;
  other.anti[0] = matcha::pattern::bit(2);
  EXPECT_TRUE(refuses(other));
  other = path;
  other.add_edge_label(0, 1, "'a'");
  EXPECT_TRUE(refuses(other));
  EXPECT_TRUE(refuses(Pattern::empty(12))) << "there are too many";
}

}  // namespace
