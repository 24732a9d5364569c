// Samples of a GPU's work, on the GPU of threads of tests/emulation.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "codegen/cuda/cuda.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "runtime/graph/generate.h"

namespace matcha::codegen::gpu {
namespace {

/// Runs programs of a graph whose vertices all have about as many neighbours.
class CudaSample : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("MATCHA_LIBCUDA") == nullptr) GTEST_SKIP() << "[SKIP] MATCHA_LIBCUDA names no emulated driver";
    graph_.emplace(std::move(*runtime::generate_gnp(2000, 0.01, 1)));
  }

  RunResult run(const std::string& program, CudaOptions options, const RunOptions& how = {}) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    ir::Context context;
    std::ifstream file("examples/" + program + ".mt");
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::optional<frontend::asg::Graph> asg = frontend::compile(sources, sources.add(program, text), {}, diagnostics);
    std::optional<ir::Module> loop = frontend::lower(*asg, context, diagnostics);
    passes::PipelineResult planned = passes::run_pipeline(*loop, *passes::parse_pipeline("c-family", diagnostics),
                                                          context, passes::gpu_target(1), {}, {}, diagnostics);
    if (const char* folder = std::getenv("MATCHA_CACHE_DIR")) options.code_folder = folder;
    std::unique_ptr<Executable> executable = make_cuda(options)->load(planned.module, diagnostics);
    EXPECT_EQ(diagnostics.error_count(), 0u);
    const Argument arguments[] = {&*graph_};
    RunOutcome outcome = executable->run(arguments, *graph_->shared_universe(), how);
    if (RunResult* result = std::get_if<RunResult>(&outcome)) return std::move(*result);
    ADD_FAILURE() << std::get<RunError>(outcome).error.message;
    return {};
  }

  std::optional<runtime::Graph> graph_;
};

constexpr std::uint64_t kParts = 8;

/// Arcs (of flat loops), tiles of arcs and whole positions, on one and several GPUs.
TEST_F(CudaSample, AFractionOfPositionsIsWalked) {
  for (const char* program : {"triangle", "four_cycle", "house"}) {
    for (std::optional<std::uint64_t> tile : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(0)}) {
      for (std::uint32_t gpus : {1u, 2u}) {
        SCOPED_TRACE(testing::Message() << program << (tile ? ", whole positions, " : ", ") << gpus << " GPUs");
        CudaOptions options;
        options.tile = tile;
        options.gpus = gpus;
        const RunResult whole = run(program, options);
        EXPECT_EQ(whole.ending, Ending::Complete);
        EXPECT_EQ(whole.values.size(), 1u);
        options.sample = {kParts, 1};
        const RunResult part = run(program, options);
        EXPECT_EQ(part.ending, Ending::Sampled);
        EXPECT_TRUE(part.values.empty());
        EXPECT_GT(part.positions, whole.positions / kParts / 2);
        EXPECT_LT(part.positions, whole.positions / kParts * 2);
      }
    }
  }
}

/// Positions are cut so that each share has as many arcs, of which a random graph has nearly as many at each vertex.
constexpr std::uint64_t kSlack = 15;

TEST_F(CudaSample, SharesHaveTheirPartOfThePositions) {
  CudaOptions options;
  options.tile = 0;
  options.chunk = 1;
  options.sample = {kParts, 1};
  const std::uint64_t found = run("house", options).positions;
  EXPECT_NEAR(found, 2000 / kParts, kSlack);
  EXPECT_EQ(run("house", options).positions, found);
  options.chunk = 7;
  EXPECT_NEAR(run("house", options).positions, 2000 / kParts, 4 * kSlack);
}

TEST_F(CudaSample, PartsHaveTheLeastNumberOfPositions) {
  CudaOptions options;
  options.tile = 0;
  options.chunk = 1;
  options.sample = {kParts, 500};
  EXPECT_NEAR(run("house", options).positions, 500u, kSlack);
  options.sample = {kParts, 5000};
  const RunResult whole = run("house", options);
  EXPECT_EQ(whole.positions, 2000u);
  EXPECT_EQ(whole.ending, Ending::Sampled);
  EXPECT_TRUE(whole.values.empty());
}

/// There may be more parts than positions.
TEST_F(CudaSample, PartsMayBeEmpty) {
  for (const char* program : {"triangle", "house"}) {
    CudaOptions options;
    options.sample = {std::uint64_t{1} << 40, 1};
    const RunResult part = run(program, options);
    EXPECT_EQ(part.ending, Ending::Sampled);
    EXPECT_TRUE(part.values.empty());
    EXPECT_LT(part.positions, 100u);
  }
}

/// The first region makes the graph that the second one walks, so only the second one is a sample.
TEST_F(CudaSample, RegionsThatMakeListsAreWhole) {
  CudaOptions options;
  options.tile = 0;
  options.chunk = 1;
  EXPECT_EQ(run("clique5", options).positions, 4000u);
  options.sample = {kParts, 1};
  const RunResult part = run("clique5", options);
  EXPECT_NEAR(part.positions, 2000 + 2000 / kParts, 4 * kSlack);
  EXPECT_EQ(part.ending, Ending::Sampled);
  EXPECT_TRUE(part.values.empty());
}

/// Neither are the rows handed over that answer a program.
TEST_F(CudaSample, RowsAreNotHandedOver) {
  CudaOptions options;
  options.sample = {kParts, 1};
  RunOptions how;
  std::uint64_t rows = 0;
  how.on_rows = [&](const Rows& block) {
    rows += block.count;
    return true;
  };
  const RunResult whole = run("triangle_listing", {}, how);
  EXPECT_EQ(whole.ending, Ending::Complete);
  EXPECT_EQ(whole.rows, rows);
  EXPECT_GT(rows, 0u);
  rows = 0;
  const RunResult part = run("triangle_listing", options, how);
  EXPECT_EQ(part.ending, Ending::Sampled);
  EXPECT_EQ(part.positions, whole.positions);
  EXPECT_EQ(part.rows, 0u);
  EXPECT_EQ(rows, 0u);
  EXPECT_TRUE(part.values.empty());
}

TEST_F(CudaSample, StoppedSamplesHaveNoValues) {
  CudaOptions options;
  options.sample = {2, 1};
  RunOptions how;
  const std::atomic<std::uint32_t> stop{1};
  how.stop_request = &stop;
  const RunResult part = run("house", options, how);
  EXPECT_TRUE(part.values.empty());
  EXPECT_NE(part.ending, Ending::Complete);
}

}  // namespace
}  // namespace matcha::codegen::gpu
