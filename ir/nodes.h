#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/assumptions.h"
#include "ir/kinds.h"
#include "ir/schedule.h"
#include "ir/support/source.h"
#include "ir/types.h"

/// The nodes of both stages. Nodes are immutable, live in a `Context`, have no virtual functions, and are reached
/// through `const` pointers that are never null unless the name says `maybe_`. Only `Builder` makes them.
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
  std::string_view hint;  ///< The name in the program, for people; never an identity.
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

/// An effect or a binding. A statement is a tree; a rewrite returns the same pointer if nothing changed.
struct Stmt : Node {};

struct Block final : Stmt {
  std::span<const Stmt* const> body;
};

/// `let %x = e`: binds a scalar, list or graph value.
struct Let final : Stmt {
  const Var* var;
  const Expr* value;
};

/// `for %a, %b at %i in L, M { … }`: walks all lists in step; the lists' columns are bound in order. Traps if the
/// lengths differ. `maybe_index` is the position, from 0.
struct For final : Stmt {
  std::span<const Var* const> vars;
  std::span<const Expr* const> lists;
  const Var* maybe_index;
  const Block* body;
  LaneMode mode = LaneMode::Together;  ///< Others only in a region of stage kernel whose group has several lanes.
};

struct If final : Stmt {
  const Expr* cond;
  const Block* then_body;
  const Block* maybe_else;
};

/// How a sink combines yielded values. The empty value is 0 for Sum, false for Any, true for All, the empty list for
/// List; reading an empty Min or Max traps. Sums of ints are carried in 128 bits and trap if the total does not fit the
/// sink's type. Sums of floats are exact and rounded once, so the order of yields has no effect.
enum class SinkKind : std::uint8_t { Sum, Min, Max, Any, All, List };

struct Sink {
  const Var* var;
  SinkKind kind;
  const Var* maybe_buffer;  ///< Kernel stage, List sinks inside a region: the buffer of the items.
};

/// `collect %n: sum i64, %l: list<vid> { … }`: inside, the sinks are only yielded to; after it they are plain values.
struct Collect final : Stmt {
  std::span<const Sink> sinks;
  const Block* body;
};

/// `yield %sink, e, …`: one value for each column. `yield batched %sum, e`: kernel stage; the single set operation that
/// `e` counts, directly or through a variable, may be done later, together with others.
struct Yield final : Stmt {
  const Var* sink;
  std::span<const Expr* const> values;
  bool batched;
};

/// How a built graph finds the neighbours of a vertex: an offset per id of the universe, or a hash table.
enum class GraphIndex : std::uint8_t { Csr, Hash };

/// `build_graph %g = csr(edges, labels?, info?)`. `edges`: list<vid, vid>; labels: list<vid, i64>, one for each vertex
/// of the graph; info: a list of one scalar column, as long as `edges`. Only at top level.
struct BuildGraph final : Stmt {
  const Var* var;
  const Expr* edges;
  const Expr* maybe_labels;
  const Expr* maybe_info;
  GraphIndex index;
};

/// The results, in order: one value, or one for each element of a tuple. The last statement of a module and nowhere
/// else.
struct Return final : Stmt {
  std::span<const Expr* const> values;
};

/// Scratch memory of one worker: `capacity` items of each column of `var->type`, planned before the region runs.
struct Buffer {
  const Var* var;
  const Expr* capacity;  ///< i64, of top-level values only.
  /// Instead one item for each rank: all 0 when a worker starts and after each use.
  bool counters = false;
};

/// `region (parallel, split=2, group=1) buffers … { collect … }`: one parallel step. The collect's body is one `for`
/// when the region is parallel.
struct Region final : Stmt {
  Schedule schedule;
  std::span<const Buffer> buffers;
  const Collect* collect;
};

/// `store %s in %buffer = e`: like `let`, with the buffer into which a set operation or `sorted` writes its items.
struct Store final : Stmt {
  const Var* var;
  const Var* buffer;
  const Expr* value;
};

/// A whole program. Its nodes belong to the Context that made them.
struct Module {
  Stage stage = Stage::Loop;
  std::string_view name;
  std::span<const Var* const> params;
  const Block* body = nullptr;
  std::span<const Assumption> assumptions = {};  ///< On parameters, without repeats.
};

std::string_view keyword(const Expr& expr);
Op op_of(const Expr& expr);
/// `All` for a node without a side.
Side side_of(const Expr& expr);
/// All neighbours of a vertex.
inline bool is_all_neighbors(const Expr& e) { return e.kind == Kind::Neighbors && side_of(e) == Side::All; }
/// The neighbours on one side of a vertex.
inline bool is_half(const Expr& e) { return e.kind == Kind::Neighbors && side_of(e) != Side::All; }
/// `below(s, x)` and `above(s, x)`.
inline bool is_below(const Expr& e) { return e.kind == Kind::Cut && side_of(e) == Side::Lower; }
inline bool is_above(const Expr& e) { return e.kind == Kind::Cut && side_of(e) == Side::Upper; }
std::string_view keyword(SinkKind kind);
std::string_view keyword(Fold fold);

}  // namespace matcha::ir
