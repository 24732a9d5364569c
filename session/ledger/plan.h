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

/// The counted maps, and how a row of the table becomes an edge.
struct Meaning {
  pattern::Match match = pattern::Match::Iso;
  bool embeddings = false;  ///< With Iso: each map, not each subgraph.
  bool directed = false;
  bool keep_loops = false;
  /// For Cypher: different edges of the pattern have different images, and a label that no edge has is no error.
  bool of_cypher = false;
  bool by_line = true;  ///< Each row is an edge; false: each pair of vertices.
  /// Rows are inserted and deleted: unknown labels and vertices are no errors, and a pair has all of its rows.
  bool of_stream = false;
};

/// The possible rows of one or several edges of the pattern, each in the direction of the pattern.
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
  std::optional<Gap> maybe_gap;  ///< If it bounds times: the bound on the column by which the entries are sorted.

  /// True if it limits the entries of an edge to a slice, for each entry of another edge.
  bool is_slice() const { return maybe_gap && maybe_gap->kind != pattern::Condition::Kind::Different; }
};

/// A pattern with conditions, and the rows of its edges. An entry is a row in one of its directions. Entries are sorted
/// by the column that has the most comparisons, and then by place in the table; entries without a value are last.
struct Plan {
  std::vector<pattern::EdgeUse> edges;
  std::vector<std::size_t> class_of;  ///< The class of each edge.
  std::vector<EdgeClass> classes;
  std::vector<Cross> crosses;
  bool two_ways = false;            ///< Each row has two entries, one for each direction.
  std::vector<std::uint64_t> rows;  ///< The rows in the order of their entries.
  std::string sorted_by;            ///< The column by which entries are sorted; empty: the times of the edges.
  bool is_sorted = false;           ///< Entries are sorted by a column; false: by place in the table.
  std::vector<std::int64_t> times;  ///< The values of that column, ascending; `rows` without a value are left out.
  std::vector<std::string> notes;   ///< For each condition, how it is evaluated, for users.
  /// Restrictions that keep one map of each subgraph: pairs of vertices, or of edges, with the smaller image first.
  std::vector<std::pair<pattern::Subject, pattern::Subject>> smaller;

  std::uint64_t entries() const { return two_ways ? 2 * rows.size() : rows.size(); }
  std::uint64_t row_of(std::uint64_t entry) const { return rows[two_ways ? entry / 2 : entry]; }
  bool is_turned(std::uint64_t entry) const { return two_ways && entry % 2 == 1; }
};

/// The rules that decide which rows an edge may have.
struct RowRules {
  const pattern::Pattern& pattern;
  const Meaning& meaning;
  std::vector<std::vector<pattern::Condition>> filters;  ///< For each edge, the conditions about it and its ends.
  std::vector<bool> timed;                               ///< For each edge, true if a condition slices its entries.
  std::vector<std::size_t> firsts;                       ///< The first edge of each class.
};

/// Plans for tables whose columns have the same types, such as those of a stream.
class PlanMaker {
 public:
  /// Checks the conditions. Errors go to `diagnostics`; then `good` is false. The set and the meaning must outlive this
  /// object.
  PlanMaker(const pattern::PatternSet& set, const Meaning& meaning, const Table& table, Diagnostics& diagnostics);

  bool good() const { return good_; }
  const RowRules& rules() const { return rules_; }
  /// The plan without classes and rows. Requires: `good`.
  const Plan& form() const { return form_; }
  /// Adds the rows of the table to `plan`, a copy of `form`: sorts them, and finds those of each edge. False after an
  /// error. Requires: `good`.
  bool take_rows(const Table& table, Diagnostics& diagnostics, Plan& plan) const;

 private:
  RowRules rules_;
  Plan form_;
  bool good_ = false;
};

/// Checks the conditions, finds the rows of each edge, and sorts them. Errors go to `diagnostics`; then there is no
/// plan.
std::optional<Plan> plan_of(const pattern::PatternSet& set, const Meaning& meaning, const Table& table,
                            Diagnostics& diagnostics);

/// The word of a label in the syntax of programs.
std::string word_of(const std::string& literal);

/// The automorphisms of the pattern that keep its edges, labels and conditions, as pairs of which the first has the
/// smaller image in one map of each orbit. Nothing if there are too many.
std::optional<std::vector<std::pair<pattern::Subject, pattern::Subject>>> smaller_images(
    const pattern::Pattern& pattern, const std::vector<pattern::EdgeUse>& edges,
    const std::vector<pattern::Condition>& conditions);

}  // namespace matcha::session::ledger
