#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "question/pattern.h"
#include "session/ledger/conditions.h"
#include "session/ledger/table.h"

namespace matcha::session::ledger {

/// The maps that count, and how a row of the table becomes an edge.
struct Meaning {
  pattern::Match match = pattern::Match::Iso;
  bool embeddings = false;  ///< With Iso: each map, not each subgraph.
  bool directed = false;
  bool keep_loops = false;
  /// Of Cypher: each edge of the pattern is one of its own, and a label that no edge has is no error.
  bool of_cypher = false;
  bool by_line = true;  ///< Each row is an edge; else each pair of vertices.
  /// Rows come and leave: labels and vertices that no row has are no errors, and a pair has all of its rows.
  bool of_stream = false;
};

/// The rows that one or several edges of the pattern may be, each in the direction of the pattern.
struct EdgeClass {
  std::vector<std::uint32_t> from, to;
  std::vector<std::int64_t> entries;
};

/// A difference of two times: that of edge `x` less that of `y` is less than `by`, at most `by`, `by`, or not `by`.
struct Gap {
  std::size_t x = 0, y = 0;
  pattern::Condition::Kind kind = pattern::Condition::Kind::Less;
  __int128 by = 0;
};

/// A condition between edges.
struct Cross {
  pattern::Condition term;
  std::optional<Gap> maybe_gap;  ///< Of the column that the entries are sorted by.

  /// It bounds the entries of an edge, given those of another one.
  bool is_slice() const { return maybe_gap && maybe_gap->kind != pattern::Condition::Kind::Different; }
};

/// A pattern with conditions, as far as it does not depend on the order of its edges. An entry is a row in one of its
/// directions. Entries are numbered by the column that is compared most, and then by their places in the table; those
/// without a value come last.
struct Plan {
  std::vector<pattern::EdgeUse> edges;
  std::vector<std::size_t> class_of;  ///< Of each edge.
  std::vector<EdgeClass> classes;
  std::vector<Cross> crosses;
  bool two_ways = false;            ///< Rows have two entries.
  std::vector<std::uint64_t> rows;  ///< By rank, which is an entry, or half of one.
  std::string sorted_by;            ///< The column.
  bool is_sorted = false;           ///< There is one.
  std::vector<std::int64_t> times;  ///< Of the ranks that have one, ascending.
  std::vector<std::string> notes;   ///< The form of each condition, for people.
  /// Pairs of vertices, or of edges, of which the first has the smaller image: one map of each subgraph.
  std::vector<std::pair<pattern::Subject, pattern::Subject>> smaller;

  std::uint64_t entries() const { return two_ways ? 2 * rows.size() : rows.size(); }
  std::uint64_t row_of(std::uint64_t entry) const { return rows[two_ways ? entry / 2 : entry]; }
  bool is_turned(std::uint64_t entry) const { return two_ways && entry % 2 == 1; }
};

/// Which rows an edge may have.
struct RowRules {
  const pattern::Pattern& pattern;
  const Meaning& meaning;
  std::vector<std::vector<pattern::Condition>> filters;  ///< Of each edge: conditions about it and its ends.
  std::vector<bool> timed;                               ///< Of each edge: it is sliced by the order of the entries.
  std::vector<std::size_t> firsts;                       ///< Of each class: its first edge.
};

/// Plans for tables whose columns have the same types, such as those of a stream.
class PlanMaker {
 public:
  /// Checks the conditions. Errors go to `diagnostics`, with their places: then it is not `good`. The set and the
  /// meaning outlive it.
  PlanMaker(const pattern::PatternSet& set, const Meaning& meaning, const Table& table, Diagnostics& diagnostics);

  bool good() const { return good_; }
  const RowRules& rules() const { return rules_; }
  /// The plan without classes and rows. Requires: `good`, as the next one.
  const Plan& form() const { return form_; }
  /// Puts the rows of the table into a plan, which has this form: sorts them, and finds those of each edge. False after
  /// an error.
  bool take_rows(const Table& table, Diagnostics& diagnostics, Plan& plan) const;

 private:
  RowRules rules_;
  Plan form_;
  bool good_ = false;
};

/// Checks the conditions, finds the rows of each edge, and sorts them. Errors go to `diagnostics`, with their places;
/// then there is no plan.
std::optional<Plan> plan_of(const pattern::PatternSet& set, const Meaning& meaning, const Table& table,
                            Diagnostics& diagnostics);

/// The word of a label as programs write it.
std::string word_of(const std::string& literal);

/// The automorphisms of the pattern that keep its edges, labels and conditions, as pairs of which the first has the
/// smaller image in one map of each orbit. Nothing if there are too many.
std::optional<std::vector<std::pair<pattern::Subject, pattern::Subject>>> smaller_images(
    const pattern::Pattern& pattern, const std::vector<pattern::EdgeUse>& edges,
    const std::vector<pattern::Condition>& conditions);

}  // namespace matcha::session::ledger
