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
  std::vector<std::string> from_ledgers;  ///< Nothing is run: all is in these files.
  std::vector<std::string> words;         ///< Of the command line, behind `run`.

  std::shared_ptr<runtime::cluster::MpiTeam> team;  ///< Of `mpi`, once it is joined.

  bool any() const { return !shard.empty() || !work.empty() || mpi || !from_ledgers.empty(); }
  /// True if this process prints the answer: of an MPI job the first.
  bool speaks() const { return team == nullptr || team->rank() == 0; }
};

/// Joins the ranks of an MPI job, `team` from then on. Those but the first say errors only. `example`: the command of
/// one rank.
Status join_ranks(ConsoleOptions& told, std::string_view example, std::shared_ptr<runtime::cluster::MpiTeam>& team);
/// The same for a run with `--mpi`, whose options must fit that.
Status join_team(RunVerbOptions& all);
/// Leaves the job when all have a result. `has_result`: this rank does, which may be a part. Else does not return: it
/// ends all ranks with the exit code of the status.
Status leave_team(const ClusterOptions& options, const Console& console, Status status, bool has_result);

/// The words of a search, which are part of the key of a run.
std::string search_words(const session::PatternSource& pattern, bool rows);

/// The part of a run that is in this process.
class ClusterRun {
 public:
  ClusterRun(const ClusterOptions& options, const Console& console) : options_(options), console_(console) {}

  /// Before anything is read: what the options say, and that they fit the others.
  Status check(const RunVerbOptions& all);
  /// For how many threads plans are made: processes that share a run must come to the same ones.
  unsigned planned_threads(unsigned own) const { return options_.any() ? kPlannedThreads : own; }
  /// How many share the run, as far as that is known; the same for all of them and for who puts it together.
  std::uint64_t processes() const { return processes_; }
  /// Once the program is compiled: `program` is its text, or the words of a search.
  Status begin(std::string_view program, const BoundInputs& bound, const Session& session);
  /// Null before `begin`, and where the run is whole.
  codegen::Dealer* dealer() const { return dealer_.get(); }
  /// Of a shard there is no answer, and the ranks but the first of an MPI job do not tell it.
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
