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

/// Finds the matches of a clause for a row: step by step, each of which gives some slots a value. The relationships of
/// a match all differ.
class Matcher {
 public:
  /// `bound`: slots that have a value before it. `needed`: those that are read behind it. All outlive the matcher.
  Matcher(const query::MatchClause& clause, const std::set<std::size_t>& bound, const std::set<std::size_t>& needed,
          Store& store, const Evaluator& evaluator, Progress& progress);

  /// Gives the row with each match; `ways`: how many matches differ in slots that are not read. False: no more are
  /// wanted.
  using OnMatch = std::function<bool(std::uint64_t ways)>;
  /// False if no more were wanted, or after an error.
  bool run(Value* row, const OnMatch& on_match);

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      Test,         ///< Conditions on slots with a value before.
      Scan,         ///< A node, by all nodes.
      Check,        ///< A node that was there before.
      Expand,       ///< A relationship from `from`, and the node at its other end.
      Trail,        ///< A list of them.
      Given,        ///< A relationship that was there before.
      GivenTrail,   ///< A list of relationships that was there before.
      Path,         ///< The value of a named path.
      Independent,  ///< The number of matches of a part that has nothing to do with the rest.
    };
    Kind kind = Kind::Test;
    std::size_t from = 0, to = 0;          ///< Slots of nodes; of a node itself: `to`.
    bool has_from = true, has_to = false;  ///< These have a value before the step.
    bool is_turned = false;                ///< It goes from the right end to the left one.
    const query::RelationshipPattern* maybe_relationship = nullptr;
    bool keeps_list = false;
    bool closes = false;  ///< Relationships are looked up by both ends.
    /// Scan: the nodes whose column has the value of this term, or the node that is its value; null: all nodes.
    const query::Term* maybe_key = nullptr;
    std::optional<std::size_t> column;
    /// Scan: a condition that they are in a list, which needs no test then; null: none.
    const query::Term* maybe_list = nullptr;
    bool any_type = true;
    std::vector<std::uint32_t> types;
    std::vector<std::size_t> tests, from_tests;  ///< For labels, of `to`, of `from`.
    std::vector<const query::Term*> conditions;
    const query::PathPattern* maybe_path = nullptr;
    std::size_t part = 0;  ///< Independent.
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
  /// The relationships at a node that a step may take, one after another.
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
  /// Tests the conditions of a step that gave its slots a value, and takes the next one.
  bool next(const Step& step, std::size_t at);
  bool count(Part& part, SourceLoc loc);
  bool found();
  /// Gives the node at the end of a step its value, and goes on.
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
  std::vector<std::pair<std::size_t, Value::Kind>> given_;  ///< Slots with a value before, which must not be null.
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  const std::vector<Step>* running_ = nullptr;  ///< The steps that are walked: all, or those of a part.
  std::vector<bool> used_;                      ///< Relationships.
  Value* row_ = nullptr;
  std::uint64_t ways_ = 1;
  const OnMatch* on_match_ = nullptr;
  bool is_counting_ = false;   ///< A part is counted,
  std::uint64_t counted_ = 0;  ///< and this is its count.
};

}  // namespace matcha::session::statement
