// Graphs from the rows of others, through matcha.h.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "api/matcha_graph.h"
#include "tests/api/support.h"

namespace {

using matcha_test::count;
using matcha_test::Options;
using matcha_test::pattern;

/// Two triangles with an edge in common, as rows of some types.
template <typename Offset, typename Target>
struct Rows {
  std::vector<Offset> offsets{0, 2, 5, 8, 10};
  std::vector<Target> targets{1, 2, 0, 2, 3, 0, 1, 3, 1, 2};
};

template <typename T>
constexpr matcha_type kType = std::is_signed_v<T> ? (sizeof(T) == 4 ? MATCHA_INT32 : MATCHA_INT64)
                                                  : (sizeof(T) == 4 ? MATCHA_UINT32 : MATCHA_UINT64);

void give_back(void* times) { ++*static_cast<std::atomic<int>*>(times); }

template <typename Offset, typename Target>
matcha_status graph_of(const Rows<Offset, Target>& rows, std::atomic<int>& released, matcha_graph** graph,
                       std::string* message = nullptr, const matcha_options* options = nullptr) {
  matcha_error* error = nullptr;
  const matcha_status status =
      matcha_graph_from_csr(rows.offsets.size() - 1, rows.offsets.data(), kType<Offset>, rows.targets.data(),
                            kType<Target>, give_back, &released, options, graph, &error);
  if (message != nullptr && error != nullptr) *message = matcha_error_text(error);
  matcha_error_free(error);
  return status;
}

template <typename Offset, typename Target>
void counts_triangles(bool borrows) {
  const Rows<Offset, Target> rows;
  std::atomic<int> released = 0;
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, graph_of(rows, released, &graph));
  EXPECT_EQ(borrows ? 0 : 1, released) << "what is copied is given back at once";
  EXPECT_EQ(4U, matcha_graph_vertices(graph));
  EXPECT_EQ(5U, matcha_graph_edges(graph));
  matcha_program* const triangles = pattern("triangle");
  EXPECT_EQ(2, count(triangles, graph));
  matcha_graph_free(graph);
  EXPECT_EQ(borrows ? 0 : 1, released) << "the program keeps the graph";
  matcha_program_free(triangles);
  // The thread that compiled may be the last that has the graph.
  for (int i = 0; i < 1000 && released == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(1, released);
}

TEST(Csr, ArraysOfAllTypes) {
  counts_triangles<std::int64_t, std::int32_t>(true);
  counts_triangles<std::int64_t, std::uint32_t>(true);
  counts_triangles<std::uint64_t, std::int32_t>(true);
  counts_triangles<std::uint64_t, std::int64_t>(true);  // The offsets are borrowed.
  counts_triangles<std::int32_t, std::uint32_t>(true);  // The targets are.
  counts_triangles<std::int32_t, std::int64_t>(false);
  counts_triangles<std::uint32_t, std::uint64_t>(false);
}

TEST(Csr, SmallAndDirected) {
  std::atomic<int> released = 0;
  matcha_graph* graph = nullptr;
  Rows<std::int64_t, std::int32_t> rows;
  rows.offsets = {0};
  rows.targets = {};
  ASSERT_EQ(MATCHA_OK, graph_of(rows, released, &graph));
  EXPECT_EQ(0U, matcha_graph_vertices(graph));
  matcha_graph_free(graph);
  EXPECT_EQ(1, released);
  rows.offsets = {0, 0, 1, 1};
  rows.targets = {2};
  EXPECT_EQ(MATCHA_ERROR_INPUT, graph_of(rows, released, &graph));
  Options directed;
  directed.set("directed", "true");
  ASSERT_EQ(MATCHA_OK, graph_of(rows, released, &graph, nullptr, directed.options));
  EXPECT_EQ(3U, matcha_graph_vertices(graph)) << "a vertex without neighbours is one";
  EXPECT_EQ(1U, matcha_graph_edges(graph));
  matcha_graph_free(graph);
  // No callback is necessary.
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_csr(3, rows.offsets.data(), MATCHA_INT64, rows.targets.data(), MATCHA_INT32,
                                             nullptr, nullptr, directed.options, &graph, nullptr));
  matcha_graph_free(graph);
}

TEST(Csr, BadInput) {
  using Wrong = Rows<std::int64_t, std::int32_t>;
  const std::vector<std::pair<Wrong, const char*>> all = {
      {{{1, 2, 5, 8, 10}, {1, 2, 0, 2, 3, 0, 1, 3, 1, 2}}, "first offset"},
      {{{0, 5, 2, 8, 10}, {1, 2, 0, 2, 3, 0, 1, 3, 1, 2}}, "fall after vertex 1"},
      {{{0, -1, 5, 8, 10}, {1, 2, 0, 2, 3, 0, 1, 3, 1, 2}}, "fall after vertex 1"},
      {{{0, 2, 5, 8, -10}, {1, 2, 0, 2, 3, 0, 1, 3, 1, 2}}, "negative or too large"},
      {{{0, 2, 5, 8, 10}, {1, 4, 0, 2, 3, 0, 1, 3, 1, 2}}, "no vertex"},
      {{{0, 2, 5, 8, 10}, {1, -2, 0, 2, 3, 0, 1, 3, 1, 2}}, "no vertex"},
      {{{0, 2, 5, 8, 10}, {0, 2, 0, 2, 3, 0, 1, 3, 1, 2}}, "to itself"},
      {{{0, 2, 5, 8, 10}, {2, 1, 0, 2, 3, 0, 1, 3, 1, 2}}, "do not ascend"},
      {{{0, 2, 5, 8, 10}, {1, 1, 0, 2, 3, 0, 1, 3, 1, 2}}, "do not ascend"},
      {{{0, 2, 5, 8, 10}, {1, 3, 0, 2, 3, 0, 1, 3, 1, 2}}, "which has not vertex"},
      {{{0, 1, 4, 7, 9}, {1, 0, 2, 3, 0, 1, 3, 1, 2}}, "which has not vertex"}};
  std::atomic<int> released = 0;
  for (const auto& [rows, said] : all) {
    matcha_graph* graph = reinterpret_cast<matcha_graph*>(8);
    std::string message;
    EXPECT_EQ(MATCHA_ERROR_INPUT, graph_of(rows, released, &graph, &message)) << said;
    EXPECT_EQ(nullptr, graph);
    EXPECT_NE(std::string::npos, message.find(said)) << message;
  }
  const Rows<std::int32_t, std::int64_t> right;
  Rows<std::int32_t, std::int64_t> negative;
  negative.offsets[1] = -1;
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_ERROR_INPUT, graph_of(negative, released, &graph));
  const auto usage = [&](const void* offsets, matcha_type offset_type, const void* targets, matcha_type target_type) {
    return matcha_graph_from_csr(4, offsets, offset_type, targets, target_type, give_back, &released, nullptr, &graph,
                                 nullptr);
  };
  const void* const offsets = right.offsets.data();
  const void* const targets = right.targets.data();
  EXPECT_EQ(MATCHA_ERROR_USAGE, usage(nullptr, MATCHA_INT32, targets, MATCHA_INT64));
  EXPECT_EQ(MATCHA_ERROR_USAGE, usage(offsets, MATCHA_INT32, nullptr, MATCHA_INT64));
  EXPECT_EQ(MATCHA_ERROR_USAGE, usage(offsets, static_cast<matcha_type>(0), targets, MATCHA_INT64));
  EXPECT_EQ(MATCHA_ERROR_USAGE, usage(offsets, MATCHA_INT32, targets, static_cast<matcha_type>(7)));
  EXPECT_EQ(0, released) << "after a failure the arrays are the caller's";
}

TEST(Nulls, AreErrorsOfUsage) {
  const auto junk = [](auto** handle) { *handle = reinterpret_cast<std::remove_pointer_t<decltype(handle)>>(8); };
  matcha_error* error = nullptr;
  matcha_graph* graph = nullptr;
  matcha_program* program = nullptr;
  matcha_result* result = nullptr;
  matcha_run* run = nullptr;
  Options options;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(nullptr, "threads", "1", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, nullptr, "1", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "threads", nullptr, nullptr));
  // The handle by its place: which argument is read first is not fixed.
  const auto refused = [&](matcha_status status, const auto* handle) {
    EXPECT_EQ(MATCHA_ERROR_USAGE, status);
    EXPECT_EQ(nullptr, *handle) << "no handle is left half-written";
    EXPECT_NE(nullptr, error);
    matcha_error_free(error);
  };
  const std::int64_t ends[] = {1};
  junk(&graph);
  refused(matcha_graph_read(nullptr, nullptr, &graph, &error), &graph);
  junk(&graph);
  refused(matcha_graph_from_edges(nullptr, ends, 1, nullptr, &graph, &error), &graph);
  junk(&graph);
  refused(matcha_graph_from_edges(ends, nullptr, 1, nullptr, &graph, &error), &graph);
  junk(&program);
  refused(matcha_program_compile(nullptr, nullptr, &program, &error), &program);
  junk(&program);
  refused(matcha_program_pattern(nullptr, nullptr, &program, &error), &program);
  program = pattern("edge");
  junk(&result);
  refused(matcha_run_now(program, nullptr, nullptr, &result, &error), &result);
  junk(&run);
  refused(matcha_start(program, nullptr, nullptr, &run, &error), &run);
  junk(&result);
  refused(matcha_finish(nullptr, &result, &error), &result);
  matcha_program_free(program);
}

TEST(Options, TiersAndLabels) {
  Options options;
  EXPECT_EQ(MATCHA_OK, matcha_options_set(options.options, "simd", "scalar", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "simd", "sse9", nullptr));
  EXPECT_EQ(MATCHA_OK, matcha_options_set(options.options, "unlabelled", "true", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "unlabelled", "yes", nullptr));
  EXPECT_EQ(MATCHA_OK, matcha_options_set(options.options, "unlabelled-edges", "false", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "unlabelled-edges", "1", nullptr));
  EXPECT_EQ(MATCHA_OK, matcha_options_set(options.options, "vertex-id", "17 ann lee", nullptr));
  EXPECT_EQ(MATCHA_OK, matcha_options_set(options.options, "vertex-id", "none bob", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "vertex-id", "ann", nullptr));
}

TEST(Graphs, IdsThatAreText) {
  const std::string path = testing::TempDir() + "matcha_names.csv";
  std::ofstream(path) << "source,target\nzoe,al\nal,Ben\nBen,zoe\n";
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_read(path.c_str(), nullptr, &graph, nullptr));
  EXPECT_EQ(MATCHA_NAME, matcha_graph_id_kind(graph));
  char name[3];
  EXPECT_EQ(3U, matcha_graph_name(graph, 2, name, sizeof(name)));
  EXPECT_STREQ("zo", name);
  EXPECT_EQ(0U, matcha_graph_name(graph, 3, name, sizeof(name)));
  matcha_program* program = nullptr;
  matcha_result* result = nullptr;
  const char* const last = "def main(G: Graph):\n    return max(vertices(G))\n";
  ASSERT_EQ(MATCHA_OK, matcha_program_compile(last, nullptr, &program, nullptr));
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, graph, nullptr, &result, nullptr));
  EXPECT_EQ(MATCHA_NAME, matcha_result_kind(result, 0));
  EXPECT_EQ(2, matcha_result_int(result, 0, nullptr));
  matcha_result_free(result);
  matcha_program_free(program);
  // Ids are no numbers to compute with.
  const char* const sum = "def main(G: Graph):\n    return sum(apply(lambda v: v + 1, vertices(G)))\n";
  matcha_error* error = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile(sum, nullptr, &program, nullptr));
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_run_now(program, graph, nullptr, &result, &error));
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "computes with ids as numbers"));
  matcha_error_free(error);
  matcha_program_free(program);
  matcha_graph_free(graph);
}

TEST(Graphs, LabelsOfEdgesAreColumnsOfQueries) {
  const std::string path = testing::TempDir() + "matcha_labels.txt";
  std::ofstream(path) << "1 2 knows\n2 3 7\n";
  Options reading;
  for (const char* name : {"directed", "edge-labels", "keep-loops"}) reading.set(name, "true");
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_read(path.c_str(), reading.options, &graph, nullptr));
  Options asking;
  asking.set("query", "true");
  matcha_program* const program = matcha_test::pattern("SELECT ?b ?p { ?a ?p ?b }", asking.options);
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, graph, nullptr, &result, nullptr));
  ASSERT_EQ(2U, matcha_result_rows(result, 0));
  EXPECT_EQ(MATCHA_VERTEX, matcha_result_column_kind(result, 0, 0));
  EXPECT_EQ(MATCHA_LABEL, matcha_result_column_kind(result, 0, 1));
  for (std::size_t row = 0; row < 2; ++row) {
    char label[8];
    const bool is_word = matcha_result_ints(result, 0, 0)[row] == 2;
    EXPECT_EQ(is_word ? 5U : 1U,
              matcha_graph_label(graph, matcha_result_ints(result, 0, 1)[row], label, sizeof(label)));
    EXPECT_STREQ(is_word ? "knows" : "7", label);
  }
  EXPECT_EQ(0U, matcha_graph_label(graph, -2, nullptr, 0));
  matcha_result_free(result);
  matcha_program_free(program);
  matcha_graph_free(graph);
  // Without words, labels below 0 are numbers too.
  std::ofstream(path) << "1 2 -3\n";
  ASSERT_EQ(MATCHA_OK, matcha_graph_read(path.c_str(), reading.options, &graph, nullptr));
  char number[8];
  EXPECT_EQ(2U, matcha_graph_label(graph, -3, number, sizeof(number)));
  EXPECT_STREQ("-3", number);
  matcha_graph_free(graph);
}

TEST(Graphs, EdgesDegreesNeighbours) {
  const std::int64_t sources[] = {20, 10, 30, 40}, targets[] = {10, 30, 20, 30};
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_edges(sources, targets, 4, nullptr, &graph, nullptr));
  EXPECT_EQ(0, matcha_graph_facts(graph));
  matcha_edge_list edges = {};
  ASSERT_EQ(MATCHA_OK, matcha_graph_edge_list(graph, &edges, nullptr));
  ASSERT_EQ(4U, edges.count);
  std::int64_t heads[4], tails[4];
  edges.sources = heads;
  edges.targets = tails;
  ASSERT_EQ(MATCHA_OK, matcha_graph_edge_list(graph, &edges, nullptr));
  EXPECT_EQ((std::vector<std::int64_t>{10, 10, 20, 30}), std::vector<std::int64_t>(heads, heads + 4));
  EXPECT_EQ((std::vector<std::int64_t>{20, 30, 30, 40}), std::vector<std::int64_t>(tails, tails + 4));
  std::int64_t degrees[4], labels[4], near[2];
  matcha_graph_degrees(graph, degrees);
  EXPECT_EQ((std::vector<std::int64_t>{2, 2, 3, 1}), std::vector<std::int64_t>(degrees, degrees + 4));
  matcha_graph_vertex_labels(graph, labels);
  EXPECT_EQ(std::numeric_limits<std::int64_t>::min(), labels[3]);
  EXPECT_EQ(3, matcha_graph_neighbors(graph, 30, near, 2)) << "all are counted, and those written that have room";
  EXPECT_EQ(10, near[0]);
  EXPECT_EQ(20, near[1]);
  EXPECT_EQ(-1, matcha_graph_neighbors(graph, 11, near, 2));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_edge_list(graph, nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write(graph, nullptr, nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write(graph, "graph.foo", nullptr, nullptr));
  const char* const four[] = {"a", "b", "c", "d"};
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write_named(graph, four, 4, "graph.mtg", nullptr, nullptr));
  matcha_graph_free(graph);
}

TEST(Graphs, HaveTheNamesOfTheirTable) {
  const std::int64_t sources[] = {0, 1}, targets[] = {2, 2};
  const char* const names[] = {"ann", "bob", "cid"};
  matcha_table table = {};
  table.size = sizeof(table);
  table.edge_count = 2;
  table.sources = {sources, MATCHA_INT64, 0};
  table.targets = {targets, MATCHA_INT64, 0};
  table.names = names;
  table.name_count = 3;
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_table(&table, nullptr, &graph, nullptr));
  EXPECT_EQ(MATCHA_NAME, matcha_graph_id_kind(graph));
  char name[8];
  EXPECT_EQ(3U, matcha_graph_name(graph, 2, name, sizeof(name)));
  EXPECT_STREQ("cid", name);
  matcha_graph_free(graph);
  // Names that the caller keeps: positions are no ids.
  table.names = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_table(&table, nullptr, &graph, nullptr));
  EXPECT_EQ(MATCHA_VERTEX, matcha_graph_id_kind(graph));
  matcha_program* program = nullptr;
  const char* const text = "def main(G: Graph) -> int:\n    return sum(vertices(G))\n";
  ASSERT_EQ(MATCHA_OK, matcha_program_compile(text, nullptr, &program, nullptr));
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_run_now(program, graph, nullptr, &result, nullptr));
  matcha_result_free(result);
  matcha_program_free(program);
  matcha_graph_free(graph);
  // Each name is an id, and they ascend.
  const char* const turned[] = {"bob", "ann", "cid"};
  table.names = turned;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_from_table(&table, nullptr, &graph, nullptr));
  const char* const more[] = {"ann", "bob", "cid", "dan"};
  table.names = more;
  table.name_count = 4;
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_graph_from_table(&table, nullptr, &graph, nullptr));
  // Tables from before `names` are shorter.
  table.size = offsetof(matcha_table, names);
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_table(&table, nullptr, &graph, nullptr));
  EXPECT_EQ(MATCHA_VERTEX, matcha_graph_id_kind(graph));
  matcha_graph_free(graph);
}

TEST(Graphs, AreWrittenWithNames) {
  const std::int64_t sources[] = {0, 1}, targets[] = {2, 2};
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_edges(sources, targets, 2, nullptr, &graph, nullptr));
  const std::string path = ::testing::TempDir() + "/matcha_named.mtg";
  const char* const turned[] = {"b", "a", "c"};
  const char* const names[] = {"a", "a\nb", "c"};
  const char* const empty[] = {"", "a", "b"};
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write_named(graph, turned, 3, path.c_str(), nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write_named(graph, empty, 3, path.c_str(), nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write_named(graph, names, 2, path.c_str(), nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_write_named(graph, nullptr, 0, path.c_str(), nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_graph_write_named(graph, names, 3, "graph.csv", nullptr, nullptr));
  ASSERT_EQ(MATCHA_OK, matcha_graph_write_named(graph, names, 3, path.c_str(), nullptr, nullptr));
  matcha_graph_free(graph);
  ASSERT_EQ(MATCHA_OK, matcha_graph_read(path.c_str(), nullptr, &graph, nullptr));
  EXPECT_EQ(MATCHA_NAME, matcha_graph_id_kind(graph));
  char name[8];
  EXPECT_EQ(3U, matcha_graph_name(graph, 1, name, sizeof(name)));
  EXPECT_STREQ("a\nb", name);
  matcha_graph_free(graph);
}

}  // namespace
