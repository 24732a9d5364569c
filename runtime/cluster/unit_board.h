#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/result.h"

namespace matcha::runtime::cluster {

/// The assignment of units to ranks in the regions of a run, held by rank 0. It is independent of messages, threads and
/// clocks; calls are serialized by the caller. Ranks may be at different regions.
class UnitBoard {
 public:
  explicit UnitBoard(int ranks);

  /// Assigns at most `most` units to a rank, ascending and never assigned before; none when all are assigned or the run
  /// was stopped. All ranks pass the same number of units for a region. Errors: Runtime when they differ.
  Result<std::vector<std::uint64_t>> claim(std::uint64_t region, std::uint64_t units, int rank, std::uint64_t most);
  /// Stores the record of a unit, as bytes. Errors: Runtime when the unit is not the rank's, or is done.
  Status done(std::uint64_t region, std::uint64_t unit, int rank, std::string record);
  /// A rank's result of a statically divided region, which has one unit for each rank. Errors: Runtime when the rank
  /// gave one before.
  Status give(std::uint64_t region, int rank, std::string record);
  /// Assigns no more units.
  void stop() { stopped_ = true; }
  /// The rank waits for the merged result and does no more units of the region. Its unfinished units are lost.
  void wait_for_end(std::uint64_t region, int rank);
  /// The rank does no more units in any region; if some are left, the run counts as stopped.
  void leave(int rank);

  /// True if the region gets no more records: all its units are done, or all ranks wait.
  bool is_over(std::uint64_t region) const;
  /// True if all units of a region are done.
  bool is_complete(std::uint64_t region) const;
  /// Removes the records of a region from the board and returns them in the order of its units.
  std::vector<std::string> take_records(std::uint64_t region);

  std::uint64_t units_done() const { return units_done_; }
  /// The number of units of the regions begun so far.
  std::uint64_t units_total() const { return units_total_; }

 private:
  struct Region {
    bool begun = false;
    std::uint64_t units = 0;
    std::uint64_t given = 0;  ///< The number of assigned units; they are the first ones.
    std::uint64_t done = 0;
    std::vector<int> owners;  ///< By assigned unit; kNoOwner: done.
    std::map<std::uint64_t, std::string> records;
    std::vector<bool> waits;  ///< By rank.
  };
  static constexpr int kNoOwner = -1;

  Region& at(std::uint64_t region);

  int ranks_;
  bool stopped_ = false;
  std::uint64_t units_done_ = 0, units_total_ = 0;
  std::vector<bool> left_;  ///< By rank.
  std::map<std::uint64_t, Region> regions_;
};

}  // namespace matcha::runtime::cluster
