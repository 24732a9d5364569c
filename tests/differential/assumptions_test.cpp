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

/// Graphs that are not what a module assumes, on purpose: every back end refuses them.
namespace matcha::differential {
namespace {

constexpr const char* kDegrees = R"(module kernel "degrees" (%k: i64, %G: graph) assumes symmetric(%G), simple(%G) {
  region (parallel, split=2, group=1) {
    collect %n: sum i64 {
      for %u in vertices(%G) {
        yield %n, (%k * size(neighbors(%G, %u)))
      }
    }
  }
  return %n
})";

/// 0 and 1 have an arc to each other, or only 0 to 1; `simple` is what the graph says of itself.
runtime::Graph pair(bool directed, bool simple) {
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(3);
  const std::uint64_t offsets[] = {0, 1, directed ? 1U : 2U};
  std::copy(std::begin(offsets), std::end(offsets), arrays.offsets.begin());
  arrays.neighbors = runtime::Buffer<std::uint32_t>(directed ? 1 : 2);
  arrays.neighbors[0] = 1;
  if (!directed) arrays.neighbors[1] = 0;
  runtime::GraphFacts facts;
  facts.directed = directed;
  facts.simple = simple;
  return runtime::Graph::from_arrays(std::make_shared<const runtime::Universe>(runtime::Universe::identity(2)),
                                     std::move(arrays), facts);
}

std::string outcome(codegen::Executable& program, bool directed, bool simple = true) {
  runtime::Graph graph = pair(directed, simple);
  const std::vector<codegen::Argument> arguments = {std::int64_t{10}, &graph};
  const codegen::RunOutcome ended = program.run(arguments, graph.universe(), {});
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) {
    EXPECT_EQ(error->error.kind, runtime::ErrorKind::Input);
    return error->error.message;
  }
  const codegen::ResultValue& value = std::get<codegen::RunResult>(ended).values[0];
  return std::to_string(static_cast<std::int64_t>(std::get<__int128>(value)));
}

class Assumptions : public testing::Test {
 protected:
  void expect_refused(codegen::Backend& backend) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    ir::Context context;
    const std::optional<ir::Module> module = ir::parse(context, sources.add("degrees.mtir", kDegrees), diagnostics);
    ASSERT_TRUE(module) << render_text(diagnostics, false);
    const std::unique_ptr<codegen::Executable> program = backend.load(*module, diagnostics);
    ASSERT_NE(program, nullptr) << render_text(diagnostics, false);
    EXPECT_EQ(outcome(*program, false), "20");
    EXPECT_EQ(outcome(*program, true),
              "the graph for `G` is not `symmetric`: the compiled program assumes that each arc has its reverse");
    EXPECT_EQ(
        outcome(*program, false, false),
        "the graph for `G` is not `simple`: the compiled program assumes that there are no loops and no repeated arcs");
    EXPECT_EQ(outcome(*program, false), "20");
  }
};

TEST_F(Assumptions, InterpreterRefuses) { expect_refused(*codegen::make_interpreter()); }
TEST_F(Assumptions, LlvmRefuses) { expect_refused(*codegen::make_llvm()); }
TEST_F(Assumptions, EmulatedGpuRefuses) {
  ::setenv("MATCHA_LIBCUDA", EMULATED_CUDA, 1);
  ::setenv("MATCHA_NVRTC", EMULATED_CUDA, 1);
  ::setenv("MATCHA_CACHE_DIR", EMULATED_CACHE, 1);
  expect_refused(*codegen::make_cuda({}));
}

}  // namespace
}  // namespace matcha::differential
