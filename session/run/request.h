#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cluster/mpi_team.h"
#include "runtime/sample/interval.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/gpu.h"
#include "session/pattern_source.h"

namespace matcha::session {

/// Name of the program that `--pattern` writes.
inline constexpr const char* kPatternFile = "<pattern>";

/// Options of a run that is a part of one in several processes.
struct ClusterOptions {
  std::string shard;                      ///< `I/N` or `auto`; empty: none.
  std::string ledger;                     ///< The results of the shard.
  std::string work;                       ///< A folder that processes share; empty: none.
  bool mpi = false;                       ///< The process is a rank of an MPI job.
  std::vector<std::string> from_ledgers;  ///< Nothing is run: all results are in these files.
  std::vector<std::string> words;         ///< The words of the command line after `run`.
  /// For `shard` = `auto`: the part of this process, and the number of parts; nothing: no job scheduler gives them.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> part_of_job = {};

  std::shared_ptr<runtime::cluster::MpiTeam> team;  ///< The ranks of `mpi`, once they are joined.

  bool any() const { return !shard.empty() || !work.empty() || mpi || !from_ledgers.empty(); }
  /// True if this process prints the answer: of an MPI job the first.
  bool speaks() const { return team == nullptr || team->rank() == 0; }
};

/// A run on files. Names of options are those of `matcha run`.
struct RunRequest {
  CompileOptions compile;
  PatternOptions pattern;             ///< Options of all patterns; its text is empty.
  std::vector<std::string> patterns;  ///< The values of `--pattern`.
  std::string pattern_list;           ///< The file of `--patterns`; empty: none.
  BindOptions bind;
  std::string device = "auto";
  GpuOptions gpu;
  std::vector<std::string> gpu_given;  ///< The given options that have an effect only on a GPU.
  /// The folders for compiled code, for notes about checked files, and for results of `--tune`; empty: none.
  std::string code_folder, notes_folder, tuning_folder;
  std::string backend = "llvm";
  std::string engine;  ///< The name of `--engine`; empty: the cheapest engine.
  std::string tier = "auto";
  unsigned threads = 0;
  std::string simd;
  std::string order = "auto";
  bool tune = false;
  bool verify = false;
  bool json = false;
  std::string matches;
  std::optional<std::uint64_t> limit;
  bool count = false;                         ///< `--count`: rows are counted up to the limit, not listed.
  runtime::sample::IntervalRequest interval;  ///< Without a width: the exact answer.
  bool exists = false;                        ///< `--exists`: the answer is whether there is a match.
  std::optional<double> timeout;
  std::uint64_t memory = 0;      ///< The most bytes of graphs in memory; 0: no limit.
  std::uint64_t gpu_memory = 0;  ///< The most bytes of the graph in the memory of a GPU; 0: no limit.
  ClusterOptions cluster;
  bool explains = false;  ///< For `explain`: nothing is compiled before an engine is chosen.

  /// The most rows or matches that are wanted.
  std::optional<std::uint64_t> most() const { return exists ? 1 : limit; }
  /// The name of the target for a CPU. Schedules are timed as native code.
  std::string_view cpu_target() const;
  /// True if the run finds rows, even if only to count them.
  bool lists() const { return !matches.empty() || most().has_value() || !pattern.per.empty(); }
  /// True if rows go to a file or to standard output, or are kept for JSON.
  bool streams() const { return lists() && !count && !exists; }
  /// True for one program or one pattern, not a list of patterns.
  bool of_one() const { return pattern_list.empty() && patterns.size() <= 1; }
  /// True if engines without a program may answer, in one process.
  bool may_lack_program() const { return backend == "llvm" && tier == "auto" && !tune && !cluster.any(); }
  /// True if identities may count several patterns together.
  bool may_count_together() const { return may_lack_program() && (!lists() || !pattern.per.empty()); }
};

}  // namespace matcha::session
