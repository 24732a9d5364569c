#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/dealer.h"
#include "runtime/cluster/mpi_team.h"
#include "session/bind.h"
#include "session/pattern_source.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/run_report.h"
#include "tools/session.h"

namespace matcha::tools {

struct RunVerbOptions;

/// Options of a run that is a part of one in several processes.
struct ClusterOptions {
  std::string shard;                      ///< `I/N` or `auto`; empty: none.
  std::string ledger;                     ///< The results of the shard.
  std::string work;                       ///< A folder that processes share; empty: none.
  bool mpi = false;                       ///< The process is a rank of an MPI job.
  std::vector<std::string> from_ledgers;  ///< Nothing is run: all results are in these files.
  std::vector<std::string> words;         ///< Of the command line, behind `run`.

  std::shared_ptr<runtime::cluster::MpiTeam> team;  ///< Of `mpi`, once it is joined.

  bool any() const { return !shard.empty() || !work.empty() || mpi || !from_ledgers.empty(); }
  /// True if this process prints the answer: of an MPI job the first.
  bool speaks() const { return team == nullptr || team->rank() == 0; }
};

/// Joins the ranks of an MPI job, which `team` is from then on. Ranks above 0 print errors only. `example`: the command
/// of one rank.
Status join_ranks(ConsoleOptions& shown, std::string_view example, std::shared_ptr<runtime::cluster::MpiTeam>& team);
/// The same for a run with `--mpi`. Errors: Usage if its options do not fit that.
Status join_team(RunVerbOptions& all);
/// Leaves the job when all have a result. `has_result`: this rank does, which may be a part. Else does not return: it
/// ends all ranks with the exit code of the status.
Status leave_team(const ClusterOptions& options, const Console& console, Status status, bool has_result);

/// The text of a search, part of the key of a run.
std::string search_words(const session::PatternSource& pattern, bool rows);

/// The part of a run that is in this process.
class ClusterRun {
 public:
  ClusterRun(const ClusterOptions& options, const Console& console) : options_(options), console_(console) {}

  /// Reads and checks the options, before any input is read.
  Status check(const RunVerbOptions& all);
  /// The number of threads that plans are made for: processes that share a run must make the same plans.
  unsigned planned_threads(unsigned own) const { return options_.any() ? kPlannedThreads : own; }
  /// The number of processes that share the run, if known; the same in all of them and in `merge`.
  std::uint64_t processes() const { return processes_; }
  /// Once the program is compiled: `program` is its text, or the words of a search.
  Status begin(std::string_view program, const BoundInputs& bound, const Session& session);
  /// Null before `begin`, and for a whole run.
  codegen::Dealer* dealer() const { return dealer_.get(); }
  /// Shards have no answer; of an MPI job only rank 0 prints it.
  bool has_answer() const { return options_.shard.empty() && options_.speaks(); }
  /// Message printed by a shard.
  std::string shard_text(bool json, bool complete) const;
  /// The units of a run in several processes, for its report; nothing for a whole run.
  std::optional<UnitsReport> units() const;

 private:
  static constexpr unsigned kPlannedThreads = 16;

  const ClusterOptions& options_;
  const Console& console_;
  std::uint64_t shard_ = 0, shards_ = 1, processes_ = 1;
  bool on_gpu_ = false;
  std::unique_ptr<codegen::Dealer> dealer_;
};

}  // namespace matcha::tools
