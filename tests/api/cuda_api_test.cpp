// libmatcha on a GPU of threads (tests/emulation), which MATCHA_LIBCUDA and MATCHA_NVRTC name.

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/support.h"

namespace {

using matcha_test::Clique;
using matcha_test::count;
using matcha_test::Options;
using matcha_test::pattern;

/// A counter of the emulated driver.
std::uint64_t emulated(const char* name) {
  static void* const library = dlopen(std::getenv("MATCHA_LIBCUDA"), RTLD_NOW);
  const auto counter = reinterpret_cast<std::uint64_t (*)()>(dlsym(library, name));
  return counter != nullptr ? counter() : 0;
}

std::uint64_t bytes_to_devices() { return emulated("emulated_bytes_to_devices"); }
std::uint64_t bytes_held() { return emulated("emulated_bytes_held"); }

/// Groups of one thread: exchanges among threads take long here.
struct OnGpu : Options {
  OnGpu() {
    set("device", "cuda");
    set("group", "1");
    set("cache", std::getenv("MATCHA_TEST_CACHE"));
  }
};

class CudaApi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("g++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "the emulation compiles with g++";
  }
};

struct WikiVote {
  WikiVote() { EXPECT_EQ(MATCHA_OK, matcha_graph_read("examples/graphs/ca-grqc.txt.gz", nullptr, &graph, nullptr)); }
  ~WikiVote() { matcha_graph_free(graph); }
  /// Bytes of the offsets and neighbours.
  std::uint64_t bytes() const { return 8 * (matcha_graph_vertices(graph) + 1) + 8 * matcha_graph_edges(graph); }
  matcha_graph* graph = nullptr;
};

TEST_F(CudaApi, GraphsStayOnTheDevice) {
  const WikiVote graph;
  OnGpu options;
  options.set("order", "id");  // Ranks by degree are another graph on the device.
  matcha_program* const triangles = pattern("triangle", options.options);
  EXPECT_EQ(48260, count(triangles, graph.graph));
  const std::uint64_t held = bytes_held();
  EXPECT_GT(held, graph.bytes());
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t before = bytes_to_devices();
    EXPECT_EQ(48260, count(triangles, graph.graph));
    EXPECT_LT(bytes_to_devices() - before, graph.bytes() / 10) << "a second run copies the graph again";
    EXPECT_EQ(held, bytes_held());
  }
  // Another program shares the copy.
  const std::uint64_t before = bytes_to_devices();
  matcha_program* const cliques = pattern("clique:4", options.options);
  const std::int64_t found = count(cliques, graph.graph);
  EXPECT_LT(bytes_to_devices() - before, graph.bytes()) << "a second program copies the graph again";
  Options cpu;
  cpu.set("device", "cpu");
  matcha_program* const on_cpu = pattern("clique:4", cpu.options);
  EXPECT_EQ(count(on_cpu, graph.graph), found);
  // The next run copies released data again.
  const std::uint64_t full = bytes_held();
  EXPECT_EQ(MATCHA_OK, matcha_graph_release(graph.graph, "cuda", nullptr));
  EXPECT_LT(bytes_held() + graph.bytes(), full);
  EXPECT_EQ(48260, count(triangles, graph.graph));
  EXPECT_EQ(found, count(cliques, graph.graph));
  matcha_program_free(on_cpu);
  matcha_program_free(cliques);
  matcha_program_free(triangles);
}

TEST_F(CudaApi, GraphsAreFreed) {
  const std::uint64_t before = bytes_held();
  {
    const Clique clique(40);
    const OnGpu options;
    matcha_program* const triangles = pattern("triangle", options.options);
    EXPECT_EQ(9880, count(triangles, clique.graph));
    EXPECT_LT(before, bytes_held());
    matcha_program_free(triangles);
  }
  EXPECT_EQ(before, bytes_held());
}

TEST_F(CudaApi, ThreadsShareGraphsAndPrograms) {
  const Clique first(30), second(40);
  const OnGpu options;
  matcha_program* const shared = pattern("triangle", options.options);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const OnGpu mine;
      matcha_program* const own = pattern("triangle", mine.options);
      for (int round = 0; round < 3; ++round) {
        right += count(shared, first.graph) == 4060 ? 1 : 0;
        right += count(own, first.graph) == 4060 ? 1 : 0;
        right += count(own, second.graph) == 9880 ? 1 : 0;
      }
      matcha_program_free(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(36, right);
  matcha_program_free(shared);
}

TEST_F(CudaApi, OrdersHubsAndTilesAreKeptApart) {
  const WikiVote graph;
  Options cpu;
  cpu.set("device", "cpu");
  matcha_program* const wanted = pattern("diamond", cpu.options);
  const std::int64_t diamonds = count(wanted, graph.graph);
  matcha_program_free(wanted);
  // Every pair of values of two options is there.
  constexpr std::array<std::array<const char*, 3>, 6> kSettings = {{{"id", "0", "1"},
                                                                    {"degree", "0", "100"},
                                                                    {"id", "4", "100"},
                                                                    {"degree", "4", "1"},
                                                                    {"id", "64", "1"},
                                                                    {"degree", "64", "100"}}};
  for (const auto& [order, hubs, tile] : kSettings) {
    OnGpu options;
    options.set("order", order);
    options.set("hubs", hubs);
    options.set("tile", tile);
    matcha_program* const program = pattern("diamond", options.options);
    EXPECT_EQ(diamonds, count(program, graph.graph)) << order << ' ' << hubs << ' ' << tile;
    EXPECT_EQ(diamonds, count(program, graph.graph)) << order << ' ' << hubs << ' ' << tile;
    matcha_program_free(program);
  }
}

TEST_F(CudaApi, IdsAndRows) {
  const Clique clique(40);
  OnGpu options;
  options.set("matches", "true");
  matcha_program* const edges = pattern("triangle", options.options);
  for (const char* limit : {"100", "20000"}) {
    Options some;
    some.set("limit", limit);
    matcha_run* run = nullptr;
    ASSERT_EQ(MATCHA_OK, matcha_start_rows(edges, clique.graph, some.options, &run, nullptr));
    matcha_rows* rows = nullptr;
    std::int64_t taken = 0;
    while (matcha_next_rows(run, &rows, -1) == 1) {
      for (std::size_t r = 0; r < matcha_rows_count(rows); ++r) {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(0, matcha_rows_ints(rows, c)[r] % 10) << "ids, not ranks";
      }
      taken += static_cast<std::int64_t>(matcha_rows_count(rows));
      matcha_rows_free(rows);
    }
    EXPECT_EQ(std::min<std::int64_t>(std::atoi(limit), 9880), taken);
    matcha_result* result = nullptr;
    matcha_error* error = nullptr;
    EXPECT_EQ(MATCHA_OK, matcha_finish(run, &result, &error)) << (error == nullptr ? "" : matcha_error_text(error));
    matcha_result_free(result);
    matcha_error_free(error);
    matcha_run_free(run);
  }
  matcha_program_free(edges);
  // A program that reads ids on the device.
  matcha_program* ids = nullptr;
  ASSERT_EQ(MATCHA_OK, matcha_program_compile("def main(G: Graph):\n"
                                              "    return sum(apply(lambda v: v + 0, vertices(G)))\n",
                                              options.options, &ids, nullptr));
  EXPECT_EQ(8200, count(ids, clique.graph));
  EXPECT_EQ(8200, count(ids, clique.graph));
  matcha_program_free(ids);
}

TEST_F(CudaApi, BadInput) {
  const Clique clique(4);
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_release(clique.graph, "tpu", &error));
  EXPECT_NE(nullptr, error);
  matcha_error_free(error);
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_release(clique.graph, nullptr, nullptr));
  EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_graph_release(nullptr, "cuda", nullptr));
  EXPECT_EQ(MATCHA_OK, matcha_graph_release(clique.graph, "cuda", nullptr)) << "nothing is there";
  Options options;
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"device", "gpu"},
                                                                                    {"group", "3"},
                                                                                    {"steal", "all"},
                                                                                    {"search", ""},
                                                                                    {"stack", "paper"},
                                                                                    {"tau-us", "-1"},
                                                                                    {"chunk", "1.5"},
                                                                                    {"eager", "1"},
                                                                                    {"gpus", "0"},
                                                                                    {"split", "4"},
                                                                                    {"scratch-mb", "0"},
                                                                                    {"arena-mb", "many"}}) {
    EXPECT_EQ(MATCHA_ERROR_USAGE, matcha_options_set(options.options, name, value, nullptr)) << name << ' ' << value;
  }
}

}  // namespace
