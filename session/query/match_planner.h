#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "session/query/matcher.h"

namespace matcha::session::statement {

/// Adds the slots that a term or a clause reads, without those to which it gives a value itself.
void add_slots(const query::Term& term, std::set<std::size_t>& into);
void add_slots(const query::MatchClause& clause, std::set<std::size_t>& into);

/// Makes the steps of a matcher.
class MatchPlanner {
 public:
  MatchPlanner(Matcher& matcher, Store& store, const std::set<std::size_t>& bound, const std::set<std::size_t>& needed);
  void run();

 private:
  /// A relationship or trail of the pattern.
  struct Walk {
    const query::RelationshipPattern* pattern = nullptr;
    std::size_t from = 0, to = 0;
    bool is_given = false, keeps_list = false;
    std::vector<std::uint32_t> types = {};
  };
  struct Condition {
    const query::Term* term = nullptr;
    std::set<std::size_t> slots;
    bool is_placed = false;
  };
  using Cost = std::pair<int, double>;
  static constexpr int kNoEndThere = 9;

  void collect();
  void give(std::size_t slot, Value::Kind kind);
  void group();
  std::optional<std::size_t> part_of(const std::set<std::size_t>& slots) const;
  std::optional<std::size_t> part_of(const Walk& walk) const;
  bool is_independent(std::size_t part) const;
  /// The steps of these parts; `with_given`: also those of slots that have a value before the clause.
  std::vector<Matcher::Step> steps_of(const std::set<std::size_t>& parts, bool with_given);
  Matcher::Step& add(Matcher::Step::Kind kind);
  Cost cost(const Walk& walk) const;
  void walk(const Walk& walk);
  double nodes_to_scan(std::size_t slot) const;
  template <class IsMine>
  void add_paths(const IsMine& is_mine);
  void find_key(Matcher::Step& step);
  void place_conditions();

  Matcher& matcher_;
  Store& store_;
  const std::set<std::size_t>& bound_;
  const std::set<std::size_t>& needed_;
  std::map<std::size_t, std::vector<std::size_t>> nodes_;  ///< The tests for labels of each slot.
  std::vector<Walk> walks_;
  std::vector<const query::PathPattern*> paths_;
  std::vector<Condition> conditions_;
  std::map<std::size_t, std::size_t> part_of_;  ///< The part of each slot without a value before the clause.
  std::set<std::size_t> there_;                 ///< Slots that have a value after the steps so far.
  std::vector<Matcher::Step> steps_;
};

}  // namespace matcha::session::statement
