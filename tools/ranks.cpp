#include "tools/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "runtime/unfinished_file.h"
#include "session/run/cluster_run.h"
#include "tools/exit_codes.h"

namespace matcha::tools {

namespace {

constexpr std::chrono::milliseconds kUntilLauncherHasRead{200};

std::optional<std::uint64_t> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? whole_number_of(text) : std::nullopt;
}

/// The part of this process, and the number of parts, from a job scheduler: Slurm's job arrays, and indexed jobs of
/// Kubernetes, which have the number of parts in MATCHA_SHARDS.
std::optional<std::pair<std::uint64_t, std::uint64_t>> shard_of_scheduler() {
  const auto task = number_in_environment("SLURM_ARRAY_TASK_ID");
  const auto least = number_in_environment("SLURM_ARRAY_TASK_MIN");
  const auto count = number_in_environment("SLURM_ARRAY_TASK_COUNT");
  if (task && least && count && *task >= *least && *task - *least < *count) return std::pair(*task - *least, *count);
  const auto index = number_in_environment("JOB_COMPLETION_INDEX");
  const auto shards = number_in_environment("MATCHA_SHARDS");
  if (index && shards && *index < *shards) return std::pair(*index, *shards);
  return std::nullopt;
}

}  // namespace

void read_environment(ClusterOptions& options) {
  if (options.shard == "auto") options.part_of_job = shard_of_scheduler();
}

Status join_ranks(ConsoleOptions& shown, std::string_view example, std::shared_ptr<runtime::cluster::MpiTeam>& team) {
  namespace mpi = runtime::cluster;
  // The launcher says it before the library does.
  shown.rank = mpi::launched_rank();
  runtime::Result<std::unique_ptr<mpi::MpiTeam>> joined = mpi::MpiTeam::join();
  if (!joined) return Console(shown).error(joined.error());
  team = std::move(*joined);
  shown.rank = team->rank();
  shown.quiet = shown.quiet || team->rank() != 0;
  const Console console(shown);
  if (team->size() > 1) {
    console.note(fmt::format("{} ranks, {}", team->size(), team->mpi_version()));
  } else {
    console.note(fmt::format("one rank: more are started by a launcher, as in `mpirun -n 4 {}`", example));
  }
  return Status::Ok;
}

Status join_team(RunVerbOptions& all) {
  namespace mpi = runtime::cluster;
  all.console.rank = mpi::launched_rank();
  if (const Status fits = ClusterRun(all.cluster, Console(all.console)).check(all); fits != Status::Ok) return fits;
  const Status joined = join_ranks(all.console, "matcha run … --mpi", all.cluster.team);
  if (joined != Status::Ok) return joined;
  const bool has_first_gpu = std::ranges::find(all.gpu_given, "--first-gpu") != all.gpu_given.end();
  if (!has_first_gpu) all.gpu.turn = mpi::launched_local_rank();
  return Status::Ok;
}

Status leave_team(const ClusterOptions& options, const Console& console, Status status, bool has_result) {
  if (has_result) {
    const runtime::Status left = options.team->leave();
    if (left) return status;
    status = console.error(left.error());
  }
  std::fflush(nullptr);
  runtime::UnfinishedFile::discard_all();
  // MPICH's launcher loses text that was written right before the end.
  std::this_thread::sleep_for(kUntilLauncherHasRead);
  options.team->abort(exit_code(status));
}

}  // namespace matcha::tools
