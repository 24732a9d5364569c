#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "question/query/statement.h"
#include "session/query/evaluator.h"
#include "session/query/store.h"

namespace matcha::session::statement {

class MatchPlanner;

/// Finds the matches of a clause for a row, by steps that give values to slots. The relationships of a match are all
/// different.
class Matcher {
 public:
  /// `bound`: slots that have a value before the clause. `needed`: slots that are read after it. All arguments must
  /// outlive the matcher.
  Matcher(const query::MatchClause& clause, const std::set<std::size_t>& bound, const std::set<std::size_t>& needed,
          Store& store, const Evaluator& evaluator, Progress& progress);

  /// Called when the row has a match; `ways`: the number of matches that differ only in slots that are not read.
  /// Returns false if no more are wanted.
  using OnMatch = std::function<bool(std::uint64_t ways)>;
  /// Calls `on_match` for all matches of `row`. False if `on_match` returned false, or after an error.
  bool run(Value* row, const OnMatch& on_match);

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      Test,         ///< Tests conditions on slots with a value before the clause.
      Scan,         ///< Gives a node each node as its value.
      Check,        ///< Tests a node that has a value before the clause.
      Expand,       ///< Gives values to a relationship from `from`, and to the node at its other end.
      Trail,        ///< The same for a list of relationships.
      Given,        ///< Follows a relationship that has a value before the clause.
      GivenTrail,   ///< Follows a list of relationships that has a value before the clause.
      Path,         ///< Makes the value of a named path.
      Independent,  ///< Multiplies by the number of matches of a part that shares no slot with the rest.
    };
    Kind kind = Kind::Test;
    std::size_t from = 0, to = 0;          ///< Slots of nodes; a step for one node has `to`.
    bool has_from = true, has_to = false;  ///< They have a value before the step.
    bool is_turned = false;                ///< It goes from the right end of the relationship to the left one.
    const query::RelationshipPattern* maybe_relationship = nullptr;
    bool keeps_list = false;
    bool closes = false;  ///< Relationships are looked up by both ends.
    /// Scan: only the nodes whose `column` has the value of this term, or without a column the node that is its value;
    /// null: all nodes.
    const query::Term* maybe_key = nullptr;
    std::optional<std::size_t> column;
    /// Scan: only the nodes of a list, from a condition that needs no further test; null: none.
    const query::Term* maybe_list = nullptr;
    bool any_type = true;
    std::vector<std::uint32_t> types;
    std::vector<std::size_t> tests, from_tests;  ///< The tests for labels of `to`, and of `from`.
    std::vector<const query::Term*> conditions;
    const query::PathPattern* maybe_path = nullptr;
    std::size_t part = 0;  ///< Independent: the number of the part.
  };
  /// A part of the clause that shares nothing with the rest.
  struct Part {
    std::vector<Step> steps;
    std::optional<std::uint64_t> count;
  };
  friend class MatchPlanner;
  /// A walk along one relationship.
  struct Hop {
    std::uint32_t relationship = 0, to = 0;
  };
  /// A position among the relationships at a node that a step may take.
  struct Cursor {
    std::uint32_t node = 0;
    std::size_t list = 0, at = 0;
  };

  bool step(std::size_t at);
  bool scan(const Step& step, std::size_t at);
  bool scan_list(const Step& step, std::size_t at);
  bool scanned(const Step& step, std::size_t at, std::uint32_t node);
  bool expand(const Step& step, std::size_t at);
  bool trail(const Step& step, std::size_t at);
  bool end_trail(const Step& step, std::size_t at, std::uint32_t node, const std::vector<Hop>& hops);
  bool given(const Step& step, std::size_t at);
  bool given_trail(const Step& step, std::size_t at);
  bool follow(const Step& step, std::size_t at, std::uint32_t from, const std::vector<Value>& list);
  bool path(const Step& step, std::size_t at);
  bool independent(const Step& step, std::size_t at);
  /// Tests the conditions of a step whose slots have values, and continues with the next step.
  bool next(const Step& step, std::size_t at);
  bool count(Part& part, SourceLoc loc);
  bool found();
  /// Sets the node at the end of a step, and continues.
  bool arrive(const Step& step, std::size_t at, std::uint32_t node);
  std::optional<Hop> hop(const Step& step, Cursor& cursor) const;
  std::span<const std::uint32_t> list(const Step& step, std::uint32_t node, std::size_t number, bool& is_out) const;
  bool passes(const std::vector<std::size_t>& tests, std::uint32_t node) const;
  bool has_type(const Step& step, std::uint32_t relationship) const;
  bool fits(const Step& step, std::uint32_t relationship);
  std::uint32_t node(std::size_t slot) const { return static_cast<std::uint32_t>(row_[slot].integer); }
  static bool goes(const Step& step, bool is_out);

  const query::MatchClause& clause_;
  Store& store_;
  const Evaluator& evaluator_;
  Progress& progress_;
  std::vector<std::pair<std::size_t, Value::Kind>> given_;  ///< Slots whose value before the clause must not be null.
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  const std::vector<Step>* running_ = nullptr;  ///< The current steps: all, or those of a part.
  std::vector<bool> used_;                      ///< By relationship, true if the match has it.
  Value* row_ = nullptr;
  std::uint64_t ways_ = 1;
  const OnMatch* on_match_ = nullptr;
  bool is_counting_ = false;   ///< The matches of a part are counted.
  std::uint64_t counted_ = 0;  ///< Their number so far.
};

}  // namespace matcha::session::statement
