#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gpu_options.h"
#include "tools/options.h"
#include "tools/run_cluster.h"

namespace matcha::tools {

/// Name of the program that `--pattern` writes.
inline constexpr const char* kPatternFile = "<pattern>";

/// The options of `matcha run`.
struct RunVerbOptions {
  ConsoleOptions console;
  CompileOptions compile;
  PatternOptions pattern;             ///< Options of all patterns; its text is empty.
  std::vector<std::string> patterns;  ///< Of `--pattern`.
  std::string pattern_list;           ///< Of `--patterns`; empty: none.
  BindOptions bind;
  std::string device = "auto";
  GpuOptions gpu;
  std::vector<std::string> gpu_given;  ///< Options that mean something on a GPU only.
  std::string code_folder = tools::code_folder();
  std::string backend = "llvm";
  std::string engine;  ///< Of `--engine`; empty: the cheapest.
  std::string tier = "auto";
  unsigned threads = 0;
  std::string simd;
  std::string order = "auto";
  bool tune = false;
  bool verify = false;
  bool json = false;
  std::string matches;
  std::optional<std::uint64_t> limit;
  bool count = false;            ///< Rows are counted up to the limit, not listed.
  std::optional<double> within;  ///< An interval of this relative half-width will do.
  bool exists = false;           ///< Whether there is a match is all that is asked.
  std::optional<double> timeout;
  std::uint64_t memory = 0;      ///< Bytes that graphs may take; 0: it is not said.
  std::uint64_t gpu_memory = 0;  ///< Bytes that the graph may take of a GPU; 0: it is not said.
  ClusterOptions cluster;
  bool explains = false;  ///< Of `explain`: nothing is compiled before the engines have decided.

  /// Rows that are enough.
  std::optional<std::uint64_t> most() const { return exists ? 1 : limit; }
  /// The name of the target for a CPU. Schedules are timed as native code.
  std::string_view cpu_target() const;
  /// Rows are found, if only to be counted.
  bool lists() const { return !matches.empty() || most().has_value() || !pattern.per.empty(); }
  /// Rows are streamed to a file, to standard output, or kept for JSON.
  bool streams() const { return lists() && !count && !exists; }
  /// One program or one pattern, not a list of patterns.
  bool of_one() const { return pattern_list.empty() && patterns.size() <= 1; }
  /// Engines without a program may answer, in one process.
  bool may_lack_program() const { return backend == "llvm" && tier == "auto" && !tune && !cluster.any(); }
  /// Patterns may be counted together by identities.
  bool may_count_together() const { return may_lack_program() && (!lists() || !pattern.per.empty()); }
};

/// Runs the program or the patterns of one command line.
Status run(const RunVerbOptions& options);

/// The parts that options are put into.
OptionTargets targets_of(RunVerbOptions& options);

/// Adds all of them to the verb, with its help. The values of a call are in `options`, which must outlive it.
void add_run_options(CLI::App& verb, RunVerbOptions& options);

}  // namespace matcha::tools
