// A GPU of threads, which MATCHA_LIBCUDA and MATCHA_NVRTC name, beside a CPU that takes as long as a test wants.
#include "session/run/gpu_beside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <variant>

#include "session/message_log.h"
#include "session/resident_graph.h"

namespace matcha::session {
namespace {

constexpr __int128 kTriangles = 48260;

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

class Beside : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const cache = std::getenv("MATCHA_TEST_CACHE");
    if (cache == nullptr) GTEST_SKIP() << "ctest names the libraries of the GPU of threads";
    if (std::system("g++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "the emulation compiles with g++";
    const auto graph = ResidentGraph::read("examples/graphs/ca-grqc.txt.gz", "", false);
    ASSERT_TRUE(graph);
    ProgramRequest request;
    request.pattern.text = "triangle";
    request.device = "cuda";
    request.engine = "program";
    request.code_folder = request.gpu.code_folder = cache;
    request.gpu.group = 1;  // Exchanges among threads take long here.
    run_.emplace(request, log_);
    ASSERT_EQ(Status::Ok, run_->read()) << log_.text();
    auto view = (*graph)->view();
    ASSERT_TRUE(view);
    run_->bound.main_graph = "G";
    run_->bound.inputs.universe = (*graph)->graph().shared_universe();
    run_->bound.inputs.dictionary = {*graph, &(*graph)->graph().dictionary()};
    run_->bound.inputs.graphs.emplace("G", std::move(*view));
    planner::Catalog catalog;
    catalog.may_have_gpu = true;
    catalog.gpu_problem = [] { return std::string(); };
    ASSERT_EQ(Status::Ok, run_->decide(run_->question(), run_->context(), catalog, log_)) << log_.text();
  }

  /// The report of what the GPU has done so far.
  RunReport report(const GpuBeside& beside) {
    RunReport report;
    beside.report(report, run_->bound);
    return report;
  }

  MessageLog log_;
  std::optional<QuestionRun> run_;
};

TEST_F(Beside, AFastGpuStopsTheCpu) {
  GpuBeside beside(*run_, {});
  const auto until_stopped = [](const codegen::RunOptions& options) {
    while (options.stop_request->load() == 0) sleep_a_little();
    codegen::RunResult stopped;
    stopped.ending = codegen::Ending::Stopped;
    return codegen::RunOutcome(std::move(stopped));
  };
  const codegen::RunOutcome found = beside.first(until_stopped, {});
  ASSERT_TRUE(std::holds_alternative<codegen::RunResult>(found));
  const codegen::RunResult& result = std::get<codegen::RunResult>(found);
  EXPECT_EQ(codegen::Ending::Complete, result.ending);
  ASSERT_EQ(1U, result.values.size());
  EXPECT_TRUE(std::get<__int128>(result.values.front()) == kTriangles);
  const RunReport reported = report(beside);
  EXPECT_EQ("the GPU had the answer before the CPU", reported.device_why);
  EXPECT_EQ("cuda", reported.backend);
  EXPECT_EQ("program", reported.engine);
}

TEST_F(Beside, TheAnswerOfAGpuIsKeptWhereTheCpuLacksMemory) {
  GpuBeside beside(*run_, {});
  const auto lacks_memory = [](const codegen::RunOptions&) {
    codegen::RunError failed;
    failed.error.kind = runtime::ErrorKind::Resource;
    return codegen::RunOutcome(std::move(failed));
  };
  EXPECT_TRUE(std::holds_alternative<codegen::RunResult>(beside.first(lacks_memory, {})));
  EXPECT_EQ("the GPU had the answer before the CPU", report(beside).device_why);
}

/// The last one: the device is of no more use.
TEST_F(Beside, AGpuThatFailsIsNoError) {
  constexpr const char* kIllegalAddress = "700";
  ::setenv("MATCHA_EMULATED_FAULT", kIllegalAddress, 1);
  GpuBeside beside(*run_, {});
  const auto until_it_failed = [&](const codegen::RunOptions&) {
    while (!report(beside).device_why.starts_with("the GPU has no answer")) sleep_a_little();
    codegen::RunResult counted;
    counted.values.emplace_back(kTriangles);
    return codegen::RunOutcome(std::move(counted));
  };
  EXPECT_TRUE(std::holds_alternative<codegen::RunResult>(beside.first(until_it_failed, {})));
  EXPECT_NE(std::string::npos, report(beside).device_why.find("ILLEGAL_ADDRESS")) << report(beside).device_why;
}

}  // namespace
}  // namespace matcha::session
