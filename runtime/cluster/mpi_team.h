#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/cluster/mpi_library.h"
#include "runtime/cluster/unit_board.h"
#include "runtime/result.h"

namespace matcha::runtime::cluster {

/// The merged result of a region from all ranks.
struct TeamResult {
  std::string merged;        ///< Empty: rank 0 was stopped before it reached the region.
  bool is_complete = false;  ///< All units are included.
};

/// The ranks of a job, which share the units of regions. Rank 0 holds the board; the others request units from it, one
/// message at a time and one unit ahead. A separate thread makes all MPI calls while the caller's thread works.
/// Functions marked "collective" wait until every rank calls them.
class MpiTeam {
 public:
  /// Joins the ranks of the launcher. `piece`: the longest message in bytes that is passed to the library. Errors:
  /// Runtime.
  static Result<std::unique_ptr<MpiTeam>> join(std::size_t piece = kPiece);
  /// Aborts the job unless the team was left.
  ~MpiTeam();
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& mpi_version() const { return library_; }

  /// Collective. Checks that all ranks have the same text. Errors: Runtime, with the first rank that differs.
  Status agree(std::string_view text);

  /// The next unit of a region for this rank; empty when none is left, after a stop or an error.
  std::optional<std::uint64_t> claim(std::uint64_t region, std::uint64_t units);
  /// Hands over the record of a unit. Errors: Runtime.
  Status done(std::uint64_t region, std::uint64_t unit, std::string record);
  /// Collective. Replaces `claim` and `done` for a region in which each rank has a fixed share: hands over this rank's
  /// record. Errors: Runtime.
  Status give(std::uint64_t region, std::string record);
  /// Collective. The merged result of a region. `merge` is called on rank 0, with the records in the order of their
  /// units. `stopped`: this rank was stopped, so the run ends for all. Errors: Runtime, those of `merge`.
  using Merge = std::function<Result<std::string>(std::vector<std::string> records)>;
  Result<TeamResult> finish(std::uint64_t region, bool stopped, const Merge& merge);

  /// On rank 0: finished units and all units of the regions begun so far. On other ranks 0 of 0.
  std::pair<std::uint64_t, std::uint64_t> progress();

  /// Collective. Leaves the job. A rank that was stopped may leave before it reaches all regions; the others then get
  /// partial results for these.
  Status leave();
  /// Ends all ranks with an exit code; does not return.
  [[noreturn]] void abort(int code);

  static constexpr std::size_t kPiece = std::size_t{1} << 30;

 private:
  enum class Kind : std::uint64_t { Agree, Claim, Done, Give, Finish, Leave, Verdict, Units, Merged };
  struct Head {
    std::uint64_t kind, from, region, number, size;
  };
  struct Message {
    Kind kind = Kind::Leave;
    std::uint64_t from = 0, region = 0, number = 0;
    std::string bytes;
  };

  explicit MpiTeam(std::size_t piece) : piece_(piece) {}

  // Members of the thread that calls MPI.
  void serve();
  Status serve_board();
  Status serve_rank();
  Status answer(Message message);
  /// Sends the results that ranks wait for, if they are available.
  Status answer_waiting();
  Status send(int to, const Message& message);
  Result<std::optional<Message>> receive();
  bool pause(unsigned& idle);

  // Members of the other threads, which hold the lock.
  void take_reply(Message reply);
  void post(Message message);
  void wait_for_replies(std::unique_lock<std::mutex>& lock);
  Result<TeamResult> finish_as_first(std::uint64_t region, bool stopped, const Merge& merge);
  Result<TeamResult> finish_as_other(std::uint64_t region, bool stopped);

  const std::size_t piece_;
  int rank_ = 0, size_ = 1;
  std::string library_;
  std::unique_ptr<MpiLibrary> mpi_;  ///< Used by the MPI thread only, once `join` has returned.
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Error> failure_;  ///< An error of MPI or of the team: nothing continues.
  bool joined_ = false, leaving_ = false, left_ = false;
  std::optional<int> abort_code_;

  // Members of rank 0.
  std::optional<UnitBoard> board_;
  std::map<std::uint64_t, std::string> texts_;      ///< The texts to compare, by rank.
  std::optional<std::string> verdict_;              ///< Empty: they agree.
  std::map<std::uint64_t, TeamResult> merged_;      ///< By region.
  std::map<std::uint64_t, std::set<int>> waiting_;  ///< Ranks that wait for the merged values, by region.
  std::map<std::uint64_t, int> informed_;           ///< Ranks that have received them, by region.
  int ranks_done_ = 0;

  // Members of the other ranks.
  std::deque<Message> outgoing_;
  std::size_t replies_due_ = 0;
  std::deque<std::uint64_t> ahead_;  ///< Units of `ahead_region_`.
  std::optional<std::uint64_t> ahead_region_;
  std::uint64_t units_ = 0;
  std::optional<TeamResult> result_;
  std::optional<std::string> their_verdict_;
};

}  // namespace matcha::runtime::cluster
