#include "session/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/machine.h"
#include "session/gpu.h"
#include "session/position_sample.h"
#include "session/version.h"

namespace matcha::session {

namespace {

using Clock = std::chrono::steady_clock;

/// Outermost positions that a sample has at least, if there are as many, and how many stand for one of them at most. A
/// GPU has 8,448 groups of 32 (H200), or four times as many of 8, which all must have something to do most of the time:
/// 32,768 vertices, each with its neighbours, are four for each group. That is 1% of 3 million vertices, and 0.1% of 33
/// million or more.
constexpr std::uint64_t kPositions = 1000;
constexpr std::uint64_t kPositionsOnGpu = 1U << 15;
constexpr std::uint64_t kMostStride = 1000;
/// If such a sample takes too long, a GPU gets one of this many positions, so that long tasks can be timed too.
constexpr std::uint64_t kFewPositionsOnGpu = 1U << 12;
/// The time after which no candidate is tried; the time after which a run is stopped.
constexpr std::chrono::seconds kLongestTuning{20};
constexpr std::chrono::seconds kLongestRun{2};
constexpr int kRuns = 2;
/// A candidate that is better than the default by this factor is taken.
constexpr double kBetter = 0.95;

template <typename T>
bool named(const std::map<std::string, T>& values, const std::string& word, T& value) {
  const auto found = values.find(word);
  if (found == values.end()) return false;
  value = found->second;
  return true;
}

class Tuner {
 public:
  Tuner(const TuningTask& task, const Reporter& reporter) : task_(task), reporter_(reporter) {
    take_positions(task_.target->on_gpu ? kPositionsOnGpu : kPositions);
  }

  Tuning run() {
    best_ms_ = timed({});
    if (task_.target->on_gpu && too_long_ && !task_.stopped()) {
      take_positions(kFewPositionsOnGpu);
      tuning_.timed.clear();
      best_ms_ = timed({});
    }
    std::vector<ScheduleWords> plans;
    for (std::size_t i = 0; i < task_.plans.size(); ++i) plans.push_back({"--plan", std::to_string(i + 2)});
    round(plans);
    if (task_.may_rank) round({{"--order", "degree"}});
    if (!task_.target->on_gpu) {
      if (uses_bits_) round({{"--disable-pass", "bitset-neighborhood"}});
      return tuning_;
    }
    const GpuOptions unsaid;
    if (task_.gpu.group == unsaid.group) round({{"--group", "32"}, {"--group", "16"}, {"--group", "8"}});
    if (task_.gpu.steal == unsaid.steal) round({{"--steal", "half"}, {"--steal", "none"}});
    if (task_.gpu.search == unsaid.search) round({{"--search", "cached"}, {"--search", "merging"}});
    if (task_.gpu.stack == unsaid.stack) round({{"--stack", "paged"}});
    return tuning_;
  }

 private:
  /// Takes samples of at least this number of positions from now on.
  void take_positions(std::uint64_t least) {
    least_ = least;
    tuning_.stride = static_cast<std::int64_t>(std::clamp<std::uint64_t>(task_.positions / least, 1, kMostStride));
  }

  /// Tries each of these with the best so far.
  void round(const std::vector<ScheduleWords>& alternatives) {
    const ScheduleWords before = tuning_.chosen;
    double least = best_ms_ * kBetter;
    for (const ScheduleWords& more : alternatives) {
      if (Clock::now() > end_ || task_.stopped()) return;
      ScheduleWords words = before;
      words.insert(words.end(), more.begin(), more.end());
      const double ms = timed(words);
      if (ms < 0 || (best_ms_ >= 0 && ms >= least)) continue;
      least = best_ms_ = ms;
      tuning_.chosen = words;
    }
  }

  /// Milliseconds of a sample, entered into the list too; negative: stopped or failed.
  double timed(const ScheduleWords& words) {
    const double ms = measured(words);
    tuning_.timed.push_back({words, ms});
    return ms;
  }

  double measured(const ScheduleWords& words) {
    ScheduleChoice choice;
    choice.gpu = task_.gpu;
    if (!apply_words(words, choice)) return -1;
    CompileOptions options = task_.compile;
    options.disabled.insert(options.disabled.end(), choice.disabled.begin(), choice.disabled.end());
    Compilation compilation(options, reporter_);
    compilation.set_reporting(false);
    compilation.set_target(task_.target->info({task_.code_folder, choice.gpu, {}}));
    if (compilation.lower_text(choice.plan < 2 ? task_.text : task_.plans[choice.plan - 2]) != Status::Ok) return -1;
    const double rank_ms = task_.rank(choice.by_degree, compilation);
    if (rank_ms < 0 || task_.run_passes(compilation) != Status::Ok) return -1;
    for (const passes::PassRun& run : compilation.pipeline().runs) {
      uses_bits_ = uses_bits_ || (run.changed && run.text.starts_with("bitset-neighborhood"));
    }
    // A GPU runs a share of the final program itself; on a CPU the sample is a separate program.
    ir::Module sample = compilation.pipeline().module;
    if (!task_.target->on_gpu) sample = sample_positions(sample, compilation.context(), tuning_.stride);
    choice.gpu.sample = {static_cast<std::uint64_t>(tuning_.stride), least_};
    const std::unique_ptr<codegen::Backend> backend = task_.target->make({task_.code_folder, choice.gpu, {}});
    std::unique_ptr<codegen::Executable> executable;
    if (compilation.load_variant(sample, "tune", *backend, executable) != Status::Ok) return -1;
    double least = -1;
    too_long_ = false;
    for (int i = 0; i < kRuns; ++i) {
      const Stopwatch watch;
      const codegen::RunOutcome outcome = task_.run(*executable, Clock::now() + kLongestRun);
      const double ms = watch.ms();
      const codegen::RunResult* result = std::get_if<codegen::RunResult>(&outcome);
      too_long_ = result != nullptr && result->ending == codegen::Ending::Deadline;
      // The first run on a GPU also waits for its compiler, which may have taken most of the time.
      if (task_.target->on_gpu && too_long_ && i == 0 && !task_.stopped()) continue;
      const bool ended = result != nullptr &&
                         (result->ending == codegen::Ending::Complete || result->ending == codegen::Ending::Sampled);
      if (!ended) return least >= 0 ? least : -ms;
      const double taken = task_.target->on_gpu ? kernel_ms(*result) : ms;
      least = least < 0 ? taken : std::min(least, taken);
    }
    // The sample's share of the work that is done once.
    return least + rank_ms / static_cast<double>(tuning_.stride);
  }

  static double kernel_ms(const codegen::RunResult& result) {
    double sum = 0;
    for (const auto& [part, ms] : result.times) sum += part == "kernel" ? ms : 0;
    return sum;
  }

  const TuningTask& task_;
  const Reporter& reporter_;
  const Clock::time_point end_ = Clock::now() + kLongestTuning;
  Tuning tuning_;
  std::uint64_t least_ = 0;  ///< Positions that a sample has, if there are as many.
  double best_ms_ = -1;
  bool too_long_ = false;  ///< The last run was ended by kLongestRun.
  bool uses_bits_ = false;
};

}  // namespace

bool apply_words(const ScheduleWords& words, ScheduleChoice& choice) {
  static const std::map<std::string, ir::Stealing> kSteals = {{"none", ir::Stealing::None},
                                                              {"half", ir::Stealing::Half}};
  static const std::map<std::string, codegen::Search> kSearches = {{"cached", codegen::Search::Cached},
                                                                   {"merging", codegen::Search::Merging}};
  static const std::map<std::string, ir::Stack> kStacks = {{"paged", ir::Stack::Paged}};
  static const std::map<std::string, std::uint32_t> kGroups = {{"8", 8}, {"16", 16}, {"32", 32}};
  static const std::map<std::string, std::size_t> kPlans = {{"2", 2}, {"3", 3}, {"4", 4}, {"5", 5}};
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string &option = words[i], &value = words[i + 1];
    bool known = false;
    if (option == "--plan") known = named(kPlans, value, choice.plan);
    if (option == "--group") known = named(kGroups, value, choice.gpu.group);
    if (option == "--steal") known = named(kSteals, value, choice.gpu.steal);
    if (option == "--search") known = named(kSearches, value, choice.gpu.search);
    if (option == "--stack") known = named(kStacks, value, choice.gpu.stack);
    if (option == "--order" && value == "degree") known = choice.by_degree = true;
    if (option == "--disable-pass" && value == "bitset-neighborhood") {
      known = true;
      choice.disabled.push_back(value);
    }
    if (!known) return false;
  }
  return words.size() % 2 == 0;
}

std::string tuning_key(const TuningSubject& subject) {
  TuningKey key;
  const CompileOptions& compile = subject.compile;
  for (std::string_view text :
       {std::string_view(matcha_version()), subject.text, subject.order, std::string_view(compile.entry),
        std::string_view(compile.passes), subject.target->name, subject.simd}) {
    key.add(text);
  }
  for (const auto* words : {&compile.disabled, &subject.bind.inputs, &subject.bind.params, &subject.plans}) {
    for (const std::string& word : *words) key.add(word);
    key.add("|");
  }
  for (const auto& [name, graph] : subject.bound.inputs.graphs) key.add(graph);
  const GpuOptions& gpu = subject.gpu;
  const unsigned threads = subject.threads != 0 ? subject.threads : runtime::machine().threads;
  key.add(subject.target->on_gpu ? gpu_name() : fmt::format("cpu {}", threads));
  key.add(fmt::format("{} {} {} {} {} {} {}", gpu.group, static_cast<int>(gpu.steal), static_cast<int>(gpu.search),
                      static_cast<int>(gpu.stack), gpu.gpus, gpu.device, gpu.hubs));
  constexpr std::uint64_t kUnsaid = ~std::uint64_t{0};
  key.add(fmt::format("{} {} {} {} {} {} {}", gpu.tau_us.value_or(kUnsaid), gpu.split, gpu.chunk,
                      gpu.tile.value_or(kUnsaid), gpu.queue, gpu.scratch_bytes, gpu.arena_bytes));
  return key.text();
}

Tuning tune(const TuningTask& task, const Reporter& reporter) { return Tuner(task, reporter).run(); }

}  // namespace matcha::session
