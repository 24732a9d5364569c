// Lists as inputs of programs, through matcha.h.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/support.h"

namespace {

using matcha_test::count;
using matcha_test::pattern;

constexpr const char* kPairs = R"(
def main(G: Graph, pairs: List<Tuple<int, 3>>) -> int:
    common = lambda p: size(intersect(neighbor(G, get(p, 0)), neighbor(G, get(p, 1))))
    return sum(apply(lambda p: get(p, 2) * common(p), pairs))
)";

constexpr const char* kDegrees = R"(
def main(G: Graph, seeds: List<int>) -> int:
    return sum(apply(lambda v: size(neighbor(G, v)), seeds))
)";

using Ids = std::vector<std::int64_t>;

matcha_program* list_program(const char* text) {
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_program_compile(text, nullptr, &program, &error)) << matcha_error_text(error);
  return program;
}

matcha_graph* graph_of_ends(const Ids& sources, const Ids& targets) {
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_OK,
            matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), nullptr, &graph, nullptr));
  return graph;
}

matcha_column ints(const Ids& items) { return {items.data(), MATCHA_INT64, 0}; }

struct WithList {
  WithList(const matcha_graph* from, const char* name, const std::vector<matcha_column>& columns, size_t size) {
    matcha_error* error = nullptr;
    status = matcha_graph_with_list(from, name, columns.data(), columns.size(), size, &graph, &error);
    if (error != nullptr) message = matcha_error_text(error);
    matcha_error_free(error);
    EXPECT_EQ(status == MATCHA_OK, graph != nullptr);
  }
  ~WithList() { matcha_graph_free(graph); }

  matcha_graph* graph = nullptr;
  matcha_status status;
  std::string message;
};

/// The status and the message of a run.
std::pair<matcha_status, std::string> failure(matcha_program* program, matcha_graph* graph) {
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  const matcha_status status = matcha_run_now(program, graph, nullptr, &result, &error);
  std::string message = error != nullptr ? matcha_error_text(error) : "";
  matcha_result_free(result);
  matcha_error_free(error);
  return {status, message};
}

TEST(Lists, RandomPairsAgainstBruteForce) {
  std::mt19937 random(11);
  matcha_program* const program = list_program(kPairs);
  EXPECT_EQ(MATCHA_VERTEX, matcha_program_list_kind(program, "pairs", 1));
  EXPECT_EQ(MATCHA_INT, matcha_program_list_kind(program, "pairs", 2));
  EXPECT_EQ(0, matcha_program_list_kind(program, "pairs", 3));
  EXPECT_EQ(0, matcha_program_list_kind(program, "G", 0));
  for (int round = 0; round < 80; ++round) {
    const std::int64_t step = round % 2 == 0 ? 1 : 13;
    Ids sources, targets, a, b, weights;
    std::set<std::pair<std::int64_t, std::int64_t>> arcs;
    for (int i = 0; i < 50; ++i) {
      const std::int64_t u = step * static_cast<std::int64_t>(random() % 15),
                         v = step * static_cast<std::int64_t>(random() % 15);
      sources.push_back(u);
      targets.push_back(v);
      if (u != v) arcs.insert({{u, v}, {v, u}});
    }
    for (int i = 0; i < 20; ++i) {
      a.push_back(sources[random() % 50]);
      b.push_back(targets[random() % 50]);
      weights.push_back(static_cast<std::int64_t>(random() % 9) - 4);
    }
    std::int64_t wanted = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::int64_t w = 0; w < 15; ++w) {
        if (arcs.count({a[i], step * w}) != 0 && arcs.count({b[i], step * w}) != 0) wanted += weights[i];
      }
    }
    matcha_graph* const graph = graph_of_ends(sources, targets);
    const WithList given(graph, "pairs", {ints(a), ints(b), ints(weights)}, a.size());
    matcha_graph_free(graph);  // The joined graph keeps its data.
    EXPECT_EQ(wanted, count(program, given.graph)) << round;
  }
  matcha_program_free(program);
}

TEST(Lists, ShareTheGraphAndItsOtherLists) {
  matcha_graph *const path = graph_of_ends({1, 2}, {2, 3}), *const triangle = graph_of_ends({1, 2, 3}, {2, 3, 1});
  const Ids two{2, 2}, three{3};
  const std::vector<float> unused;
  const WithList first(path, "seeds", {ints(two)}, 2);
  const WithList second(first.graph, "others", {ints(three)}, 1);
  matcha_program* const both = list_program(R"(
def main(G: Graph, seeds: List<int>, others: List<int>) -> int:
    degrees = lambda l: sum(apply(lambda v: size(neighbor(G, v)), l))
    return 100 * degrees(seeds) + degrees(others)
)");
  EXPECT_EQ(401, count(both, second.graph));
  matcha_program *const degrees = list_program(kDegrees), *const edges = pattern("edge");
  EXPECT_EQ(4, count(degrees, second.graph)) << "a list that a program does not take is none of its business";
  EXPECT_EQ(2, count(edges, second.graph));
  EXPECT_EQ(3U, matcha_graph_vertices(second.graph));
  const auto [status, message] = failure(both, first.graph);
  EXPECT_EQ(MATCHA_ERROR_USAGE, status);
  EXPECT_NE(std::string::npos, message.find("`main` needs a list for `others: List<int>`")) << message;
  // Beside a join.
  const char* const names[] = {"H", "G"};
  matcha_graph* const graphs[] = {triangle, path};
  matcha_graph* joined = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_join(names, graphs, nullptr, 2, &joined, nullptr));
  const WithList beside(joined, "seeds", {ints(three)}, 1);
  EXPECT_EQ(1, count(degrees, beside.graph));
  // A list is not lost in a join: it is refused.
  matcha_graph* const wrong[] = {first.graph, triangle};
  matcha_graph* none = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_join(names, wrong, nullptr, 2, &none, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, WithList(first.graph, "seeds", {ints(two)}, 2).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, WithList(joined, "G", {ints(two)}, 2).status);
  for (matcha_graph* graph : {path, triangle, joined}) matcha_graph_free(graph);
  for (matcha_program* program : {both, degrees, edges}) matcha_program_free(program);
}

TEST(Lists, MoreThanAProgramKeepsCodeFor) {
  matcha_program* const degrees = list_program(kDegrees);
  matcha_graph* const star = graph_of_ends({0, 0, 0}, {1, 2, 3});
  const Ids hub{0}, leaf{1};
  const WithList kept(star, "seeds", {ints(hub)}, 1);
  for (int round = 0; round < 150; ++round) {
    const WithList given(star, "seeds", {ints(round % 2 == 0 ? leaf : hub)}, 1);
    ASSERT_EQ(round % 2 == 0 ? 1 : 3, count(degrees, given.graph));
  }
  EXPECT_EQ(3, count(degrees, kept.graph));
  matcha_graph_free(star);
  matcha_program_free(degrees);
}

TEST(Lists, KindsOfColumns) {
  matcha_graph* const edge = graph_of_ends({0}, {1});
  matcha_program* const dot = list_program(R"(
def main(rows: List<Tuple<float, 2>>, scale: float = -2) -> float:
    return scale * sum(apply(lambda r: get(r, 0) * get(r, 1), rows))
)");
  const std::vector<double> floats{1.5, 0, 2, 0};
  const std::vector<std::int32_t> narrow{2, -1};
  const WithList mixed(edge, "rows", {{floats.data(), MATCHA_FLOAT64, 16}, {narrow.data(), MATCHA_INT32, 0}}, 2);
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(dot, mixed.graph, nullptr, &result, nullptr));
  EXPECT_EQ(-2.0, matcha_result_float(result, 0));
  matcha_result_free(result);
  // Lists that do not fit.
  matcha_program* const degrees = list_program(kDegrees);
  EXPECT_EQ(MATCHA_ERROR_INPUT,
            failure(degrees, WithList(edge, "seeds", {{floats.data(), MATCHA_FLOAT64, 0}}, 2).graph).first);
  const Ids stranger{1, 7}, ends{0, 1};
  const auto [status, message] = failure(degrees, WithList(edge, "seeds", {ints(stranger)}, 2).graph);
  EXPECT_EQ(MATCHA_ERROR_INPUT, status);
  EXPECT_NE(std::string::npos, message.find("item 1: no graph has the vertex 7")) << message;
  EXPECT_EQ(MATCHA_ERROR_USAGE, failure(degrees, WithList(edge, "seeds", {ints(ends), ints(ends)}, 2).graph).first);
  const std::vector<std::uint64_t> large{std::uint64_t{1} << 63};
  EXPECT_EQ(MATCHA_ERROR_USAGE, WithList(edge, "seeds", {{large.data(), MATCHA_UINT64, 0}}, 1).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, WithList(edge, "seeds", {{nullptr, MATCHA_INT64, 0}}, 1).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, WithList(edge, "seeds", {}, 0).status);
  EXPECT_EQ(0, count(degrees, WithList(edge, "seeds", {{nullptr, MATCHA_INT64, 0}}, 0).graph));
  matcha_graph_free(edge);
  matcha_program_free(dot);
  matcha_program_free(degrees);
}

TEST(Lists, AListOfEdgesMayBeThoseOfTheGraph) {
  matcha_graph* const triangle = graph_of_ends({1, 2, 3}, {2, 3, 1});
  matcha_program* const sum = list_program(R"(
def main(E: List<Tuple<int, 2>>) -> int:
    return sum(apply(lambda e: get(e, 0) * get(e, 1), E))
)");
  EXPECT_EQ(2 * (2 + 6 + 3), count(sum, triangle));
  const Ids a{5}, b{4};
  EXPECT_EQ(20, count(sum, WithList(triangle, "E", {ints(a), ints(b)}, 1).graph));
  matcha_graph_free(triangle);
  matcha_program_free(sum);
}

}  // namespace
