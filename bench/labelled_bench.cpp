// Labelled patterns on a graph in memory, through the steps of the driver: the time from the text of each pattern until
// its first matches, or all, are counted.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "session/engines/gpu_matcher.h"
#include "session/prepared.h"
#include "session/resident_graph.h"

namespace {

using matcha::session::Prepared;
using matcha::session::ResidentGraph;
using matcha::session::Status;

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Options {
  std::uint64_t limit = 0;
  double seconds = 10;
  unsigned threads = 1;
};

Clock::time_point deadline_of(const Options& options) {
  return Clock::now() + std::chrono::milliseconds(static_cast<long>(1000 * options.seconds));
}

struct Timed {
  double plan_ms = 0, run_ms = 0;
  std::uint64_t found = 0;
  bool complete = false;
};

std::unique_ptr<Prepared> prepared(const std::shared_ptr<ResidentGraph>& graph, const char* file,
                                   const Options& options, std::shared_ptr<matcha::codegen::MatchBatch> maybe_batch) {
  matcha::session::ProgramRequest request;
  request.pattern.text = file;
  request.pattern.embeddings = true;
  request.device = maybe_batch != nullptr ? "cuda" : "cpu";
  request.pattern.algorithm = "join";
  request.some = options.limit != 0;
  request.maybe_batch = std::move(maybe_batch);
  if (options.limit != 0) request.maybe_most = options.limit;
  std::string errors;
  std::unique_ptr<Prepared> made;
  const Status status = Prepared::make(
      request, graph, [](const auto& read) { read(); }, errors, made);
  if (status != Status::Ok) std::fprintf(stderr, "%s\n", errors.c_str());
  return made;
}

/// Times a run. Nothing after an error, which is printed.
bool run(Prepared& program, const Options& options, Clock::time_point deadline, Timed& timed) {
  matcha::codegen::RunOptions how;
  how.threads = options.threads;
  if (options.limit != 0) how.most = options.limit;
  how.deadline = deadline;
  const auto begin = Clock::now();
  const matcha::codegen::RunOutcome outcome = program.run(how);
  timed.run_ms = ms_since(begin);
  if (const auto* const failed = std::get_if<matcha::codegen::RunError>(&outcome)) {
    std::fprintf(stderr, "%s\n", failed->error.render().c_str());
    return false;
  }
  const auto& result = std::get<matcha::codegen::RunResult>(outcome);
  for (const std::string& note : result.notes) std::fprintf(stderr, "%s\n", note.c_str());
  if (result.values.empty()) return false;
  timed.found = static_cast<std::uint64_t>(std::get<__int128>(result.values[0]));
  timed.complete = result.ending != matcha::codegen::Ending::Deadline;
  return true;
}

/// The pattern of a file; nothing after an error.
std::optional<Timed> timed(const std::shared_ptr<ResidentGraph>& graph, const char* file, const Options& options) {
  Timed timed;
  const auto begin = Clock::now();
  const std::unique_ptr<Prepared> program = prepared(graph, file, options, nullptr);
  timed.plan_ms = ms_since(begin);
  if (program == nullptr || !run(*program, options, deadline_of(options), timed)) return std::nullopt;
  return timed;
}

void print(const char* file, const Timed& timed) {
  std::printf("%s,%llu,%d,%.4f,%.4f\n", file, static_cast<unsigned long long>(timed.found), timed.complete ? 1 : 0,
              timed.plan_ms, timed.run_ms);
  std::fflush(stdout);
}

/// All patterns on the CPU, one after the other, the best of three runs each.
bool run_alone(const std::shared_ptr<ResidentGraph>& graph, const Options& options, std::span<char* const> files) {
  for (const char* const file : files) {
    std::optional<Timed> best;
    constexpr int kRuns = 3;
    constexpr double kLongMs = 500;  // Longer runs are timed once.
    for (int run = 0; run < kRuns && (!best || best->plan_ms + best->run_ms < kLongMs); ++run) {
      const std::optional<Timed> one = timed(graph, file, options);
      if (!one) return false;
      if (!best || one->plan_ms + one->run_ms < best->plan_ms + best->run_ms) best = one;
    }
    print(file, *best);
  }
  return true;
}

/// All patterns together on a GPU; the first one's time is that of all, in the last of three runs.
bool run_together(const std::shared_ptr<ResidentGraph>& graph, const Options& options, std::span<char* const> files) {
  matcha::runtime::Result<matcha::runtime::Graph> view = graph->view();
  if (!view) return false;
  std::vector<Timed> all(files.size());
  constexpr int kRuns = 3;
  constexpr double kLongMs = 2000;  // Longer batches are timed twice.
  double total = 0;
  for (int round = 0; round < kRuns && (round < 2 || total < kLongMs); ++round) {
    const auto batch = matcha::session::gpu_batch(*view, "");
    std::vector<std::unique_ptr<Prepared>> programs;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto begin = Clock::now();
      programs.push_back(prepared(graph, files[i], options, batch));
      all[i].plan_ms = ms_since(begin);
      if (programs.back() == nullptr) return false;
      if (!programs.back()->on_gpu()) std::fprintf(stderr, "%s: not on a GPU\n", files[i]);
    }
    total = 0;
    const Clock::time_point deadline = deadline_of(options);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!run(*programs[i], options, deadline, all[i])) return false;
      total += all[i].run_ms;
    }
    std::fprintf(stderr, "all %zu patterns: %.2f ms%s\n", files.size(), total, round == 0 ? " with opening a GPU" : "");
  }
  for (std::size_t i = 0; i < files.size(); ++i) print(files[i], all[i]);
  return true;
}

}  // namespace

/// usage: bench_labelled GRAPH LABELS LIMIT SECONDS WHERE PATTERN…; LIMIT 0: all matches; WHERE: a number of threads of
/// a CPU, or `cuda`: all patterns together on a GPU, in SECONDS. A line of CSV a pattern.
int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: bench_labelled GRAPH LABELS LIMIT SECONDS WHERE PATTERN...\n");
    return 2;
  }
  matcha::runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::read(argv[1], argv[2], false);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().render().c_str());
    return 3;
  }
  Options options;
  options.limit = std::strtoull(argv[3], nullptr, 10);
  options.seconds = std::strtod(argv[4], nullptr);
  const bool on_gpu = std::string_view(argv[5]) == "cuda";
  if (!on_gpu) options.threads = static_cast<unsigned>(std::strtoul(argv[5], nullptr, 10));
  const auto begin = Clock::now();
  (*graph)->match_index();
  std::fprintf(stderr, "index of the graph: %.2f ms\n", ms_since(begin));
  std::printf("pattern,embeddings,complete,plan_ms,run_ms\n");
  const std::span<char* const> files(argv + 6, static_cast<std::size_t>(argc - 6));
  return (on_gpu ? run_together(*graph, options, files) : run_alone(*graph, options, files)) ? 0 : 1;
}
