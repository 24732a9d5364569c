// Runs a program on a graph in every schedule that a GPU has, in one process, against the CPU.
//
//   every_schedule PROGRAM GRAPH [--groups 32,16,8,4,1] [--steals timeout,half,kernel,none] [--stacks array,paged]
//                  [--tile ARCS] [--repeat N] [--budget SECONDS] [--limit SECONDS] [--cpu-limit SECONDS]
//
// Prints a line for each run that is wrong or did not end within the limit, and one of JSON: runs, wrong, not ended, ms
// of kernels. Results are compared as a whole, rows of a list in any order. If the CPU does not end within its limit,
// the first result of the GPU is the reference. After four runs that did not end, the others are skipped and reported
// as not ended. Exit code: 0, 1 if a run is wrong, 77 if there is no GPU.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/cuda/cuda.h"
#include "session/assumptions.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/gpu.h"
#include "session/targets.h"
#include "session/values.h"
#include "session/vertex_order.h"
#include "tools/console.h"
#include "tools/options.h"

namespace matcha::tools {
namespace {

struct Options {
  std::string program, graph;
  std::vector<std::uint32_t> groups = {32, 16, 8, 4, 1};
  std::vector<std::string> steals = {"timeout", "half", "kernel", "none"};
  std::vector<std::string> stacks = {"array", "paged"};
  std::optional<std::uint64_t> tile;
  std::uint64_t fanout = 1024;
  int repeat = 1;
  double budget = 1e9, limit = 20, cpu_limit = 60;
};

constexpr int kGiveUp = 4;
/// Memory for the lists of a run, so that six processes can share a GPU of 140 GB; narrow groups are many, and want
/// pages each.
constexpr std::uint64_t kScratchBytes = std::uint64_t{20} << 30;

/// Equal for equal results: values as text; for a list, the number of rows and the sum of their hashes.
std::string digest(const std::vector<codegen::ResultValue>& values, const runtime::Universe& universe) {
  std::string text;
  for (const codegen::ResultValue& value : values) {
    if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&value)) {
      const RowColumns columns = columns_of(*list);
      std::uint64_t sum = 0;
      std::string row;
      for (std::uint64_t i = 0; i < list->size; ++i) {
        row.clear();
        append_row(row, columns, i, universe, Style::Text);
        sum += std::hash<std::string>()(row);
      }
      text += fmt::format("{} rows #{:016x} ", list->size, sum);
    } else {
      append_value(text, value, universe, Style::Text);
      text += ' ';
    }
  }
  return text;
}

struct ScheduleRun {
  std::optional<std::string> digest;  ///< None: it failed or did not end.
  std::string problem;                ///< Empty if it did not end.
  double kernel_ms = 0;
};

class EverySchedule {
 public:
  explicit EverySchedule(const Options& options) : options_(options) {
    compile_.file = options.program;
    bind_.graph = options.graph;
  }

  int all() {
    if (!read()) return static_cast<int>(Status::Run);
    // It keeps the device open between the runs.
    const std::unique_ptr<codegen::Backend> keeper = codegen::make_cuda(kept());
    keeper->begin();
    const std::unique_ptr<codegen::Backend> llvm = target_named("llvm").make({});
    const ScheduleRun on_cpu = run(load(*llvm, compilation_.run_passes("cpu", labels_, {})).get(), options_.cpu_limit);
    if (!on_cpu.problem.empty()) {
      fmt::print("FAIL {} {} on the CPU: {}\n", options_.program, options_.graph, on_cpu.problem);
      return 1;
    }
    right_ = on_cpu.digest;
    for (std::uint32_t group : options_.groups) {
      for (const std::string& steal : options_.steals) {
        for (const std::string& stack : options_.stacks) one(group, steal, stack);
      }
    }
    fmt::print(
        "{{\"runs\": {}, \"wrong\": {}, \"not_ended\": {}, \"cpu\": {}, \"fastest_ms\": {:.3f}, \"slowest_ms\": "
        "{:.3f}}}\n",
        runs_, wrong_, not_ended_, on_cpu.digest.has_value(), fastest_, slowest_);
    return wrong_ == 0 ? 0 : 1;
  }

 private:
  /// Kernels are cached in the folder of the command line.
  static GpuOptions kept() {
    GpuOptions options;
    options.code_folder = code_folder();
    return options;
  }

  bool read() {
    if (compilation_.read() != Status::Ok || compilation_.check() != Status::Ok) return false;
    if (compilation_.lower() != Status::Ok) return false;
    const std::optional<BindPlan> plan = plan_binding(compilation_.signature(), bind_, console_);
    if (!plan) return false;
    const runtime::Status loaded = load_inputs(compilation_.signature(), *plan, {}, bound_);
    if (!loaded) return console_.error(loaded.error()) == Status::Ok;
    OrderReport order;
    return order_vertices("auto", {}, compilation_, labels_, console_, bound_, order) == Status::Ok;
  }

  std::unique_ptr<codegen::Executable> load(codegen::Backend& backend, Status passes) {
    std::unique_ptr<codegen::Executable> executable;
    if (passes == Status::Ok) compilation_.load(backend, executable);
    return executable;
  }

  ScheduleRun run(codegen::Executable* executable, double seconds) {
    ScheduleRun ran;
    if (executable == nullptr) {
      ran.problem = "it does not compile";
      return ran;
    }
    codegen::RunOptions how;
    how.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                          std::chrono::duration<double>(seconds));
    const codegen::RunOutcome outcome = executable->run(bound_.arguments, *bound_.inputs.universe, how);
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      ran.problem = fmt::format("{}:{}: {}", failed->loc.line, failed->loc.column, failed->error.render());
      return ran;
    }
    const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
    for (const auto& [part, ms] : result.times) ran.kernel_ms += part == "kernel" ? ms : 0;
    if (result.ending == codegen::Ending::Complete) ran.digest = digest(result.values, *bound_.inputs.universe);
    return ran;
  }

  void one(std::uint32_t group, const std::string& steal, const std::string& stack) {
    const std::string shown =
        fmt::format("{} {} --group {} --steal {} --stack {}", options_.program, options_.graph, group, steal, stack);
    GpuOptions schedule = kept();
    schedule.group = group;
    schedule.steal = steal == "none"     ? ir::Stealing::None
                     : steal == "half"   ? ir::Stealing::Half
                     : steal == "kernel" ? ir::Stealing::Kernel
                                         : ir::Stealing::Timeout;
    schedule.fanout = options_.fanout;
    schedule.stack = stack == "paged" ? ir::Stack::Paged : ir::Stack::Array;
    schedule.tile = options_.tile;
    schedule.scratch_bytes = kScratchBytes;
    compilation_.set_target(schedule.target());
    const Status passes = run_passes(target_named("cuda"), compilation_, labels_, &bound_);
    const std::unique_ptr<codegen::Backend> backend = codegen::make_cuda(schedule);
    std::unique_ptr<codegen::Executable> executable;
    for (int i = 0; i < options_.repeat && watch_.ms() < 1000 * options_.budget; ++i) {
      ++runs_;
      if (not_ended_ >= kGiveUp) {
        ++not_ended_;
        continue;
      }
      if (executable == nullptr) executable = load(*backend, passes);
      judge(run(executable.get(), options_.limit), shown);
    }
  }

  void judge(ScheduleRun ran, const std::string& shown) {
    if (ran.digest && !right_) right_ = ran.digest;
    if (ran.digest && ran.digest != right_) ran.problem = fmt::format("{}, expected {}", *ran.digest, *right_);
    if (!ran.problem.empty()) {
      ++wrong_;
      fmt::print("FAIL {}: {}\n", shown, ran.problem);
      return;
    }
    if (!ran.digest) {
      ++not_ended_;
      fmt::print("not ended after {:g} s: {}\n", options_.limit, shown);
      return;
    }
    fastest_ = fastest_ == 0 ? ran.kernel_ms : std::min(fastest_, ran.kernel_ms);
    slowest_ = std::max(slowest_, ran.kernel_ms);
  }

  const Options& options_;
  Console console_{ConsoleOptions{.quiet = true}};
  CompileOptions compile_;
  BindOptions bind_;
  Compilation compilation_{compile_, console_};
  BoundInputs bound_;
  passes::LabelWords labels_;
  std::optional<std::string> right_;
  Stopwatch watch_;
  int runs_ = 0, wrong_ = 0, not_ended_ = 0;
  double fastest_ = 0, slowest_ = 0;
};

}  // namespace
}  // namespace matcha::tools

int main(int argc, char** argv) {
  CLI::App app("Runs a program on a graph in every schedule of a GPU, against the CPU");
  matcha::tools::Options options;
  app.add_option("PROGRAM", options.program)->required();
  app.add_option("GRAPH", options.graph)->required();
  app.add_option("--groups", options.groups)->delimiter(',');
  app.add_option("--steals", options.steals)
      ->delimiter(',')
      ->check(CLI::IsMember({"none", "half", "timeout", "kernel"}));
  app.add_option("--stacks", options.stacks)->delimiter(',')->check(CLI::IsMember({"array", "paged"}));
  app.add_option("--tile", options.tile);
  app.add_option("--fanout", options.fanout, "Of the schedules that start kernels");
  app.add_option("--repeat", options.repeat, "Runs of each schedule");
  app.add_option("--budget", options.budget, "Seconds after which no run begins");
  app.add_option("--limit", options.limit, "Seconds of a run");
  app.add_option("--cpu-limit", options.cpu_limit, "Seconds of the run on the CPU");
  CLI11_PARSE(app, argc, argv);
  const std::string problem = matcha::tools::gpu_problem();
  if (!problem.empty()) {
    fmt::print(stderr, "[SKIP] {}\n", problem);
    return 77;
  }
  return matcha::tools::EverySchedule(options).all();
}
