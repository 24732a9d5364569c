#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/support/source.h"

/// A statement of Cypher as data, for queries that are more than one pattern. Variables are slots of a row.
namespace matcha::query {

/// The type of a value, as far as the text of the statement tells it.
struct ValueType {
  enum class Base : std::uint8_t { Any, Scalar, Node, Relationship, Path };

  Base base = Base::Any;
  int lists = 0;  ///< It is a list of these, or a list of lists.

  bool operator==(const ValueType&) const = default;
  bool is(Base what) const { return base == what && lists == 0; }
};

/// The column of nodes that is their id: of `id(a)`, and of `a.id` where nodes have no table.
inline constexpr const char* kIdColumn = "id()";

struct MatchClause;

/// An expression.
struct Term {
  enum class Kind : std::uint8_t {
    Null,
    Bool,       ///< `integer`: 0 or 1.
    Int,        ///< `integer`.
    Float,      ///< `number`.
    Text,       ///< `text`.
    Map,        ///< `{x: 1}`, which has no meaning but in patterns.
    Parameter,  ///< `$p`: a value that is given with the statement, by the name `text`.
    Variable,
    Property,  ///< Column `text` of the node or relationship `parts[0]`.
    List,
    Item,  ///< `parts[0][parts[1]]`.
    /// Pairs of a condition and a value, then the value of ELSE, if any. `integer` 1: the first part is a value, with
    /// which the conditions are compared.
    Case,
    Negative,
    Sum,
    Difference,
    Product,
    Quotient,
    Remainder,
    Less,
    AtMost,
    Equal,
    Different,
    In,
    StartsWith,
    EndsWith,
    Contains,
    IsNull,
    HasLabels,  ///< `labels` of the node `parts[0]`.
    Not,
    And,
    Or,
    Xor,
    Matches,    ///< There is a match of `pattern`.
    Call,       ///< A call of the function `text`, in small letters.
    Aggregate,  ///< The same of a group of rows; without parts `count(*)`. `slot`: of the value of the group.
  };

  Kind kind = Kind::Null;
  SourceLoc loc{};
  std::vector<Term> parts{};
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};
  std::vector<std::vector<std::string>> labels{};  ///< One of each item.
  std::size_t slot = 0;                            ///< The slot of a variable.
  int depth = 0;                                   ///< 1 more than the deepest part.
  bool is_distinct = false;                        ///< An aggregate with `DISTINCT`.
  ValueType type{};
  std::shared_ptr<const MatchClause> pattern{};
};

struct NodePattern {
  std::size_t slot = 0;
  std::vector<std::vector<std::string>> labels;  ///< One of each item.
  SourceLoc loc{};
};

struct RelationshipPattern {
  static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

  std::size_t slot = 0;
  bool is_backwards = false, is_either = false;
  bool is_trail = false;  ///< `*m..n`: the slot has a list.
  std::uint64_t least = 1, most = 1;
  std::vector<std::string> types;  ///< One of these; empty: any.
  /// The conditions on each relationship of a trail, which is in slot `one`.
  std::vector<Term> each;
  std::size_t one = 0;
  bool is_named = false;
  SourceLoc loc{};
};

/// A node, and for each relationship a further one.
struct PathPattern {
  std::optional<std::size_t> maybe_slot;  ///< The slot of a named path.
  std::vector<NodePattern> nodes;
  std::vector<RelationshipPattern> relationships;
};

/// `MATCH` with its `WHERE`, a pattern in a condition, or `UNWIND`.
struct MatchClause {
  bool is_optional = false;
  std::vector<PathPattern> paths;
  std::vector<Term> conditions;        ///< All hold: those of properties in the patterns, and those of `WHERE`.
  std::vector<std::size_t> new_slots;  ///< The slots that this clause is the first to set.
  std::optional<Term> maybe_list;      ///< Of `UNWIND`: each of its items is the value of the only new slot.
  SourceLoc loc{};
};

/// `WITH`, or `RETURN`.
struct Projection {
  struct Column {
    Term term;
    std::string name;
  };
  struct Key {
    Term term;
    bool descends = false;
  };

  bool is_distinct = false;
  std::vector<Column> columns;
  std::vector<Term> aggregates;  ///< In the columns; each has a slot behind those of the columns.
  std::vector<Key> order;
  /// Keys are terms of the columns alone, which are slots from 0; else of the row before, with the columns behind its
  /// slots.
  bool orders_columns = false;
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> limit;
  std::vector<Term> conditions;  ///< `WHERE` behind `WITH`, of the columns.
  SourceLoc loc{};
};

/// Clauses up to a `WITH` or the `RETURN`. A row has the columns of the part before in its first slots.
struct StatementPart {
  std::vector<MatchClause> matches;
  Projection projection;
  std::size_t slots = 0;  ///< The number of slots in a row, without those of the columns that it gives.
};

/// A statement.
struct Statement {
  std::vector<StatementPart> parts;                ///< The last one has the `RETURN`.
  std::vector<std::vector<StatementPart>> others;  ///< The parts behind each `UNION`, with the same columns.
  bool keeps_repeats = false;                      ///< `UNION ALL`: equal rows are several.
  /// The columns that it names, with their first places.
  std::map<std::string, SourceLoc> node_columns, relationship_columns;
  std::map<std::string, SourceLoc> parameters;  ///< With their first places.
  bool asks_labels = false,
       asks_types = false;              ///< Whether the statement asks for labels of nodes, for types of relationships.
  std::optional<SourceLoc> maybe_type;  ///< The first type that is named.
  SourceLoc loc{};
};

}  // namespace matcha::query
