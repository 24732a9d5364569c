// Rows of a run, pulled through matcha.h as they are found, and its progress.

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/support.h"

namespace {

/// AddressSanitizer keeps memory that was freed for a while.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsFreedMemory = true;
#elif defined(__has_feature)
constexpr bool kKeepsFreedMemory = __has_feature(address_sanitizer);
#else
constexpr bool kKeepsFreedMemory = false;
#endif

using matcha_test::Clique;
using matcha_test::Options;
using matcha_test::pattern;
using matcha_test::resident_bytes;
using Row = std::vector<std::int64_t>;

struct Listing : Options {
  Listing() { set("matches", "true"); }
};

matcha_run* start_rows(matcha_program* program, matcha_graph* graph, const matcha_options* options = nullptr) {
  matcha_run* run = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_start_rows(program, graph, options, &run, &error))
      << (error != nullptr ? matcha_error_text(error) : "");
  matcha_error_free(error);
  return run;
}

void take(matcha_rows* block, std::vector<Row>& rows) {
  for (std::size_t r = 0; r < matcha_rows_count(block); ++r) {
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < matcha_rows_columns(block); ++c) row.push_back(matcha_rows_ints(block, c)[r]);
  }
  matcha_rows_free(block);
}

/// All rows of a run, whose blocks come one by one.
std::vector<Row> rows_of(matcha_run* run) {
  std::vector<Row> rows;
  matcha_rows* block = nullptr;
  int found = 0;
  while ((found = matcha_next_rows(run, &block, -1)) == 1) take(block, rows);
  EXPECT_EQ(-1, found) << "a wait for ever gives rows or says that there are no more";
  EXPECT_EQ(nullptr, block);
  return rows;
}

/// Its status; `rows`: the number in its result.
matcha_status end_of(matcha_run* run, std::int64_t& rows, int& complete) {
  matcha_result* result = nullptr;
  const matcha_status status = matcha_finish(run, &result, nullptr);
  rows = result != nullptr ? matcha_result_int(result, 0, nullptr) : -1;
  complete = result != nullptr ? matcha_result_complete(result) : -1;
  matcha_result_free(result);
  matcha_run_free(run);
  return status;
}

TEST(Rows, AreThoseOfTheList) {
  const Clique clique(40);
  const Listing listing;
  matcha_program* const triangles = pattern("triangle", listing.options);
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(triangles, clique.graph, nullptr, &result, nullptr));
  std::vector<Row> whole(matcha_result_rows(result, 0), Row(3));
  for (std::size_t r = 0; r < whole.size(); ++r) {
    for (std::size_t c = 0; c < 3; ++c) whole[r][c] = matcha_result_ints(result, 0, c)[r];
  }
  matcha_result_free(result);
  for (const char* threads : {"1", "4"}) {
    Options options;
    options.set("threads", threads);
    matcha_run* const run = start_rows(triangles, clique.graph, options.options);
    std::vector<Row> rows = rows_of(run);
    EXPECT_EQ(9880U, rows.size());
    std::sort(rows.begin(), rows.end());
    std::sort(whole.begin(), whole.end());
    EXPECT_EQ(whole, rows) << threads << " threads";
    std::int64_t count = 0;
    int complete = 0;
    EXPECT_EQ(MATCHA_OK, end_of(run, count, complete));
    EXPECT_EQ(9880, count);
    EXPECT_EQ(1, complete);
  }
  matcha_program_free(triangles);
}

TEST(Rows, LimitsAreExact) {
  const Clique clique(40);
  const Listing listing;
  matcha_program* const triangles = pattern("triangle", listing.options);
  for (const std::int64_t limit : {0, 1, 4095, 4096, 4097, 9879, 9880, 20'000}) {
    Options options;
    options.set("limit", std::to_string(limit).c_str());
    matcha_run* const run = start_rows(triangles, clique.graph, options.options);
    std::vector<Row> rows = rows_of(run);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows.end(), std::unique(rows.begin(), rows.end()));
    const std::int64_t wanted = std::min<std::int64_t>(limit, 9880);
    EXPECT_EQ(wanted, static_cast<std::int64_t>(rows.size()));
    std::int64_t count = 0;
    int complete = 0;
    EXPECT_EQ(MATCHA_OK, end_of(run, count, complete));
    EXPECT_EQ(wanted, count);
    EXPECT_EQ(limit > 9880 ? 1 : 0, complete) << limit;
  }
  matcha_program_free(triangles);
}

/// Orbits come in blocks that are larger than those of the caller.
TEST(Rows, OfOrbitsAreOneForEachVertex) {
  constexpr std::int64_t kVertices = 10'000;
  std::vector<std::int64_t> sources(kVertices - 1), targets(kVertices - 1);
  std::iota(sources.begin(), sources.end(), 0);
  std::iota(targets.begin(), targets.end(), 1);
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK,
            matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), nullptr, &graph, nullptr));
  Listing options;
  options.set("per", "vertex");
  matcha_program* const orbits = pattern("motif:3", options.options);
  matcha_run* const run = start_rows(orbits, graph);
  std::vector<Row> rows = rows_of(run);
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(static_cast<std::size_t>(kVertices), rows.size());
  for (std::int64_t v = 0; v < kVertices; ++v) ASSERT_EQ(v, rows[static_cast<std::size_t>(v)][0]);
  matcha_run_free(run);
  matcha_program_free(orbits);
  matcha_graph_free(graph);
}

TEST(Rows, ReportTheirKinds) {
  const Clique clique(3);
  matcha_program* program = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile("def main(G: Graph):\n"
                                              "    return apply(lambda v: mk_tuple(val=[v, size(neighbor(G, v)), 0.5, "
                                              "size(neighbor(G, v)) == 2]), vertices(G))\n",
                                              nullptr, &program, nullptr));
  matcha_run* const run = start_rows(program, clique.graph);
  matcha_rows* block = nullptr;
  ASSERT_EQ(1, matcha_next_rows(run, &block, -1));
  ASSERT_EQ(4U, matcha_rows_columns(block));
  const matcha_kind kinds[] = {MATCHA_VERTEX, MATCHA_INT, MATCHA_FLOAT, MATCHA_BOOL};
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(kinds[c], matcha_rows_kind(block, c)) << c;
    EXPECT_EQ(c == 2, matcha_rows_ints(block, c) == nullptr) << c;
    EXPECT_EQ(c != 2, matcha_rows_floats(block, c) == nullptr) << c;
  }
  EXPECT_EQ(0.5, matcha_rows_floats(block, 2)[0]);
  EXPECT_EQ(2, matcha_rows_ints(block, 1)[0]);
  EXPECT_EQ(1, matcha_rows_ints(block, 3)[0]);
  // Beyond the last column.
  EXPECT_EQ(nullptr, matcha_rows_ints(block, 4));
  EXPECT_EQ(nullptr, matcha_rows_floats(block, 4));
  matcha_rows_free(block);
  matcha_run_free(run);
  matcha_program_free(program);
}

TEST(Rows, ARunWaitsForASlowCaller) {
  const Clique clique(400);  // More than 10 million triangles.
  const Listing listing;
  matcha_program* const triangles = pattern("triangle", listing.options);
  matcha_run* run = start_rows(triangles, clique.graph);
  matcha_rows* block = nullptr;
  ASSERT_EQ(1, matcha_next_rows(run, &block, -1));
  matcha_rows_free(block);
  const std::uint64_t before = resident_bytes();
  EXPECT_EQ(0, matcha_wait(run, 300)) << "a run that nobody takes the rows of does not end";
  std::uint64_t rows = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(1, matcha_next_rows(run, &block, -1));
    rows += matcha_rows_count(block);
    matcha_rows_free(block);
  }
  EXPECT_GT(rows, 1'000'000U);
  if (!kKeepsFreedMemory) {
    EXPECT_LT(resident_bytes(), before + (std::uint64_t{64} << 20)) << "rows are not kept";
  }
  // An end before all rows were taken is no failure.
  std::int64_t count = 0;
  int complete = 0;
  EXPECT_EQ(MATCHA_OK, end_of(run, count, complete));
  EXPECT_EQ(0, complete);
  EXPECT_GE(count, static_cast<std::int64_t>(rows));
  // Nor does a free wait.
  run = start_rows(triangles, clique.graph);
  EXPECT_EQ(0, matcha_wait(run, 50));
  matcha_run_free(run);
  matcha_program_free(triangles);
}

TEST(Rows, StopsEndARunThatWaits) {
  const Clique clique(400);
  const Listing listing;
  matcha_program* const triangles = pattern("triangle", listing.options);
  matcha_run* run = start_rows(triangles, clique.graph);
  EXPECT_EQ(0, matcha_wait(run, 50));
  matcha_cancel(run);
  std::int64_t count = 0;
  int complete = 0;
  EXPECT_EQ(MATCHA_CANCELLED, end_of(run, count, complete));
  // Rows that were found before are there; how long it takes to find some is the machine's.
  std::size_t rows = 0;
  for (const char* const seconds : {"1", "4", "16", "64"}) {
    Options soon;
    soon.set("timeout", seconds);
    run = start_rows(triangles, clique.graph, soon.options);
    EXPECT_EQ(1, matcha_wait(run, 300'000));
    rows = rows_of(run).size();
    EXPECT_EQ(MATCHA_TIMEOUT, end_of(run, count, complete));
    if (rows > 0) break;
  }
  EXPECT_LT(0U, rows);
  matcha_canceller* const canceller = matcha_canceller_new();
  Options options;
  matcha_options_set_canceller(options.options, canceller);
  run = start_rows(triangles, clique.graph, options.options);
  std::thread other([canceller] { matcha_canceller_cancel(canceller); });
  rows_of(run);
  other.join();
  EXPECT_EQ(MATCHA_CANCELLED, end_of(run, count, complete));
  matcha_canceller_free(canceller);
  matcha_program_free(triangles);
}

TEST(Rows, BadInput) {
  const Clique clique(4);
  matcha_program* const triangles = pattern("triangle");
  matcha_run* run = reinterpret_cast<matcha_run*>(8);
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_start_rows(triangles, clique.graph, nullptr, &run, &error));
  EXPECT_EQ(nullptr, run);
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "no list"));
  matcha_error_free(error);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_start_rows(nullptr, clique.graph, nullptr, &run, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_start_rows(triangles, nullptr, nullptr, &run, nullptr));
  Options options;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "limit", "-1", nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "limit", "many", nullptr));
  // A run without rows has none to take.
  ASSERT_EQ(MATCHA_OK, matcha_start(triangles, clique.graph, nullptr, &run, nullptr));
  matcha_rows* block = reinterpret_cast<matcha_rows*>(8);
  EXPECT_EQ(-1, matcha_next_rows(run, &block, -1));
  EXPECT_EQ(nullptr, block);
  matcha_run_free(run);
  matcha_rows_free(nullptr);
  matcha_program_free(triangles);
  // A failed run has none either, and its error is reported.
  matcha_program* failing = nullptr;
  ASSERT_EQ(MATCHA_OK,
            matcha_program_compile("def main(G: Graph):\n"
                                   "    return apply(lambda v: 1 / (size(neighbor(G, v)) - 3), vertices(G))\n",
                                   nullptr, &failing, nullptr));
  run = start_rows(failing, clique.graph);
  EXPECT_EQ(-1, matcha_next_rows(run, &block, -1));
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_ERROR_RUN, matcha_finish(run, &result, &error));
  EXPECT_NE(nullptr, std::strstr(matcha_error_text(error), "division by zero"));
  matcha_error_free(error);
  matcha_run_free(run);
  matcha_program_free(failing);
}

TEST(Progress, RisesFromNoneToAll) {
  const Clique clique(40), large(220);
  matcha_program* const triangles = pattern("triangle");
  matcha_run* run = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_start(triangles, clique.graph, nullptr, &run, nullptr));
  EXPECT_EQ(1, matcha_wait(run, -1));
  std::uint64_t done = 0, total = 0;
  matcha_progress(run, &done, &total);
  EXPECT_LT(0U, total);
  EXPECT_EQ(total, done);
  matcha_progress(run, nullptr, nullptr);
  matcha_run_free(run);
  matcha_program_free(triangles);
  Options options;
  options.set("induced", "edge");
  options.set("algorithm", "extend");
  matcha_program* const paths = pattern("path:7", options.options);
  ASSERT_EQ(MATCHA_OK, matcha_start(paths, large.graph, nullptr, &run, nullptr));
  matcha_progress(run, &done, &total);
  EXPECT_EQ(0U, done);
  EXPECT_EQ(0U, total) << "it compiles first";
  // Compiling takes as long as the machine is busy.
  for (int tries = 0; tries < 2000 && total == 0; ++tries) {
    ASSERT_EQ(0, matcha_wait(run, 100));
    matcha_progress(run, &done, &total);
  }
  EXPECT_EQ(220U * 220U, total) << "vertices and arcs";
  EXPECT_LT(done, total);
  matcha_run_free(run);
  matcha_program_free(paths);
}

}  // namespace
