#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/dealer.h"
#include "runtime/cluster/mpi_team.h"
#include "runtime/result.h"
#include "session/cluster/ledger.h"

/// How units of a run are dealt (codegen/dealer.h).
namespace matcha::session::cluster {

/// When a dealer that waits for others has to give up.
struct DealerStops {
  const std::atomic<std::uint32_t>* maybe_request = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;

  bool stopped() const {
    return (maybe_request != nullptr && maybe_request->load(std::memory_order_relaxed) != 0) ||
           (deadline && std::chrono::steady_clock::now() >= *deadline);
  }
};

/// Units of a shard for a shard: enough of them to cut a skewed graph evenly (runtime/graph/cuts.h).
inline constexpr std::uint64_t kUnitsOfShard = 100;
/// The same on a GPU, for which a unit has to be larger; its arcs are shared out once more inside of it.
inline constexpr std::uint64_t kGpuUnitsOfShard = 8;
/// The most shards.
inline constexpr std::uint64_t kMostShards = 100'000;

/// Part `header.shard` of `header.shards`: every n-th unit, each appended to a file when it is done. A file of the same
/// run is gone on with. Errors: Input when the file is of something else or cannot be written.
runtime::Result<std::unique_ptr<codegen::Dealer>> make_shard_dealer(const std::string& file,
                                                                    const LedgerHeader& header);

/// Units for any number of processes that share a folder, which is created if missing. A process claims a unit by
/// creating a file, which only one can do, and completes it by renaming a file with its result into place. Once all
/// units are claimed, unfinished ones are computed again, oldest claim first: their process may be dead. Errors: Input
/// if the folder belongs to another run or cannot be written.
runtime::Result<std::unique_ptr<codegen::Dealer>> make_folder_dealer(const std::string& folder,
                                                                     const LedgerHeader& header,
                                                                     const DealerStops& stops);

/// Units for the ranks of an MPI job, dealt by rank 0, which adds up the results of all. Every rank calls this and
/// waits for the others. `team` outlives the dealer. Errors: Runtime if the ranks do not all run the same, or MPI
/// fails.
runtime::Result<std::unique_ptr<codegen::Dealer>> make_mpi_dealer(runtime::cluster::MpiTeam& team,
                                                                  const LedgerHeader& header, const DealerStops& stops);

/// Runs nothing: all units are in ledgers. Errors: Input when they are not all parts of one run, or two of them have
/// other values for a unit.
runtime::Result<std::unique_ptr<codegen::Dealer>> make_ledger_dealer(std::vector<Ledger> ledgers,
                                                                     const std::string& key);

}  // namespace matcha::session::cluster
