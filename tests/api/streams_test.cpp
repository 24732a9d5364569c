#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/matcha_stream.h"
#include "tests/api/support.h"

/// Streams of libmatcha: totals compared with counts of the current graph, rows, bad input and stops.
namespace {

using matcha_test::Clique;
using matcha_test::Options;
using matcha_test::pattern;

/// A stream of one program, which is freed with it.
struct Stream {
  Stream() = default;
  Stream(matcha_program* program, matcha_graph* graph, const matcha_options* options = nullptr) : program(program) {
    matcha_error* error = nullptr;
    EXPECT_EQ(MATCHA_OK, matcha_stream_open(&program, 1, graph, options, &stream, &error))
        << (error != nullptr ? matcha_error_text(error) : "");
    matcha_error_free(error);
  }
  ~Stream() {
    matcha_stream_free(stream);
    matcha_program_free(program);
  }

  matcha_status put(matcha_update kind, std::vector<std::int64_t> first, std::vector<std::int64_t> second) {
    const matcha_column a{first.data(), MATCHA_INT64, 0}, b{second.data(), MATCHA_INT64, 0};
    return matcha_stream_put(stream, kind, &a, &b, first.size(), nullptr);
  }
  matcha_status lines(const char* text) { return matcha_stream_put_lines(stream, text, std::strlen(text), nullptr); }
  /// The total; after a failure the status, negative, and its text in `error_text`.
  std::int64_t apply(const matcha_options* options = nullptr, std::string* maybe_told = nullptr) {
    matcha_run* run = nullptr;
    matcha_error* error = nullptr;
    matcha_status status = matcha_stream_apply(stream, options, &run, &error);
    matcha_result* result = nullptr;
    if (status == MATCHA_OK) status = matcha_finish(run, &result, &error);
    if (maybe_told != nullptr) *maybe_told = error != nullptr ? matcha_error_text(error) : "";
    matcha_error_free(error);
    const std::int64_t total = status == MATCHA_OK ? matcha_result_int(result, 0, nullptr) : -status;
    matcha_result_free(result);
    matcha_run_free(run);
    return total;
  }
  std::string answer(std::size_t program_at = 0) const {
    char* json = nullptr;
    if (matcha_stream_answer(stream, program_at, &json, nullptr) != MATCHA_OK) return "none";
    std::string text = json;
    matcha_text_free(json);
    return text;
  }

  matcha_program* program = nullptr;
  matcha_stream* stream = nullptr;
};

std::int64_t count_of(const std::set<std::pair<std::int64_t, std::int64_t>>& edges, const char* text) {
  std::vector<std::int64_t> sources, targets;
  for (const auto& [u, v] : edges) {
    sources.push_back(u);
    targets.push_back(v);
  }
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_OK,
            matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), nullptr, &graph, nullptr));
  matcha_program* const program = pattern(text);
  const std::int64_t count = matcha_test::count(program, graph);
  matcha_program_free(program);
  matcha_graph_free(graph);
  return count;
}

TEST(Streams, TotalsAreCounts) {
  std::mt19937 random(1);
  const Clique clique(5);
  for (const char* how : {"false", "true"}) {
    Options options;
    options.set("recompute", how);
    Stream stream(pattern("tailed-triangle"), clique.graph, options.options);
    std::set<std::pair<std::int64_t, std::int64_t>> edges;
    for (std::size_t at = 0; at < clique.sources.size(); ++at) edges.insert({clique.targets[at], clique.sources[at]});
    EXPECT_EQ(60, stream.apply());
    for (int batch = 0; batch < 8; ++batch) {
      for (int update = 0; update < 3; ++update) {
        const std::int64_t u = 10 + static_cast<std::int64_t>(random() % 7) * 10;
        const std::int64_t v = 10 + static_cast<std::int64_t>(random() % 7) * 10;
        const bool comes = random() % 2 == 0;
        EXPECT_EQ(MATCHA_OK, stream.put(comes ? MATCHA_ADD_EDGE : MATCHA_REMOVE_EDGE, {u}, {v}));
        if (u == v) continue;
        const std::pair<std::int64_t, std::int64_t> edge = std::minmax(u, v);
        comes ? (void)edges.insert(edge) : (void)edges.erase(edge);
      }
      EXPECT_EQ(count_of(edges, "tailed-triangle"), stream.apply());
    }
    const bool is_delta = stream.answer().find("\"how\": \"delta\"") != std::string::npos;
    EXPECT_EQ(std::string(how) == "false", is_delta) << stream.answer();
  }
}

TEST(Streams, ColumnsOfOtherTypes) {
  const Clique clique(3);
  Stream stream(pattern("edge"), clique.graph);
  const std::uint32_t pairs[] = {10, 70, 20, 70, 30, 70};
  const matcha_column first{pairs, MATCHA_UINT32, 8}, second{pairs + 1, MATCHA_UINT32, 8};
  EXPECT_EQ(MATCHA_OK, matcha_stream_put(stream.stream, MATCHA_ADD_EDGE, &first, &second, 3, nullptr));
  EXPECT_EQ(6, stream.apply());
  const std::uint64_t large[] = {1, std::uint64_t{1} << 63};
  const matcha_column wide{large, MATCHA_UINT64, 0};
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_stream_put(stream.stream, MATCHA_ADD_EDGE, &wide, &wide, 2, nullptr));
  const double floats[] = {1};
  const matcha_column wrong{floats, MATCHA_FLOAT64, 0}, none{nullptr, MATCHA_INT64, 0};
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_put(stream.stream, MATCHA_ADD_EDGE, &wrong, &wrong, 1, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_put(stream.stream, MATCHA_ADD_EDGE, &first, &none, 1, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_put(stream.stream, MATCHA_ADD_EDGE, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE,
            matcha_stream_put(stream.stream, static_cast<matcha_update>(9), &first, &second, 1, nullptr));
  EXPECT_EQ(MATCHA_ERROR_INPUT, stream.put(MATCHA_ADD_VERTEX, {1}, {-3}));
  EXPECT_EQ(6, stream.apply()) << "nothing wrong was put";
}

TEST(Streams, LabelsAndVertices) {
  const Clique clique(3);
  Stream stream(pattern("(a:5)-(b:word)"), clique.graph);
  EXPECT_EQ(0, stream.apply());
  EXPECT_EQ(MATCHA_OK, stream.put(MATCHA_ADD_VERTEX, {10, 20}, {5, 5}));
  EXPECT_EQ(MATCHA_OK, stream.lines("# a word\nv 30 word\n"));
  EXPECT_EQ(2, stream.apply());
  EXPECT_EQ(MATCHA_ERROR_INPUT, stream.lines("+ 30 40\n+ 30\n"));
  EXPECT_EQ(MATCHA_OK, stream.put(MATCHA_REMOVE_VERTEX, {10}, {}));
  EXPECT_EQ(1, stream.apply());
  EXPECT_NE(std::string::npos, stream.answer().find("\"deleted\": 2")) << stream.answer();
}

TEST(Streams, RowsThatComeAndGo) {
  Options options;
  options.set("matches", "true");
  const Clique clique(3);
  Stream stream(pattern("triangle", options.options), clique.graph);
  matcha_rows* rows = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_changes(stream.stream, 0, &rows, nullptr)) << "no batch yet";
  EXPECT_EQ("none", stream.answer());
  EXPECT_EQ(MATCHA_OK, stream.put(MATCHA_ADD_EDGE, {10, 20}, {40, 40}));
  EXPECT_EQ(MATCHA_OK, stream.put(MATCHA_REMOVE_EDGE, {10}, {30}));
  EXPECT_EQ(1, stream.apply());
  ASSERT_EQ(MATCHA_OK, matcha_stream_changes(stream.stream, 0, &rows, nullptr));
  ASSERT_EQ(2U, matcha_rows_count(rows));
  ASSERT_EQ(4U, matcha_rows_columns(rows));
  std::set<std::pair<std::int64_t, std::set<std::int64_t>>> found;
  for (std::size_t at = 0; at < 2; ++at) {
    std::set<std::int64_t> row;
    for (std::size_t column = 0; column < 3; ++column) row.insert(matcha_rows_ints(rows, column)[at]);
    found.emplace(matcha_rows_ints(rows, 3)[at], row);
  }
  const std::set<std::pair<std::int64_t, std::set<std::int64_t>>> expected = {{1, {10, 20, 40}}, {-1, {10, 20, 30}}};
  EXPECT_EQ(expected, found);
  matcha_rows_free(rows);
  EXPECT_EQ("none", stream.answer(1));
}

TEST(Streams, StrictAndFailures) {
  Options options;
  options.set("strict", "true");
  const Clique clique(3);
  Stream stream(pattern("edge"), clique.graph, options.options);
  std::string error_text;
  EXPECT_EQ(MATCHA_OK, stream.lines("+ 10 50\n- 10 70\n"));
  EXPECT_EQ(-MATCHA_ERROR_INPUT, stream.apply(nullptr, &error_text));
  EXPECT_NE(std::string::npos, error_text.find("update 2 of the batch changes nothing")) << error_text;
  EXPECT_EQ(3, stream.apply()) << "the batch was dropped";

  matcha_program* const none = nullptr;
  matcha_stream* opened = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_open(&none, 1, clique.graph, nullptr, &opened, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_open(&none, 0, clique.graph, nullptr, &opened, nullptr));
  matcha_program* const labelled = pattern("(a)-[:knows]-(b)");
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_open(&labelled, 1, clique.graph, nullptr, &opened, nullptr));
  EXPECT_EQ(nullptr, opened);
  matcha_program_free(labelled);
}

TEST(Streams, OrbitsAreRefused) {
  const Clique graph(4);
  Options options;
  options.set("per", "vertex");
  matcha_program* program = pattern("motif:3", options.options);
  matcha_stream* stream = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_open(&program, 1, graph.graph, nullptr, &stream, &error));
  EXPECT_NE(std::string(matcha_error_text(error)).find("no orbits"), std::string::npos);
  matcha_error_free(error);
  matcha_program_free(program);
}

/// Opens patterns on a table into a stream without a program.
matcha_status open_table(Stream& into, std::vector<const char*> patterns, const matcha_options* options) {
  matcha_error* error = nullptr;
  const matcha_status status =
      matcha_stream_open_table(patterns.data(), patterns.size(), options, &into.stream, &error);
  matcha_error_free(error);
  return status;
}

TEST(Streams, LinesOfATable) {
  Options options;
  for (const auto& [name, value] :
       {std::pair("directed", "true"), {"time", "at"}, {"window", "5s"}, {"edge-id", "id"}, {"matches", "true"}}) {
    options.set(name, value);
  }
  Stream stream;
  ASSERT_EQ(MATCHA_OK, open_table(stream, {"(a)-[x {sum > 4}]->(b)-[y]->(c) where x < y", "a->b"}, options.options));
  EXPECT_EQ(MATCHA_OK, stream.lines("id,src,dst,at,sum\nt1,ann,bob,1,5\nt2,bob,eve,2,1\n"));
  EXPECT_EQ(MATCHA_ERROR_USAGE, stream.put(MATCHA_ADD_EDGE, {1}, {2}));
  EXPECT_EQ(1, stream.apply());
  EXPECT_NE(stream.answer(1).find("\"total\": 2"), std::string::npos) << stream.answer(1);
  char* json = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_stream_changes_json(stream.stream, 0, &json, nullptr));
  EXPECT_EQ(R"({"columns":["a","b","c","x","y"],"added":[["ann","bob","eve","t1","t2"]],"removed":[]})",
            std::string(json));
  matcha_text_free(json);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_stream_changes_json(stream.stream, 2, &json, nullptr));
  EXPECT_EQ(MATCHA_OK, stream.lines("t3,eve,ann,6,7"));
  EXPECT_EQ(0, stream.apply());
  EXPECT_EQ(MATCHA_ERROR_INPUT, stream.lines("t4,eve,ann,many,7\n"));
  EXPECT_EQ(MATCHA_ERROR_RUN, stream.lines("t4,eve,ann,7,7\n"));

  Stream other;
  EXPECT_EQ(MATCHA_ERROR_USAGE, open_table(other, {}, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, open_table(other, {""}, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, open_table(other, {"(a)-[x:pays]->(b)"}, options.options));
  EXPECT_EQ(MATCHA_ERROR_PROGRAM, open_table(other, {"(a)-[x"}, options.options));
}

TEST(Streams, ABatchThatIsStoppedEndsTheStream) {
  const Clique clique(250);
  Stream stream(pattern("path:7"), clique.graph);
  matcha_run* run = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_stream_apply(stream.stream, nullptr, &run, nullptr));
  EXPECT_EQ(MATCHA_ERROR_RUN, stream.put(MATCHA_ADD_EDGE, {1}, {2})) << "a batch is at work";
  matcha_cancel(run);
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_CANCELLED, matcha_finish(run, &result, nullptr));
  matcha_run_free(run);
  EXPECT_EQ(MATCHA_ERROR_RUN, stream.put(MATCHA_ADD_EDGE, {1}, {2}));
  EXPECT_EQ(-MATCHA_ERROR_RUN, stream.apply());
}

}  // namespace
