#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/search/device/match_data.h"
#include "engines/search/matcher.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"

namespace matcha::runtime::match {

/// Patterns that groups of a device match together (engines/search/device/match_walk.h): one queue of units, one sum
/// for each pattern.
class DeviceBatch {
 public:
  struct Pattern {
    const Query* query = nullptr;
    std::optional<std::uint64_t> most;  ///< The number of matches wanted.
  };
  /// The result of a pattern. `found` is at most `most`; kTooMany: the number exceeds the range of a device.
  using Outcome = MatchOutcome;

  /// Why a device cannot match the pattern; empty: it can. Restrictions and disconnected patterns require a CPU.
  static std::string problem_of(const Query& query);

  /// Computes the candidates of all patterns, on several threads; patterns without candidates are answered at once.
  /// Requires: `problem_of` is empty for all. `stops` may end it early. The patterns and the index must outlive it.
  DeviceBatch(MatchIndex& index, std::span<const Pattern> patterns, const Stops& stops = {});

  /// It was stopped; then only `outcomes` may be called.
  bool stopped() const { return stopped_; }

  /// The data to copy to the device, and the memory of a group.
  const std::vector<matcha_program::MatchQuery>& queries() const { return queries_; }
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  const std::vector<matcha_program::MatchPlace>& places() const { return places_; }
  const std::vector<matcha_program::MatchSum>& sums() const { return sums_; }
  const std::vector<matcha_program::MatchTie>& ties() const { return ties_; }
  /// Indices in `sides`.
  const std::vector<std::uint32_t>& tie_sides() const { return tie_sides_; }
  const std::vector<Side>& sides() const { return sides_.sides; }
  std::uint64_t units() const { return roots_.size(); }
  /// The number of words for masks, which must be 0 before `places` are written.
  std::uint64_t masks() const { return queries_.size() * universe_; }
  std::uint64_t undo_room() const { return undo_room_; }
  std::uint64_t list_room() const { return list_room_; }

  /// The queries with the addresses of `roots` and masks.
  std::vector<matcha_program::MatchQuery> queries_at(const std::uint32_t* roots, const std::uint64_t* masks) const;

  /// The outcome of each pattern, from the sums of the device; `ending` is that of unfinished patterns.
  std::vector<Outcome> outcomes(std::span<const matcha_program::MatchSum> sums, SearchEnding ending) const;

 private:
  /// The result of filtering a pattern.
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
  std::vector<std::size_t> numbers_;  ///< By pattern, its query; `queries_.size()` or more: none.
  std::vector<Outcome> outcomes_;     ///< Outcomes known before the search.
  std::vector<matcha_program::MatchQuery> queries_;
  std::vector<std::uint32_t> roots_;
  std::vector<matcha_program::MatchPlace> places_;
  std::vector<matcha_program::MatchSum> sums_;
  std::vector<matcha_program::MatchTie> ties_;
  std::vector<std::uint32_t> tie_sides_;
  Query sides_;  ///< Its sides are the union of those of all patterns.
  std::uint64_t undo_room_ = 1, list_room_ = 1;
  bool stopped_ = false;
};

}  // namespace matcha::runtime::match
