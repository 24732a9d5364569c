#pragma once

#include <memory>
#include <string_view>

#include "runtime/cluster/mpi_team.h"
#include "session/run/request.h"
#include "tools/console.h"
#include "tools/run_options.h"

/// Processes that run one command together.
namespace matcha::tools {

/// Adds the facts that only the environment of the process has: its part of an array of a job scheduler.
void read_environment(ClusterOptions& options);

/// Joins the ranks of an MPI job, which `team` is from then on. Ranks above 0 print errors only. `example`: the command
/// of one rank.
Status join_ranks(ConsoleOptions& shown, std::string_view example, std::shared_ptr<runtime::cluster::MpiTeam>& team);
/// The same for a run with `--mpi`. Errors: Usage if its options do not fit that.
Status join_team(RunVerbOptions& all);
/// Leaves the job when all have a result. `has_result`: this rank does, which may be a part. Else does not return: it
/// ends all ranks with the exit code of the status.
Status leave_team(const ClusterOptions& options, const Console& console, Status status, bool has_result);

}  // namespace matcha::tools
