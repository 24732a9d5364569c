#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/search/matcher.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"
#include "runtime/common/match_data.h"

namespace matcha::runtime::match {

/// Patterns as groups of a device match them together (runtime/common/match_walk.h): one queue of units, one sum a
/// pattern.
class DeviceBatch {
 public:
  struct Pattern {
    const Query* query = nullptr;
    std::optional<std::uint64_t> most;  ///< Matches that are enough.
  };
  /// What was found of a pattern. `found` is at most `most`; kTooMany: more than a device tells.
  using Outcome = MatchOutcome;

  /// Why a device cannot match it; empty: it can. Restrictions, and patterns in pieces, are for a CPU.
  static std::string problem_of(const Query& query);

  /// Finds the candidates of all, on several threads; patterns without any are answered then. Requires: `problem_of`
  /// none of them is anything. With `stops` it is given up soon. The patterns and the index must outlive it.
  DeviceBatch(MatchIndex& index, std::span<const Pattern> patterns, const Stops& stops = {});

  /// It was given up; only `outcomes` may be asked then.
  bool stopped() const { return stopped_; }

  /// What is to be there on the device, and what a group needs of memory.
  const std::vector<matcha_program::MatchQuery>& queries() const { return queries_; }
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  const std::vector<matcha_program::MatchPlace>& places() const { return places_; }
  const std::vector<matcha_program::MatchSum>& sums() const { return sums_; }
  const std::vector<matcha_program::MatchTie>& ties() const { return ties_; }
  /// Numbers of `sides`.
  const std::vector<std::uint32_t>& tie_sides() const { return tie_sides_; }
  const std::vector<Side>& sides() const { return sides_.sides; }
  std::uint64_t units() const { return roots_.size(); }
  /// Words of masks, all 0 before `places` are written there.
  std::uint64_t masks() const { return queries_.size() * universe_; }
  std::uint64_t undo_room() const { return undo_room_; }
  std::uint64_t list_room() const { return list_room_; }

  /// The queries with the addresses of `roots` and masks.
  std::vector<matcha_program::MatchQuery> queries_at(const std::uint32_t* roots, const std::uint64_t* masks) const;

  /// Of each pattern, when `sums` came back; `ending` is that of patterns that are not finished.
  std::vector<Outcome> outcomes(std::span<const matcha_program::MatchSum> sums, SearchEnding ending) const;

 private:
  /// What the filter of a pattern gives.
  struct Found {
    bool stopped = false;
    bool none = false;
    std::uint64_t candidates = 0;
    double filter_ms = 0;
    int root = 0;
    std::vector<std::uint32_t> roots;
    std::vector<matcha_program::MatchPlace> places;
    std::uint64_t pairs = 0, words = 0;
  };
  static Found filter(MatchIndex& index, const Query& query, const Stops& stops);
  static void find_room(MatchIndex& index, const Query& query, const Candidates& candidates, Found& found);
  void add(const Pattern& pattern, const Found& found);
  void add_ties(const Query& query);

  std::vector<Pattern> patterns_;
  std::uint64_t universe_;
  std::vector<std::size_t> numbers_;  ///< Of each pattern its query; `queries_.size()` and more: none.
  std::vector<Outcome> outcomes_;     ///< Before the search.
  std::vector<matcha_program::MatchQuery> queries_;
  std::vector<std::uint32_t> roots_;
  std::vector<matcha_program::MatchPlace> places_;
  std::vector<matcha_program::MatchSum> sums_;
  std::vector<matcha_program::MatchTie> ties_;
  std::vector<std::uint32_t> tie_sides_;
  Query sides_;  ///< Its sides are those of all patterns.
  std::uint64_t undo_room_ = 1, list_room_ = 1;
  bool stopped_ = false;
};

}  // namespace matcha::runtime::match
