// Queries that are more than one pattern, through matcha_query.h.

#include <chrono>
#include <string>
#include <thread>

#include "api/matcha_query.h"
#include "tests/api/support.h"

namespace {

using matcha_test::Options;

/// 10 → 20, 20 → 10, 20 → 30, 30 → 30.
struct Loops {
  Loops() {
    Options options;
    options.set("directed", "true");
    options.set("keep-loops", "true");
    const std::int64_t sources[] = {10, 20, 20, 30}, targets[] = {20, 10, 30, 30};
    EXPECT_EQ(MATCHA_OK, matcha_graph_from_edges(sources, targets, 4, options.options, &graph, nullptr));
  }
  ~Loops() { matcha_graph_free(graph); }
  matcha_graph* graph = nullptr;
};

matcha_program* query_of(const char* text, const char* param = nullptr) {
  Options options;
  options.set("query", "true");
  if (param != nullptr) options.set("param", param);
  return matcha_test::pattern(text, options.options);
}

/// The JSON, or the error.
std::string answer(const char* text, matcha_graph* graph, matcha_status wanted = MATCHA_OK, const char* param = nullptr,
                   const matcha_options* options = nullptr) {
  matcha_program* const program = query_of(text, param);
  char* json = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(wanted, matcha_answer(program, graph, options, &json, &error)) << text;
  std::string found = json != nullptr ? json : error != nullptr ? matcha_error_text(error) : "";
  matcha_text_free(json);
  matcha_error_free(error);
  matcha_program_free(program);
  return found;
}

TEST(Statements, Answers) {
  const Loops loops;
  EXPECT_EQ(answer("MATCH (a) OPTIONAL MATCH p = (a)-[r]->(b) WHERE a = b RETURN a, r, p, $x AS x ORDER BY a DESC",
                   loops.graph, MATCHA_OK, "x=1.0"),
            R"({"columns": ["a","r","p","x"], "rows": [[{"node": 30}, {"edge": 3}, )"
            R"({"path": [{"node": 30}, {"edge": 3}, {"node": 30}]}, 1.0], [{"node": 20}, null, null, 1.0], )"
            R"([{"node": 10}, null, null, 1.0]]})");
  EXPECT_EQ(answer("MATCH (a) MATCH (b) RETURN count(*)", loops.graph),
            R"x({"columns": ["count(*)"], "rows": [[9]]})x");
  EXPECT_EQ(answer("MATCH (a) WHERE a <> a RETURN a, 1 AS n", loops.graph), R"({"columns": ["a","n"], "rows": []})");
  EXPECT_EQ(answer("RETURN [1e308 * 10, true, 'a\"b'] AS l", loops.graph),
            R"({"columns": ["l"], "rows": [[[{"float": "inf"}, true, "a\"b"]]]})");
}

TEST(Statements, Refuses) {
  const Loops loops;
  EXPECT_NE(std::string::npos, answer("MATCH (a) RETURN a.x, 1", loops.graph, MATCHA_ERROR_USAGE).find("no columns"));
  EXPECT_NE(std::string::npos, answer("RETURN 1 / 0 AS x", loops.graph, MATCHA_ERROR_RUN).find("division by zero"));
  const matcha_test::Clique clique(3);
  EXPECT_NE(std::string::npos, answer("MATCH (a) RETURN a, 1", clique.graph, MATCHA_ERROR_USAGE).find("lost its own"));
  matcha_program* const statement = query_of("MATCH (a) RETURN a, 1");
  matcha_program* const triangle = matcha_test::pattern("triangle");
  matcha_result* result = nullptr;
  matcha_run* run = nullptr;
  char* text = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_run_now(statement, loops.graph, nullptr, &result, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_start(statement, loops.graph, nullptr, &run, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_start_rows(statement, loops.graph, nullptr, &run, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_explain(statement, loops.graph, nullptr, &text, nullptr));
  EXPECT_NE(MATCHA_OK, matcha_program_emit(statement, "ir", &text, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_answer(triangle, clique.graph, nullptr, &text, nullptr));
  EXPECT_STREQ("a", matcha_program_name(statement, 0));
  matcha_program_free(statement);
  matcha_program_free(triangle);
  Options options;
  options.set("query", "true");
  matcha_program* program = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_program_pattern("RETURN $x AS x", options.options, &program, nullptr));
}

TEST(Statements, EndsEarly) {
  const Loops loops;
  const char* const endless =
      "MATCH (a) MATCH (b) MATCH (c) MATCH (d) MATCH (e) MATCH (f) MATCH (g) MATCH (h) MATCH (i) MATCH (j) MATCH (k) "
      "MATCH (l) MATCH (m) MATCH (n) MATCH (o) MATCH (p) MATCH (q) MATCH (s) RETURN sum(size([a, b, c, d, e, f, g, h, "
      "i, j, k, l, m, n, o, p, q, s])) AS n";
  Options options;
  options.set("timeout", "0.1");
  EXPECT_EQ(answer(endless, loops.graph, MATCHA_TIMEOUT, nullptr, options.options), "");
  matcha_canceller* const canceller = matcha_canceller_new();
  const Options cancelled;
  matcha_options_set_canceller(cancelled.options, canceller);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    matcha_canceller_cancel(canceller);
  });
  EXPECT_EQ(answer(endless, loops.graph, MATCHA_CANCELLED, nullptr, cancelled.options), "");
  ends.join();
  matcha_canceller_free(canceller);
}

}  // namespace
