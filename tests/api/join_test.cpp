// Programs with several graphs, through matcha.h.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/api/support.h"

namespace {

using matcha_test::count;
using matcha_test::Options;
using matcha_test::pattern;

constexpr const char* kShared = R"(
def shared(G: Graph, H: Graph) -> int:
    return sum(apply(lambda v: size(intersect(neighbor(G, v), neighbor(H, v))), vertices(G)))
)";

/// Weighs ids, so that a vertex that is taken for another one shows.
constexpr const char* kWeighed = R"(
def weighed(H: Graph, G: Graph, k: int = 1) -> int:
    return k * sum(apply(lambda v: v * sum(apply(lambda w: w, intersect(neighbor(G, v), neighbor(H, v)))), vertices(H)))
)";

matcha_program* program_of(const char* text) {
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_program_compile(text, nullptr, &program, &error)) << matcha_error_text(error);
  return program;
}

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

matcha_graph* graph_of(const Edges& edges) {
  std::vector<std::int64_t> sources, targets;
  for (const auto& [u, v] : edges) {
    sources.push_back(u);
    targets.push_back(v);
  }
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_graph_from_edges(sources.data(), targets.data(), edges.size(), nullptr, &graph, nullptr));
  return graph;
}

matcha_graph* graph_of_text(const std::string& text, const Options& options = Options()) {
  // Tests are processes that run beside each other.
  const std::string path = testing::TempDir() + "matcha_join_test." + std::to_string(getpid()) + ".txt";
  std::ofstream(path) << text;
  matcha_graph* graph = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_graph_read(path.c_str(), options.options, &graph, &error)) << matcha_error_text(error);
  std::remove(path.c_str());
  return graph;
}

struct JoinOf {
  JoinOf(std::vector<const char*> names, std::vector<matcha_graph*> graphs,
         const std::vector<const std::int64_t*>& ids = {}) {
    status = matcha_graph_join(names.data(), graphs.data(), ids.empty() ? nullptr : ids.data(), names.size(), &graph,
                               &error);
    if (error != nullptr) message = matcha_error_text(error);
    matcha_error_free(error);
    EXPECT_EQ(status == MATCHA_OK, graph != nullptr);
  }
  ~JoinOf() { matcha_graph_free(graph); }

  matcha_graph* graph = nullptr;
  matcha_error* error = nullptr;
  matcha_status status;
  std::string message;
};

void free_all(std::initializer_list<matcha_graph*> graphs) {
  for (matcha_graph* graph : graphs) matcha_graph_free(graph);
}

/// The sum over both directions of the edges that both have.
std::int64_t weighed(const Edges& a, const Edges& b) {
  const auto set_of = [](const Edges& edges) {
    std::set<std::pair<std::int64_t, std::int64_t>> found;
    for (const auto& [u, v] : edges) {
      if (u != v) found.insert({std::min(u, v), std::max(u, v)});
    }
    return found;
  };
  std::int64_t sum = 0;
  const auto other = set_of(b);
  for (const auto& [u, v] : set_of(a)) sum += other.count({u, v}) != 0 ? 2 * u * v : 0;
  return sum;
}

TEST(Join, RandomGraphs) {
  std::mt19937 random(7);
  matcha_program* const program = program_of(kWeighed);
  for (int round = 0; round < 30; ++round) {
    const std::int64_t step = round % 3 == 0 ? 1 : 7, low = round % 2 == 0 ? 0 : -9;
    const auto edges_of = [&](std::size_t size, std::int64_t range) {
      Edges edges;
      for (std::size_t i = 0; i < size; ++i) {
        const auto end = [&] { return low + step * static_cast<std::int64_t>(random() % range); };
        edges.emplace_back(end(), end());
      }
      return edges;
    };
    const Edges a = edges_of(60, 14), b = edges_of(40, 10 + random() % 8);
    matcha_graph *const first = graph_of(a), *const second = graph_of(b);
    const JoinOf both({"G", "H"}, {first, second}), turned({"H", "G"}, {first, second});
    free_all({first, second});  // The join keeps its data.
    EXPECT_EQ(weighed(a, b), count(program, both.graph)) << round;
    EXPECT_EQ(weighed(a, b), count(program, turned.graph)) << round;
  }
  matcha_program_free(program);
}

TEST(Join, TheFirstGraphIsThatOfPatternsAndSmallPrograms) {
  matcha_graph *const path = graph_of({{1, 2}, {2, 3}}), *const triangle = graph_of({{2, 3}, {3, 4}, {4, 2}});
  const JoinOf both({"G", "H"}, {path, triangle}), turned({"H", "G"}, {triangle, path});
  matcha_program *const triangles = pattern("triangle"), *const edges = pattern("edge");
  EXPECT_EQ(0, count(triangles, both.graph));
  EXPECT_EQ(2, count(edges, both.graph));
  EXPECT_EQ(1, count(triangles, turned.graph)) << "a pattern is about the first, whatever its name";
  EXPECT_EQ(3U, matcha_graph_vertices(both.graph));
  std::vector<std::int64_t> ids(3);
  matcha_graph_ids(turned.graph, ids.data());
  EXPECT_EQ((std::vector<std::int64_t>{2, 3, 4}), ids);
  matcha_program* const size = program_of("def main(X: Graph) -> int:\n    return sum(vertices(X))\n");
  EXPECT_EQ(6, count(size, both.graph));
  EXPECT_EQ(9, count(size, turned.graph));
  matcha_program* const named = program_of("def main(H: Graph) -> int:\n    return sum(vertices(H))\n");
  EXPECT_EQ(9, count(named, both.graph));
  for (matcha_program* program : {triangles, edges, size, named}) matcha_program_free(program);
  free_all({path, triangle});
}

TEST(Join, IdsOfAllKinds) {
  matcha_program* const shared = program_of(kShared);
  matcha_graph* const numbers = graph_of({{1, 2}, {2, 3}});
  matcha_graph* const text = graph_of_text("x 1\n1 2\n2 y\n");
  matcha_graph* const large = graph_of_text("1 2\n2 18446744073709551615\n");
  matcha_graph* const negative = graph_of({{-1, 2}, {1, 2}});
  EXPECT_EQ(2, count(shared, JoinOf({"G", "H"}, {numbers, text}).graph));
  EXPECT_EQ(2, count(shared, JoinOf({"G", "H"}, {numbers, large}).graph));
  EXPECT_EQ(2, count(shared, JoinOf({"G", "H"}, {large, negative}).graph));
  EXPECT_EQ(6, count(shared, JoinOf({"G", "H"}, {text, text}).graph));
  const JoinOf both({"G", "H"}, {numbers, text});
  EXPECT_EQ(MATCHA_NAME, matcha_graph_id_kind(both.graph));
  matcha_program_free(shared);
  free_all({numbers, text, large, negative});
}

/// For a graph with its own ids, and one with other ids beside them, ordered by bytes.
TEST(Join, NumbersAmongNamesAreInTheOrderOfText) {
  Options options;
  options.set("edge-labels", "true");
  std::string text;
  for (int v = 1; v <= 40; ++v)
    text += std::to_string(v) + " " + std::to_string(v * 7 % 41) + " l" + std::to_string(v % 3) + "\n";
  matcha_graph* const numbers = graph_of_text(text, options);
  matcha_graph* const names = graph_of_text("x 1 l1\n" + text, options);
  const JoinOf both({"G", "H"}, {numbers, names});
  for (const char* each : {"triangle", "a-[:l1]-b-[:l2]-c", "path:4", "a-b-c-d-a"}) {
    matcha_program* const program = pattern(each);
    EXPECT_EQ(count(program, numbers), count(program, both.graph)) << each;
    matcha_program_free(program);
  }
  matcha_program* const shared = program_of(R"(
def main(G: Graph, H: Graph) -> int:
    with_label = lambda v, l: size(intersect(neighbor(G, v, l), neighbor(H, v, l)))
    return sum(apply(lambda v: 100 * with_label(v, 'l0') + with_label(v, 'l1'), vertices(G)))
)");
  matcha_program* const alone = program_of(R"(
def main(G: Graph) -> int:
    return sum(apply(lambda v: 100 * size(neighbor(G, v, 'l0')) + size(neighbor(G, v, 'l1')), vertices(G)))
)");
  EXPECT_EQ(count(alone, numbers), count(shared, both.graph));
  matcha_program_free(shared);
  matcha_program_free(alone);
  free_all({numbers, names});
}

TEST(Join, OtherIds) {
  matcha_program* const program = program_of(kWeighed);
  const Edges edges{{0, 1}, {1, 2}};
  matcha_graph *const first = graph_of(edges), *const second = graph_of(edges);
  const std::vector<std::int64_t> low{3, 5, 8}, high{5, 8, 9}, wrong{5, 4, 9};
  EXPECT_EQ(weighed({{3, 5}, {5, 8}}, {{5, 8}, {8, 9}}),
            count(program, JoinOf({"G", "H"}, {first, second}, {low.data(), high.data()}).graph));
  const JoinOf unsorted({"G", "H"}, {first, second}, {low.data(), wrong.data()});
  EXPECT_EQ(MATCHA_ERROR_INPUT, unsorted.status);
  EXPECT_NE(std::string::npos, unsorted.message.find("do not ascend"));
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({"G", "H"}, {first, second}, {low.data(), nullptr}).status);
  matcha_program_free(program);
  free_all({first, second});
}

TEST(Join, LabelsHaveTheCodesOfAll) {
  Options options;
  options.set("edge-labels", "true");
  matcha_graph* const first = graph_of_text("1 2 likes\n2 3 zips\n", options);
  matcha_graph* const second = graph_of_text("1 2 calls\n2 3 likes\n3 4 zips\n", options);
  const JoinOf both({"G", "H"}, {first, second});
  matcha_program* const program = program_of(R"(
def main(G: Graph, H: Graph):
    of = lambda X, l: sum(apply(lambda v: v * size(neighbor(X, v, l)), vertices(X)))
    return mk_tuple(val=[of(G, 'likes'), of(G, 'zips'), of(H, 'likes'), of(H, 'zips'), of(H, 'calls')])
)");
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, both.graph, nullptr, &result, &error)) << matcha_error_text(error);
  std::vector<std::int64_t> found;
  for (std::size_t at = 0; at < matcha_result_size(result); ++at)
    found.push_back(matcha_result_int(result, at, nullptr));
  EXPECT_EQ((std::vector<std::int64_t>{3, 5, 5, 7, 3}), found);
  matcha_result_free(result);
  matcha_program_free(program);
  matcha_graph* const negative = graph_of_text("1 2 -4\n", options);
  const JoinOf wrong({"G", "H"}, {first, negative});
  EXPECT_EQ(MATCHA_ERROR_INPUT, wrong.status);
  EXPECT_NE(std::string::npos, wrong.message.find("negative label")) << wrong.message;
  free_all({first, second, negative});
}

TEST(Join, Errors) {
  matcha_graph* const graph = graph_of({{1, 2}});
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({"G", "G"}, {graph, graph}).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({"G", ""}, {graph, graph}).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({"G", "H"}, {graph, nullptr}).status);
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({}, {}).status);
  const JoinOf one({"G"}, {graph});
  EXPECT_EQ(MATCHA_ERROR_USAGE, JoinOf({"G", "H"}, {one.graph, graph}).status) << "joined already";
  matcha_program* const shared = program_of(kShared);
  matcha_result* result = nullptr;
  for (matcha_graph* few : {graph, one.graph}) {
    matcha_error* error = nullptr;
    EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_run_now(shared, few, nullptr, &result, &error));
    EXPECT_NE(std::string::npos, std::string(matcha_error_text(error)).find("`H`")) << matcha_error_text(error);
    matcha_error_free(error);
  }
  matcha_program_free(shared);
  matcha_graph_free(graph);
}

}  // namespace
