#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/kinds.h"
#include "ir/support/source.h"
#include "ir/types.h"

/// The expressions of both stages; nodes.h has the statements, and how nodes live.
namespace matcha::ir {

struct Node {
  Kind kind;
  SourceLoc loc;
};

/// A pure value. Expressions are hash-consed: equal structure means equal pointer (`Var` apart, which is an identity).
/// An expression may *trap* (division by zero, overflow, `at` out of range, unknown vertex): the run ends with an
/// error.
struct Expr : Node {
  const Type* type;
  std::span<const Expr* const> operands;
};

/// An SSA value: bound once, by a parameter, `let`, `for`, a sink of `collect`, `build_graph`, `store` or a buffer.
struct Var final : Expr {
  std::uint32_t id;       ///< Unique in its Context, in order of creation.
  std::string_view hint;  ///< The name in the program, for display; never an identity.
};

struct ConstInt final : Expr {
  std::int64_t value;
};
struct ConstFloat final : Expr {
  double value;
};
struct ConstBool final : Expr {
  bool value;
};
/// The code of a quoted label word; `bind_labels` replaces it by an int once the graph's dictionary is known.
struct LabelName final : Expr {
  std::string_view word;
};

/// Column `column` of item `operands[1]` (i64, from 0) of a list; traps if out of range.
struct At final : Expr {
  std::uint32_t column;
};

/// How the values of equal keys become one. `Sum`: exactly, without rows of zeros; else the extreme row of values.
enum class Fold : std::uint8_t { Sum, Min, Max };

/// List: the table of its rows, `type->keys` columns of which are the key. Traps if a sum does not fit its column.
struct Keyed final : Expr {
  Fold fold;
};

/// Graph, vid: list<vid>, ascending; empty for a vertex that is not in the graph. The neighbours below or above the
/// vertex need a graph with rows; those above it also one without loops.
struct Neighbors final : Expr {
  Adjacency arcs;
};

/// Graph, set u of vids: for each item of u, the positions in u of its neighbours.
struct BitRows final : Expr {
  Adjacency arcs;
};

/// Graph, set u of vids, vid x, i64 p, i64 n: over all pairs of items of u, the sum of their common neighbours below or
/// above x. It is computed in n parts, 0 <= p < n, in any order, of which only the sum is defined. Traps if a part does
/// not fit i64. In stage kernel it is the value of a `store`, which has the counters of a worker. The side is relative
/// to x, never `All`.
struct CommonNeighbors final : Expr {
  Adjacency arcs;
};

/// Ascending set, scalar x: the items below x (a prefix) or above it (a suffix). The side is never `All`.
struct Cut final : Expr {
  Side side;
};

// The other expressions have operands only; nodes.def has their arity, type_rules.h their types, README.md their
// meaning.
#define MATCHA_PLAIN_EXPR(Struct) \
  struct Struct final : Expr {}
MATCHA_PLAIN_EXPR(Neg);
MATCHA_PLAIN_EXPR(Not);
MATCHA_PLAIN_EXPR(Add);
MATCHA_PLAIN_EXPR(Sub);
MATCHA_PLAIN_EXPR(Mul);
MATCHA_PLAIN_EXPR(Div);
MATCHA_PLAIN_EXPR(Mod);
MATCHA_PLAIN_EXPR(Eq);
MATCHA_PLAIN_EXPR(Ne);
MATCHA_PLAIN_EXPR(Lt);
MATCHA_PLAIN_EXPR(Le);
MATCHA_PLAIN_EXPR(And);  ///< `operands[1]` is evaluated only if `operands[0]` is true.
MATCHA_PLAIN_EXPR(Or);   ///< `operands[1]` is evaluated only if `operands[0]` is false.
MATCHA_PLAIN_EXPR(Min);
MATCHA_PLAIN_EXPR(Max);
MATCHA_PLAIN_EXPR(AtMost);   ///< `operands[0]`; traps if it is more than `operands[1]`.
MATCHA_PLAIN_EXPR(Log);      ///< f64: the natural logarithm.
MATCHA_PLAIN_EXPR(Sqrt);     ///< f64.
MATCHA_PLAIN_EXPR(Select);   ///< Condition, then, else: only the chosen one is evaluated.
MATCHA_PLAIN_EXPR(Convert);  ///< To `type`. vid→i64: original id; i64→vid: rank, traps if unknown; i128→i64 traps.
MATCHA_PLAIN_EXPR(Size);     ///< Number of items. Over a set operation it is a count form: nothing is stored.
MATCHA_PLAIN_EXPR(Contains);    ///< Set, scalar: true if the scalar is in the set.
MATCHA_PLAIN_EXPR(LowerBound);  ///< Ascending set, scalar: position of the first item not below the scalar.
MATCHA_PLAIN_EXPR(FindRow);     ///< Table, a scalar for each key: the position of their row, -1 if there is none.
MATCHA_PLAIN_EXPR(Label);       ///< Graph, vid.
MATCHA_PLAIN_EXPR(HasEdge);     ///< Graph, source vid, target vid.
MATCHA_PLAIN_EXPR(MaxDegree);   ///< Graph: the largest out-degree.
MATCHA_PLAIN_EXPR(Vertices);    ///< Graph: list<vid>, ascending.
MATCHA_PLAIN_EXPR(Edges);       ///< Graph: list<vid, vid>, ascending by source, then target.
MATCHA_PLAIN_EXPR(EdgeInfo);    ///< Graph, vid: aligned with Neighbors.
MATCHA_PLAIN_EXPR(Literal);     ///< `type` is list<…> of k columns; operands row by row, k a row.
MATCHA_PLAIN_EXPR(Span);        ///< List, i64 begin, i64 end: items at positions [begin, end), clamped to the list.
MATCHA_PLAIN_EXPR(Sorted);      ///< The same rows in ascending order, compared from the left, repeats kept.
MATCHA_PLAIN_EXPR(Sequence);    ///< i64 begin, i64 end: begin, begin + 1, … below end.
MATCHA_PLAIN_EXPR(Flatten);     ///< List of lists to list.
MATCHA_PLAIN_EXPR(BitRow);      ///< Rows, position in their set: the row there, a view.
MATCHA_PLAIN_EXPR(AllBits);     ///< Rows: all positions in their set.
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits)
#define MATCHA_SET_OP(Struct, keyword, First, Last, Traits) MATCHA_PLAIN_EXPR(Struct);
#include "ir/nodes.def"
#undef MATCHA_PLAIN_EXPR

}  // namespace matcha::ir
