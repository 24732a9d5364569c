// libmatcha through matcha.h alone.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "api/matcha.h"
#include "tests/api/support.h"

namespace {

constexpr const char* kTriangles =
    "def main(G: Graph) -> int:\n"
    "    def from_u(u):\n"
    "        def from_v(v):\n"
    "            return size(apply(lambda w: w, cond=lambda w: w < v, intersect(neighbor(G, u), neighbor(G, v))))\n"
    "        return sum(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))\n"
    "    return sum(apply(from_u, vertices(G)))\n";

using matcha_test::Clique;
using matcha_test::count;
using matcha_test::Options;
using matcha_test::pattern;
using matcha_test::resident_bytes;

TEST(Api, GraphsAreCleaned) {
  const std::int64_t sources[] = {5, 7, 5, 9, 5}, targets[] = {7, 5, 5, 5, 9};
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_edges(sources, targets, 5, nullptr, &graph, nullptr));
  EXPECT_EQ(3U, matcha_graph_vertices(graph));
  EXPECT_EQ(2U, matcha_graph_edges(graph));
  matcha_graph_free(graph);
  Options directed;
  directed.set("directed", "true");
  ASSERT_EQ(MATCHA_OK, matcha_graph_from_edges(sources, targets, 5, directed.options, &graph, nullptr));
  EXPECT_EQ(4U, matcha_graph_edges(graph));
  matcha_graph_free(graph);
}

TEST(Api, ProgramsAndPatternsCount) {
  const Clique small(6), large(40);
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile(kTriangles, nullptr, &program, &error)) << matcha_error_text(error);
  matcha_program* const cliques = pattern("clique:4");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(20, count(program, small.graph));
    EXPECT_EQ(9880, count(program, large.graph));
    EXPECT_EQ(15, count(cliques, small.graph));
    EXPECT_EQ(91390, count(cliques, large.graph));
  }
  matcha_program_free(cliques);
  matcha_program_free(program);
}

TEST(Api, FilesAndOrders) {
  matcha_graph* graph = nullptr;
  matcha_error* error = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_read("examples/graphs/wiki-vote.txt.gz", nullptr, &graph, &error));
  EXPECT_EQ(7115U, matcha_graph_vertices(graph));
  EXPECT_EQ(100762U, matcha_graph_edges(graph));
  for (const char* order : {"auto", "id", "degree"}) {
    Options options;
    options.set("order", order);
    matcha_program* const triangles = pattern("triangle", options.options);
    EXPECT_EQ(608389, count(triangles, graph)) << order;
    matcha_program_free(triangles);
  }
  matcha_graph_free(graph);
}

TEST(Api, MatchesAreIds) {
  const Clique clique(4);
  Options options;
  options.set("matches", "true");
  matcha_program* const edges = pattern("edge", options.options);
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(edges, clique.graph, nullptr, &result, nullptr));
  ASSERT_EQ(1U, matcha_result_size(result));
  ASSERT_EQ(MATCHA_LIST, matcha_result_kind(result, 0));
  ASSERT_EQ(6U, matcha_result_rows(result, 0));
  ASSERT_EQ(2U, matcha_result_columns(result, 0));
  EXPECT_EQ(MATCHA_VERTEX, matcha_result_column_kind(result, 0, 1));
  EXPECT_EQ(nullptr, matcha_result_floats(result, 0, 0));
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < 6; ++row) {
    sum += matcha_result_ints(result, 0, 0)[row] + matcha_result_ints(result, 0, 1)[row];
  }
  EXPECT_EQ(3 * (10 + 20 + 30 + 40), sum);
  matcha_result_free(result);
  matcha_program_free(edges);
}

TEST(Api, TuplesAndParameters) {
  const Clique clique(4);
  Options options;
  options.set("param", "k=7");
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  const char* const text = "def main(G: Graph, k: int) -> Tuple<int, float>:\n    return mk_tuple(val=[k, 0.5])\n";
  if (matcha_program_compile(text, options.options, &program, &error) != MATCHA_OK) {
    FAIL() << matcha_error_text(error);
  }
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, clique.graph, nullptr, &result, nullptr));
  ASSERT_EQ(2U, matcha_result_size(result));
  EXPECT_EQ(7, matcha_result_int(result, 0, nullptr));
  EXPECT_EQ(MATCHA_FLOAT, matcha_result_kind(result, 1));
  EXPECT_EQ(0.5, matcha_result_float(result, 1));
  matcha_result_free(result);
  matcha_program_free(program);
}

TEST(Api, CountsOfCliquesHaveFourWords) {
  const Clique graph(200);
  matcha_program* const program = pattern("clique:100");
  matcha_result* result = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_run_now(program, graph.graph, nullptr, &result, nullptr));
  std::uint64_t words[4] = {};
  EXPECT_EQ(0, matcha_result_words(result, 0, words));
  // 100 of 200: 90548514656103281165404177077484163874504589675413336841320.
  const std::uint64_t wanted[4] = {0x32fdc37906d95c68U, 0x145badcc1f49f11aU, 0x6cda9a862b570591U, 0xeU};
  EXPECT_TRUE(std::ranges::equal(words, wanted));
  EXPECT_NEAR(9.05485146561033e58, matcha_result_float(result, 0), 1e48);
  matcha_result_free(result);
  matcha_program* const sizes = pattern("clique:*");
  ASSERT_EQ(MATCHA_OK, matcha_run_now(sizes, graph.graph, nullptr, &result, nullptr));
  EXPECT_EQ(200U, matcha_result_size(result));
  EXPECT_EQ(19900, matcha_result_int(result, 1, nullptr));
  matcha_result_free(result);
  matcha_program_free(sizes);
  matcha_program_free(program);
}

TEST(Api, ErrorsHaveTheirPlace) {
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_PROGRAM,
            matcha_program_compile("def main(G: Graph) -> int:\n    return nothing\n", nullptr, &program, &error));
  EXPECT_EQ(nullptr, program);
  ASSERT_NE(nullptr, error);
  EXPECT_NE(std::string::npos, std::string(matcha_error_text(error)).find("<program>:2:12: error:"))
      << matcha_error_text(error);
  matcha_error_free(error);
  EXPECT_EQ(MATCHA_ERROR_PROGRAM, matcha_program_pattern("0-1,1-", nullptr, &program, nullptr));
  matcha_graph* graph = nullptr;
  EXPECT_EQ(MATCHA_ERROR_INPUT, matcha_graph_read("no/such/graph", nullptr, &graph, &error));
  EXPECT_NE(std::string::npos, std::string(matcha_error_text(error)).find("no/such/graph"));
  matcha_error_free(error);
  Options options;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "thread", "8", &error));
  EXPECT_STREQ("error: there is no option `thread`\n  hint: did you mean `threads`?\n", matcha_error_text(error));
  matcha_error_free(error);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, "threads", "-1", nullptr));
  const Clique clique(3);
  ASSERT_EQ(MATCHA_OK,
            matcha_program_compile("def main(G: Graph, k: int) -> int:\n    return k\n", nullptr, &program, nullptr));
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_run_now(program, clique.graph, nullptr, &result, &error));
  EXPECT_EQ(nullptr, result);
  EXPECT_NE(std::string::npos, std::string(matcha_error_text(error)).find("`k: int`")) << matcha_error_text(error);
  matcha_error_free(error);
  matcha_program_free(program);
}

TEST(Api, ThreadsShareGraphsAndPrograms) {
  const Clique clique(24);
  matcha_program* const shared = pattern("clique:4");
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Options options;
      options.set("threads", t % 2 == 0 ? "1" : "2");
      matcha_program* const own = pattern("triangle");
      for (int i = 0; i < 5; ++i) {
        right += count(shared, clique.graph, options.options) == 10626 ? 1 : 0;
        right += count(own, clique.graph, options.options) == 2024 ? 1 : 0;
      }
      matcha_program_free(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(80, right);
  matcha_program_free(shared);
}

TEST(Api, RunsEndWhenCancelled) {
  const Clique clique(220);
  Options options;
  options.set("induced", "edge");
  options.set("algorithm", "extend");
  options.set("matches", "false");
  // Far more work than a test takes: more than 10^13 maps.
  matcha_program* const program = pattern("path:7", options.options);
  matcha_run* run = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_start(program, clique.graph, nullptr, &run, nullptr));
  EXPECT_EQ(0, matcha_wait(run, 400));
  matcha_cancel(run);
  EXPECT_EQ(1, matcha_wait(run, 100'000));
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_CANCELLED, matcha_finish(run, &result, nullptr));
  if (result != nullptr) {
    EXPECT_EQ(0, matcha_result_complete(result));
  }
  matcha_result_free(result);
  matcha_run_free(run);
  Options soon;
  soon.set("timeout", "0.2");
  EXPECT_EQ(MATCHA_TIMEOUT, matcha_run_now(program, clique.graph, soon.options, &result, nullptr));
  matcha_result_free(result);
  matcha_program_free(program);
}

/// Processor time of the process, which does not depend on other work on the machine.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Processor time of all cores together in `seconds`.
double all_cores_ms(double seconds) { return 1000 * seconds * std::max(1U, std::thread::hardware_concurrency()); }

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;  // The preset `tsan` takes GCC.
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = kThreadSanitizer || __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = kThreadSanitizer;
#endif

/// The processor time that ending a call may take.
constexpr double kSoonMs = kSanitized ? 10'000 : 1000;

/// True if ending a call takes no more; `measure` gives its processor time in milliseconds. Threads that compile in the
/// background add to it, so a long one is measured again. A call that waits for the compiler always takes too much.
template <typename F>
testing::AssertionResult ends_soon(F measure) {
  double least = 1e300;
  for (int turn = 0; turn < 5 && least >= kSoonMs; ++turn) least = std::min(least, measure());
  if (least < kSoonMs) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "at the least " << least << " ms";
}

/// Cancels a run of the program after `milliseconds`, before its end; returns the time until it ended.
double milliseconds_to_cancel(matcha_program* program, matcha_graph* graph, int after) {
  matcha_run* run = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_start(program, graph, nullptr, &run, nullptr));
  EXPECT_EQ(0, matcha_wait(run, after)) << "it ended before it was cancelled";
  const Clock::time_point start = Clock::now();
  matcha_cancel(run);
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_CANCELLED, matcha_finish(run, &result, &error));
  const double took = milliseconds_since(start);
  EXPECT_EQ(nullptr, error);
  matcha_result_free(result);
  matcha_run_free(run);
  return took;
}

double milliseconds_to_time_out(matcha_program* program, matcha_graph* graph, const char* seconds) {
  Options options;
  options.set("timeout", seconds);
  matcha_result* result = nullptr;
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(MATCHA_TIMEOUT, matcha_run_now(program, graph, options.options, &result, nullptr));
  const double took = milliseconds_since(start);
  matcha_result_free(result);
  return took - all_cores_ms(std::stod(seconds));
}

TEST(Api, CompilingIsLeftBehind) {
  if (kThreadSanitizer) GTEST_SKIP() << "takes minutes under ThreadSanitizer";
  const Clique clique(5);
  // Takes seconds to compile; with sanitizers already those of 5 vertices, which otherwise would need no compiler.
  Options extend;
  extend.set("algorithm", "extend");
  matcha_program* const motifs = pattern(kSanitized ? "motif:5" : "motif:6", extend.options);
  EXPECT_TRUE(ends_soon([&] { return milliseconds_to_cancel(motifs, clique.graph, 0); }));
  EXPECT_TRUE(ends_soon([&] { return milliseconds_to_cancel(motifs, clique.graph, 150); }));
  EXPECT_TRUE(ends_soon([&] { return milliseconds_to_time_out(motifs, clique.graph, "0.1"); }));
  // Background work continues for a later run, and the program may be freed in the meantime.
  matcha_run* run = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_start(motifs, clique.graph, nullptr, &run, nullptr));
  matcha_program_free(motifs);
  // Others do not wait for it.
  matcha_program* const triangles = pattern("triangle");
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(10, count(triangles, clique.graph));
  EXPECT_EQ(0, matcha_wait(run, 0)) << "after " << milliseconds_since(start) << " ms";
  matcha_program_free(triangles);
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_finish(run, &result, &error)) << (error != nullptr ? matcha_error_text(error) : "");
  EXPECT_EQ(1, matcha_result_complete(result));
  matcha_result_free(result);
  matcha_run_free(run);
}

TEST(Api, RunsStopInAllTheirSteps) {
  if (kThreadSanitizer) GTEST_SKIP() << "takes minutes under ThreadSanitizer";
  const Clique clique(1500);
  Options edge_induced;
  edge_induced.set("induced", "edge");
  edge_induced.set("algorithm", "extend");
  matcha_program* const paths = pattern("path:7", edge_induced.options);
  // Inside a region.
  EXPECT_TRUE(ends_soon([&] { return milliseconds_to_cancel(paths, clique.graph, 400); }));
  EXPECT_TRUE(ends_soon([&] { return milliseconds_to_time_out(paths, clique.graph, "0.3"); }));
  matcha_program_free(paths);
  // While lists and graphs are made, at some times between.
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  const char* const text =
      "def main(G: Graph) -> int:\n"
      "    def forward(e):\n"
      "        return get(e, 0) < get(e, 1)\n"
      "    H = mk_graph(apply(lambda e: e, edges(G)))\n"
      "    J = mk_graph(apply(lambda e: e, cond=forward, edges(H)))\n"
      "    return sum(apply(lambda u: sum(apply(lambda v: size(intersect(neighbor(J, u), neighbor(J, v))),\n"
      "                                         neighbor(H, u))), vertices(J)))\n";
  if (matcha_program_compile(text, nullptr, &program, &error) != MATCHA_OK) FAIL() << matcha_error_text(error);
  const std::int64_t whole = count(program, clique.graph);
  EXPECT_GT(whole, 0);
  for (const int after : {5, 20, 40, 60, 100, 150}) {
    EXPECT_TRUE(ends_soon([&] {
      matcha_run* run = nullptr;
      EXPECT_EQ(MATCHA_OK, matcha_start(program, clique.graph, nullptr, &run, nullptr));
      matcha_wait(run, after);
      const Clock::time_point start = Clock::now();
      matcha_cancel(run);
      matcha_result* result = nullptr;
      const matcha_status status = matcha_finish(run, &result, nullptr);
      const double took = milliseconds_since(start);
      EXPECT_TRUE(status == MATCHA_OK || status == MATCHA_CANCELLED) << status;
      if (status == MATCHA_OK) {
        EXPECT_EQ(whole, matcha_result_int(result, 0, nullptr));
      }
      matcha_result_free(result);
      matcha_run_free(run);
      return took;
    })) << after;
  }
  matcha_program_free(program);
}

TEST(Api, ReadingStops) {
  if (kThreadSanitizer) GTEST_SKIP() << "takes minutes under ThreadSanitizer";
  const std::string path = ::testing::TempDir() + "api_test_" + std::to_string(::getpid()) + ".txt";
  {
    std::ofstream file(path);
    for (std::int64_t i = 0; i < (kSanitized ? 1'000'000 : 5'000'000); ++i)
      file << i * 7919 % 1000003 << ' ' << i << '\n';
  }
  matcha_graph* graph = nullptr;
  Options soon;
  soon.set("timeout", "0.05");
  EXPECT_TRUE(ends_soon([&] {
    const Clock::time_point start = Clock::now();
    EXPECT_EQ(MATCHA_TIMEOUT, matcha_graph_read(path.c_str(), soon.options, &graph, nullptr));
    EXPECT_EQ(nullptr, graph);
    return milliseconds_since(start) - all_cores_ms(0.05);
  }));
  // The first is cancelled before it is read.
  for (const int after : {-1, 30, 100, 200}) {
    EXPECT_TRUE(ends_soon([&] {
      Options options;
      matcha_canceller* const canceller = matcha_canceller_new();
      matcha_options_set_canceller(options.options, canceller);
      Clock::time_point start = Clock::now();
      if (after < 0) matcha_canceller_cancel(canceller);
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(after));
        start = Clock::now();
        matcha_canceller_cancel(canceller);
      });
      const matcha_status status = matcha_graph_read(path.c_str(), options.options, &graph, nullptr);
      const Clock::time_point end = Clock::now();
      other.join();
      EXPECT_TRUE(status == MATCHA_CANCELLED || (status == MATCHA_OK && after > 0)) << status;
      matcha_graph_free(graph);
      graph = nullptr;
      matcha_canceller_free(canceller);
      const double took = std::chrono::duration<double, std::milli>(end - start).count();
      return status == MATCHA_CANCELLED ? took : 0.0;
    })) << after;
  }
  ::unlink(path.c_str());
}

TEST(Api, AForkedChildGetsAnError) {
  const Clique clique(6);
  matcha_program* const program = pattern("clique:3");
  EXPECT_EQ(20, count(program, clique.graph));  // Compiled by a thread that then waits for more work.
  const pid_t child = fork();
  if (child == 0) {
    matcha_run* run = nullptr;
    matcha_result* result = nullptr;
    const bool started = matcha_start(program, clique.graph, nullptr, &run, nullptr) == MATCHA_OK;
    const bool finished = started && matcha_wait(run, 100'000) == 1 &&
                          matcha_finish(run, &result, nullptr) == MATCHA_ERROR_RUN && result == nullptr;
    _exit(finished ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(0, WEXITSTATUS(status));
  matcha_program_free(program);
}

TEST(Api, CancellersEndCallsOfOtherThreads) {
  const Clique clique(220);
  Options options;
  options.set("induced", "edge");
  options.set("algorithm", "extend");
  matcha_program* const program = pattern("path:7", options.options);
  EXPECT_TRUE(ends_soon([&] {
    matcha_canceller* const canceller = matcha_canceller_new();
    Options how;
    matcha_options_set_canceller(how.options, canceller);
    Clock::time_point start;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      start = Clock::now();
      matcha_canceller_cancel(canceller);
    });
    matcha_result* result = nullptr;
    EXPECT_EQ(MATCHA_CANCELLED, matcha_run_now(program, clique.graph, how.options, &result, nullptr));
    const Clock::time_point end = Clock::now();
    other.join();
    matcha_result_free(result);
    EXPECT_EQ(MATCHA_CANCELLED, matcha_run_now(program, clique.graph, how.options, &result, nullptr));
    matcha_result_free(result);
    matcha_canceller_free(canceller);
    return std::chrono::duration<double, std::milli>(end - start).count();
  }));
  matcha_program_free(program);
}

/// Two runs of one program on one graph: the second starts and ends during the first.
TEST(Api, RunsGoOnAtTheSameTime) {
  const Clique large(220), small(6);
  Options options;
  options.set("induced", "edge");
  options.set("algorithm", "extend");
  matcha_program* const program = pattern("path:7", options.options);
  matcha_run* first = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_start(program, large.graph, nullptr, &first, nullptr));
  EXPECT_EQ(0, matcha_wait(first, 300));
  EXPECT_EQ(0, count(program, small.graph));
  Options soon;
  soon.set("timeout", "0.1");
  matcha_result* result = nullptr;
  EXPECT_EQ(MATCHA_TIMEOUT, matcha_run_now(program, large.graph, soon.options, &result, nullptr));
  matcha_result_free(result);
  EXPECT_EQ(0, matcha_wait(first, 0));
  matcha_run_free(first);
  matcha_program_free(program);
}

/// Planning ends with the last call that waits for it, and holds up no other one: here it takes ten seconds.
TEST(Api, PlanningEndsWithTheCallsThatWaitForIt) {
  matcha_graph* graph = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_graph_read("examples/graphs/wiki-vote.txt.gz", nullptr, &graph, nullptr));
  Options options;
  options.set("device", "cpu");
  matcha_program* const slow = pattern("motif:6", options.options);
  EXPECT_TRUE(ends_soon([&] {
    const Clock::time_point start = Clock::now();
    milliseconds_to_time_out(slow, graph, "0.1");
    matcha_program* const triangle = pattern("triangle", options.options);
    EXPECT_EQ(608389, count(triangle, graph));
    matcha_program_free(triangle);
    return milliseconds_since(start);
  }));
  // Nor does a call of another kind hold them up.
  EXPECT_TRUE(ends_soon([&] {
    const Clock::time_point start = Clock::now();
    Options soon;
    soon.set("timeout", "0.1");
    char* json = nullptr;
    EXPECT_EQ(MATCHA_TIMEOUT, matcha_explain(slow, graph, soon.options, &json, nullptr));
    matcha_program* const edge = pattern("edge", options.options);
    EXPECT_EQ(100762, count(edge, graph));
    matcha_program_free(edge);
    return milliseconds_since(start);
  }));
  matcha_program_free(slow);
  matcha_graph_free(graph);
}

/// Lists, sums that allocate per worker, and graphs that a program builds, all in one program by eight threads.
TEST(Api, ThreadsShareAllKindsOfPrograms) {
  const Clique clique(40);
  const char* const text =
      "def main(G: Graph) -> int:\n"
      "    def forward(e):\n"
      "        return get(e, 0) < get(e, 1)\n"
      "    H = mk_graph(apply(lambda e: e, cond=forward, edges(G)))\n"
      "    return sum(apply(lambda u: sum(apply(lambda v: size(intersect(neighbor(H, u), neighbor(H, v))),\n"
      "                                         neighbor(H, u))), vertices(H)))\n";
  matcha_program* built = nullptr;
  matcha_error* error = nullptr;
  if (matcha_program_compile(text, nullptr, &built, &error) != MATCHA_OK) FAIL() << matcha_error_text(error);
  Options rows;
  rows.set("matches", "true");
  matcha_program* const edges = pattern("triangle", rows.options);
  Options vertex_induced;
  vertex_induced.set("induced", "vertex");
  matcha_program* const wedges = pattern("path:3", vertex_induced.options);
  matcha_program* const houses = pattern("house");  // Edge-induced.
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Options options;
      options.set("threads", t % 3 == 0 ? "1" : t % 3 == 1 ? "2" : "3");
      for (int i = 0; i < 4; ++i) {
        right += count(built, clique.graph, options.options) == 9880 ? 1 : 0;
        right += count(wedges, clique.graph, options.options) == 0 ? 1 : 0;
        right += count(houses, clique.graph, options.options) == 658008 * 60 ? 1 : 0;
        matcha_result* result = nullptr;
        if (matcha_run_now(edges, clique.graph, options.options, &result, nullptr) != MATCHA_OK) continue;
        right += matcha_result_rows(result, 0) == 9880 ? 1 : 0;
        matcha_result_free(result);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(8 * 4 * 4, right);
  for (matcha_program* program : {built, edges, wedges, houses}) matcha_program_free(program);
}

/// Bytes that malloc has given and that were not freed, in all threads. Resident memory also has what malloc keeps for
/// later, which depends on the order in which threads end.
std::size_t bytes_in_use() {
  const struct mallinfo2 arenas = ::mallinfo2();
  return arenas.uordblks + arenas.hblkhd;
}

TEST(Api, ManyRunsDoNotGrow) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps memory that was freed for a while";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer keeps memory that was freed for a while";
#endif
#endif
  const Clique clique(12);
  Options options;
  options.set("threads", "1");
  // With `auto` a compiler may begin at any time, and takes memory once.
  for (const char* tier : {"native", "interp"}) {
    Options made;
    made.set("tier", tier);
    matcha_program* const program = pattern("triangle", made.options);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(220, count(program, clique.graph, options.options));
    const std::size_t used = bytes_in_use();
    const std::uint64_t resident = resident_bytes();
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(220, count(program, clique.graph, options.options));
    EXPECT_LT(bytes_in_use(), used + (1 << 16)) << tier;         // 6 bytes a run.
    EXPECT_LT(resident_bytes(), resident + (16 << 20)) << tier;  // 10,000 mapped pages would be 40 MB.
    matcha_program_free(program);
  }
}

}  // namespace
