// Graphs from columns, and the facts of programs, through matcha.h.

#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/api/support.h"

namespace {

using matcha_test::count;
using matcha_test::Options;
using matcha_test::pattern;

template <typename T>
matcha_column column(const std::vector<T>& items, std::int64_t stride = 0) {
  const int type = std::is_floating_point_v<T> ? MATCHA_FLOAT64
                   : sizeof(T) == 4            ? (std::is_signed_v<T> ? MATCHA_INT32 : MATCHA_UINT32)
                                               : (std::is_signed_v<T> ? MATCHA_INT64 : MATCHA_UINT64);
  return {items.data(), type, stride};
}

matcha_table table_of(matcha_column sources, matcha_column targets, std::size_t count) {
  matcha_table table = {};
  table.size = sizeof(table);
  table.edge_count = count;
  table.sources = sources;
  table.targets = targets;
  return table;
}

matcha_graph* graph_of(const matcha_table& table, const matcha_options* options = nullptr) {
  matcha_graph* graph = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_graph_from_table(&table, options, &graph, &error)) << matcha_error_text(error);
  return graph;
}

std::string problem_of(const matcha_table& table, matcha_status status) {
  matcha_graph* graph = reinterpret_cast<matcha_graph*>(8);
  matcha_error* error = nullptr;
  EXPECT_EQ(status, matcha_graph_from_table(&table, nullptr, &graph, &error));
  EXPECT_EQ(nullptr, graph);
  const std::string text = error != nullptr ? matcha_error_text(error) : "";
  matcha_error_free(error);
  return text;
}

std::int64_t matches(const char* text, matcha_graph* graph, const matcha_options* options = nullptr) {
  matcha_program* const program = pattern(text, options);
  const std::int64_t found = count(program, graph);
  matcha_program_free(program);
  return found;
}

std::vector<std::int64_t> ids_of(matcha_graph* graph) {
  std::vector<std::int64_t> ids(matcha_graph_vertices(graph));
  matcha_graph_ids(graph, ids.data());
  return ids;
}

template <typename Source, typename Target>
void sorts_triangles(std::int64_t first) {
  // Two triangles with an edge in common; a repeat, an edge in both directions, a loop.
  std::vector<Source> sources;
  std::vector<Target> targets;
  for (const auto& [u, v] : {std::pair(0, 1), {1, 2}, {0, 2}, {1, 3}, {3, 2}, {0, 1}, {2, 1}, {3, 3}}) {
    sources.push_back(static_cast<Source>(first + u));
    targets.push_back(static_cast<Target>(first + v));
  }
  matcha_graph* const graph = graph_of(table_of(column(sources), column(targets), sources.size()));
  EXPECT_EQ(4U, matcha_graph_vertices(graph));
  EXPECT_EQ(5U, matcha_graph_edges(graph));
  EXPECT_EQ(2, matches("triangle", graph));
  EXPECT_EQ(first, ids_of(graph)[0]);
  matcha_graph_free(graph);
}

TEST(Table, ColumnsOfAllTypes) {
  sorts_triangles<std::int32_t, std::int32_t>(0);
  sorts_triangles<std::uint32_t, std::int32_t>(0);
  sorts_triangles<std::int64_t, std::int64_t>(0);
  sorts_triangles<std::uint64_t, std::int64_t>(0);
  sorts_triangles<std::int32_t, std::int64_t>(0);
  sorts_triangles<std::int64_t, std::int64_t>(-7);
  sorts_triangles<std::uint32_t, std::uint64_t>(70);
}

TEST(Table, ColumnsWithOthersBetween) {
  // Pairs in rows, and every second item from the end.
  const std::vector<std::int64_t> pairs = {0, 1, 1, 2, 2, 0};
  matcha_column sources = column(pairs, 16), targets = column(pairs, 16);
  targets.items = pairs.data() + 1;
  matcha_graph* graph = graph_of(table_of(sources, targets, 3));
  EXPECT_EQ(1, matches("triangle", graph));
  matcha_graph_free(graph);
  sources.items = pairs.data() + 4;
  targets.items = pairs.data() + 5;
  sources.stride = targets.stride = -16;
  graph = graph_of(table_of(sources, targets, 3));
  EXPECT_EQ(1, matches("triangle", graph));
  matcha_graph_free(graph);
}

TEST(Table, DirectedAndLoneVertices) {
  const std::vector<std::int32_t> sources = {5, 9, 5, 5}, targets = {9, 5, 9, 5}, more = {7, 5, 7};
  matcha_table table = table_of(column(sources), column(targets), 4);
  table.vertex_count = 3;
  table.vertices = column(more);
  matcha_graph* graph = graph_of(table);
  EXPECT_EQ((std::vector<std::int64_t>{5, 7, 9}), ids_of(graph));
  EXPECT_EQ(1U, matcha_graph_edges(graph));
  matcha_graph_free(graph);
  Options directed;
  directed.set("directed", "true");
  graph = graph_of(table, directed.options);
  EXPECT_EQ(2U, matcha_graph_edges(graph));
  matcha_graph_free(graph);
  // No edges at all.
  graph = graph_of(table_of({}, {}, 0));
  EXPECT_EQ(0U, matcha_graph_vertices(graph));
  matcha_graph_free(graph);
}

TEST(Table, LabelsOfEdgesAndVertices) {
  const std::vector<std::int64_t> sources = {1, 2, 3, 1}, targets = {2, 3, 1, 2}, ids = {1, 2, 3, 4};
  const std::vector<std::int32_t> what = {1, 0, 1, 0};
  const char* const whats[] = {"pays", "calls"};
  const std::vector<std::int64_t> kinds = {0, 1, 0, 1};
  const char* const words[] = {"staff", "7"};
  matcha_table table = table_of(column(sources), column(targets), 4);
  table.edge_info = column(what);
  table.edge_words = whats;
  table.edge_word_count = 2;
  table.vertex_count = 4;
  table.vertices = column(ids);
  table.vertex_labels = column(kinds);
  table.vertex_words = words;
  table.vertex_word_count = 2;
  matcha_graph* const graph = graph_of(table);
  EXPECT_EQ(4U, matcha_graph_vertices(graph));
  EXPECT_EQ(3U, matcha_graph_edges(graph)) << "edges of unlike labels between the same ends are one";
  EXPECT_EQ(1, matches("triangle", graph));
  Options edge;
  edge.set("induced", "edge");
  EXPECT_EQ(2, matches("0-1=pays", graph, edge.options));
  EXPECT_EQ(2, matches("0-1=calls", graph, edge.options));
  EXPECT_EQ(1, matches("0:staff-1:staff", graph));
  EXPECT_EQ(2, matches("0:staff-1:7", graph)) << "a word that is a number is that number";
  matcha_graph_free(graph);
}

TEST(Table, InformationForPrograms) {
  const std::vector<std::int64_t> sources = {0, 1}, targets = {1, 2}, numbers = {3, 4};
  const std::vector<double> floats = {0.5, 0.25};
  const auto run = [](const char* text, matcha_graph* graph, matcha_status status) {
    matcha_program* program = nullptr;
    EXPECT_EQ(MATCHA_OK, matcha_program_compile(text, nullptr, &program, nullptr));
    matcha_result* result = nullptr;
    EXPECT_EQ(status, matcha_run_now(program, graph, nullptr, &result, nullptr));
    const double found = result != nullptr ? matcha_result_float(result, 0) : 0;
    matcha_result_free(result);
    matcha_program_free(program);
    return found;
  };
  const char* const ints =
      "def main(G: Graph) -> int:\n    return sum(apply(lambda v: sum(edge_info(G, v)), vertices(G)))\n";
  const char* const reals =
      "def main(G: Graph) -> float:\n"
      "    def one(x: float) -> float:\n"
      "        return x\n"
      "    return sum(apply(lambda v: sum(apply(one, edge_info(G, v))), vertices(G)))\n";
  matcha_table table = table_of(column(sources), column(targets), 2);
  matcha_graph* graph = graph_of(table);
  run(ints, graph, MATCHA_ERROR_USAGE);
  matcha_graph_free(graph);
  table.edge_info = column(numbers);
  graph = graph_of(table);
  EXPECT_EQ(14, run(ints, graph, MATCHA_OK));
  run(reals, graph, MATCHA_ERROR_USAGE);
  matcha_graph_free(graph);
  table.edge_info = column(floats);
  graph = graph_of(table);
  EXPECT_EQ(1.5, run(reals, graph, MATCHA_OK));
  run(ints, graph, MATCHA_ERROR_USAGE);
  EXPECT_EQ(2, matches("edge", graph));
  matcha_graph_free(graph);
}

TEST(Table, BadInput) {
  const std::vector<std::int64_t> ids = {0, 1};
  const std::vector<std::uint64_t> large = {0, std::uint64_t{1} << 63};
  const std::vector<std::int64_t> twice = {1, 1}, missing = {1, std::numeric_limits<std::int64_t>::min()};
  const char* const words[] = {"a"};
  const auto said = [](const std::string& text, const char* part) {
    EXPECT_NE(std::string::npos, text.find(part)) << text;
  };
  matcha_table table = table_of(column(ids), column(large), 2);
  said(problem_of(table, MATCHA_ERROR_INPUT), "target 1: an id is 2^63 or more");
  table.targets = column(ids);
  table.edge_info = column(missing);
  table.edge_words = words;
  table.edge_word_count = 1;
  said(problem_of(table, MATCHA_ERROR_INPUT), "edge 0: the label is no position");
  table.edge_info = column(ids);
  table.edge_words = words;
  table.edge_word_count = 1;
  said(problem_of(table, MATCHA_ERROR_INPUT), "edge 1: the label is no position");
  const std::vector<std::int64_t> negative = {0, -1}, zero = {0, 0};
  table.edge_info = column(zero);
  table.vertex_count = 2;
  table.vertices = column(twice);
  table.vertex_labels = column(ids);
  said(problem_of(table, MATCHA_ERROR_INPUT), "vertex 1 has id 1, which has another label");
  table.vertices = column(ids);
  table.vertex_labels = column(negative);
  said(problem_of(table, MATCHA_ERROR_INPUT), "vertex 1: a negative label");
  table = table_of(column(ids), {}, 2);
  said(problem_of(table, MATCHA_ERROR_USAGE), "the targets are NULL");
  table = table_of(column(ids), column(ids), 2);
  table.targets.type = MATCHA_FLOAT64;
  said(problem_of(table, MATCHA_ERROR_USAGE), "no ints");
  table = table_of(column(ids), column(ids), 1);
  table.targets.items = reinterpret_cast<const char*>(ids.data()) + 1;
  said(problem_of(table, MATCHA_ERROR_USAGE), "not aligned");
  table = table_of(column(ids), column(ids), 2);
  table.size -= 8;
  said(problem_of(table, MATCHA_ERROR_USAGE), "size");
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_from_table(nullptr, nullptr, &graph, nullptr));
}

TEST(Table, ACancellerEndsIt) {
  const std::vector<std::int64_t> ids = {0, 1};
  matcha_canceller* const canceller = matcha_canceller_new();
  Options options;
  matcha_options_set_canceller(options.options, canceller);
  matcha_canceller_cancel(canceller);
  matcha_graph* graph = nullptr;
  const matcha_table table = table_of(column(ids), column(ids), 2);
  EXPECT_EQ(MATCHA_CANCELLED, matcha_graph_from_table(&table, options.options, &graph, nullptr));
  EXPECT_EQ(nullptr, graph);
  matcha_canceller_free(canceller);
}

TEST(Facts, OfProgramsAndPatterns) {
  matcha_program* program = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile("def main(G: Graph, k: int = 2) -> int:\n"
                                              "    'Vertices, k times.'\n"
                                              "    return k * size(vertices(G))\n",
                                              nullptr, &program, nullptr));
  EXPECT_STREQ("main(G: Graph, k: int = 2) -> int", matcha_program_signature(program));
  EXPECT_STREQ("Vertices, k times.", matcha_program_doc(program));
  EXPECT_EQ(0U, matcha_program_name_count(program));
  EXPECT_EQ(nullptr, matcha_program_name(program, 0));
  EXPECT_EQ(nullptr, matcha_program_edges(program, 0));
  char* text = nullptr;
  for (const char* stage : {"source", "ast", "asg", "ir", "kernel", "llvm", "cpp"}) {
    matcha_error* error = nullptr;
    EXPECT_EQ(MATCHA_OK, matcha_program_emit(program, stage, &text, &error)) << stage;
    EXPECT_GT(std::strlen(text), 20U) << stage;
    matcha_text_free(text);
  }
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_program_emit(program, "bytecode", &text, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_program_emit(program, "svg", &text, nullptr));
  EXPECT_EQ(nullptr, text);
  matcha_program_free(program);
  program = pattern("motif:4");
  ASSERT_EQ(6U, matcha_program_name_count(program));
  EXPECT_STREQ("star:4", matcha_program_name(program, 0));
  EXPECT_STREQ("clique:4", matcha_program_name(program, 5));
  EXPECT_NE(nullptr, matcha_program_edges(program, 5));
  EXPECT_EQ(nullptr, matcha_program_edges(program, 6));
  EXPECT_EQ(MATCHA_OK, matcha_program_emit(program, "svg", &text, nullptr));
  EXPECT_EQ(std::string("<svg "), std::string(text).substr(0, 5));
  matcha_text_free(text);
  matcha_program_free(program);
}

TEST(Facts, ThePlanOfARun) {
  const matcha_test::Clique clique(6);
  matcha_program* const program = pattern("triangle");
  char* json = nullptr;
  matcha_error* error = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_explain(program, clique.graph, nullptr, &json, &error)) << matcha_error_text(error);
  for (const char* part : {"\"schema\": \"matcha.plan/1\"", "\"answer\": \"20\"", "\"items\": \"20\"",
                           "\"complete\": true", "\"plans\": ["}) {
    EXPECT_NE(nullptr, std::strstr(json, part)) << part << json;
  }
  matcha_text_free(json);
  matcha_canceller* const canceller = matcha_canceller_new();
  Options options;
  matcha_options_set_canceller(options.options, canceller);
  matcha_canceller_cancel(canceller);
  EXPECT_EQ(MATCHA_CANCELLED, matcha_explain(program, clique.graph, options.options, &json, nullptr));
  EXPECT_EQ(nullptr, json);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_explain(program, nullptr, nullptr, &json, nullptr));
  matcha_canceller_free(canceller);
  matcha_program_free(program);
}

TEST(Facts, OfTheMachine) {
  char* json = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_doctor(&json, nullptr));
  EXPECT_NE(nullptr, std::strstr(json, "\"schema\": \"matcha.doctor/2\""));
  EXPECT_NE(nullptr, std::strstr(json, matcha_version()));
  matcha_text_free(json);
}

}  // namespace
