#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "codegen/cuda/cuda.h"
#include "ir/parser.h"
#include "runtime/graph/labels.h"

/// Graphs that break the assumptions of a module: every back end refuses them.
namespace matcha::differential {
namespace {

constexpr const char* kDegrees = R"(module kernel "degrees" (%k: i64, %G: graph)
    assumes symmetric(%G), loop_free(%G), simple(%G), labelled(%G), degree(%G) <= 3, lower_degree(%G) <= 1, upper_degree(%G) <= 2 {
  region (parallel, split=2, group=1) {
    collect %n: sum i64 {
      for %u in vertices(%G) {
        yield %n, (%k * size(neighbors(%G, %u)))
      }
    }
  }
  return %n
})";

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The properties of a graph, and whether all vertices or all but the last have labels.
struct Kind {
  bool directed = false;
  bool loop_free = true;
  bool simple = true;
  bool labelled = true;
};

/// Both arcs of each edge, or the one alone.
runtime::Graph graph_of(const Edges& edges, const Kind& kind = {}) {
  constexpr std::uint32_t kVertices = 5;
  std::vector<std::vector<std::uint32_t>> rows(kVertices);
  for (const auto& [u, v] : edges) {
    rows[u].push_back(v);
    if (!kind.directed) rows[v].push_back(u);
  }
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(kVertices + 1);
  std::vector<std::uint32_t> all;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    std::sort(rows[u].begin(), rows[u].end());
    arrays.offsets[u] = all.size();
    all.insert(all.end(), rows[u].begin(), rows[u].end());
  }
  arrays.offsets[kVertices] = all.size();
  arrays.neighbors = runtime::Buffer<std::uint32_t>(all.size());
  std::copy(all.begin(), all.end(), arrays.neighbors.begin());
  arrays.labels = runtime::Buffer<std::int64_t>(kVertices);
  std::fill(arrays.labels.begin(), arrays.labels.end(), 7);
  if (!kind.labelled) arrays.labels[kVertices - 1] = runtime::kNoLabel;
  runtime::GraphFacts facts;
  facts.directed = kind.directed;
  facts.loop_free = kind.loop_free;
  facts.simple = kind.simple;
  return runtime::Graph::from_arrays(std::make_shared<const runtime::Universe>(runtime::Universe::identity(kVertices)),
                                     std::move(arrays), facts);
}

std::string outcome(codegen::Executable& program, runtime::Graph graph) {
  const std::vector<codegen::Argument> arguments = {std::int64_t{10}, &graph};
  const codegen::RunOutcome ended = program.run(arguments, graph.universe(), {});
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) {
    EXPECT_EQ(error->error.kind, runtime::ErrorKind::Input);
    return error->error.message;
  }
  const codegen::ResultValue& value = std::get<codegen::RunResult>(ended).values[0];
  return std::to_string(static_cast<std::int64_t>(std::get<__int128>(value)));
}

std::string refusal(const std::string& property, const std::string& meaning) {
  return "the graph for `G` is not `" + property + "`: the compiled program assumes that " + meaning;
}

std::string with_schedule(const std::string& words) {
  std::string text = kDegrees;
  return text.insert(text.find("group=1") + 7, words);
}

class Assumptions : public testing::Test {
 protected:
  /// `schedule`: further words of the region's schedule, needed by the back end's run time.
  void expect_refused(codegen::Backend& backend, const std::string& schedule = {}) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    ir::Context context;
    const std::optional<ir::Module> module =
        ir::parse(context, sources.add("degrees.mtir", with_schedule(schedule)), diagnostics);
    ASSERT_TRUE(module) << render_text(diagnostics, false);
    const std::unique_ptr<codegen::Executable> program = backend.load(*module, diagnostics);
    ASSERT_NE(program, nullptr) << render_text(diagnostics, false);
    // As large as may be, on both sides of vertex 1.
    const Edges largest = {{0, 1}, {1, 2}, {1, 3}};
    EXPECT_EQ(outcome(*program, graph_of(largest)), "60");
    EXPECT_EQ(outcome(*program, graph_of(largest, {.directed = true})),
              refusal("symmetric", "each arc has its reverse"));
    EXPECT_EQ(outcome(*program, graph_of(largest, {.loop_free = false, .simple = false})),
              refusal("loop_free", "no vertex is its own neighbour"));
    EXPECT_EQ(outcome(*program, graph_of(largest, {.simple = false})),
              refusal("simple", "there are no loops and no repeated arcs"));
    EXPECT_EQ(outcome(*program, graph_of(largest, {.labelled = false})),
              refusal("labelled", "every vertex has a label"));
    EXPECT_EQ(outcome(*program, graph_of({{0, 1}, {1, 2}, {1, 3}, {1, 4}})),
              refusal("degree <= 3", "no vertex has more than 3 neighbours"));
    EXPECT_EQ(outcome(*program, graph_of({{0, 2}, {1, 2}})),
              refusal("lower_degree <= 1", "no vertex has more than 1 neighbours below it"));
    EXPECT_EQ(outcome(*program, graph_of({{0, 1}, {0, 2}, {0, 3}})),
              refusal("upper_degree <= 2", "no vertex has more than 2 neighbours above it"));
    EXPECT_EQ(outcome(*program, graph_of(largest)), "60");
  }
};

TEST_F(Assumptions, InterpreterRefuses) { expect_refused(*codegen::make_interpreter()); }
TEST_F(Assumptions, LlvmRefuses) { expect_refused(*codegen::make_llvm()); }
TEST_F(Assumptions, EmulatedGpuRefuses) {
  ::setenv("MATCHA_LIBCUDA", EMULATED_CUDA, 1);
  ::setenv("MATCHA_NVRTC", EMULATED_CUDA, 1);
  ::setenv("MATCHA_CACHE_DIR", EMULATED_CACHE, 1);
  expect_refused(*codegen::make_cuda({}), ", steal=timeout");
}

}  // namespace
}  // namespace matcha::differential
