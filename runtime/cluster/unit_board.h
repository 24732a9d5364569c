#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/result.h"

namespace matcha::runtime::cluster {

/// Who does which units of the regions of a run: what rank 0 keeps. It knows no messages, threads or clocks; calls come
/// one at a time. Ranks may be at different regions.
class UnitBoard {
 public:
  explicit UnitBoard(int ranks);

  /// At most `most` units for a rank, ascending and never given before; none when all are given or the run was stopped.
  /// All ranks name the same number of units for a region.
  /// Errors: Runtime when they do not.
  Result<std::vector<std::uint64_t>> claim(std::uint64_t region, std::uint64_t units, int rank, std::uint64_t most);
  /// What a unit found, as bytes. Errors: Runtime when the unit is not the rank's, or is done.
  Status done(std::uint64_t region, std::uint64_t unit, int rank, std::string record);
  /// What a rank found of a region that has a unit for each rank, which none claims. Errors: Runtime when it did
  /// before.
  Status give(std::uint64_t region, int rank, std::string record);
  /// No more units are given.
  void stop() { stopped_ = true; }
  /// A rank that wants what all found, and does no more of the region. Units that it has not done are lost.
  void wait_for_end(std::uint64_t region, int rank);
  /// A rank that does nothing more in any region; if some were left to do, the run was stopped for it.
  void leave(int rank);

  /// Nothing more will be found of a region: all its units are done, or all ranks wait.
  bool is_over(std::uint64_t region) const;
  /// All units of a region are done.
  bool is_complete(std::uint64_t region) const;
  /// The records of a region in the order of its units; they are left out of the board.
  std::vector<std::string> take_records(std::uint64_t region);

  std::uint64_t units_done() const { return units_done_; }
  /// Of the regions that were begun.
  std::uint64_t units_total() const { return units_total_; }

 private:
  struct Region {
    bool begun = false;
    std::uint64_t units = 0;
    std::uint64_t given = 0;  ///< So many from the first.
    std::uint64_t done = 0;
    std::vector<int> owners;  ///< Of the units that were given; kNobody: done.
    std::map<std::uint64_t, std::string> records;
    std::vector<bool> waits;  ///< Of the ranks.
  };
  static constexpr int kNobody = -1;

  Region& at(std::uint64_t region);

  int ranks_;
  bool stopped_ = false;
  std::uint64_t units_done_ = 0, units_total_ = 0;
  std::vector<bool> left_;  ///< Of the ranks.
  std::map<std::uint64_t, Region> regions_;
};

}  // namespace matcha::runtime::cluster
