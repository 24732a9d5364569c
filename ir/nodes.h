#pragma once

#include <span>
#include <string_view>

#include "ir/assumptions.h"
#include "ir/exprs.h"
#include "ir/schedule.h"

/// The nodes of both stages. Nodes are immutable, live in a `Context`, have no virtual functions, and are reached
/// through `const` pointers that are never null unless the name says `maybe_`. Only `Builder` makes them.
namespace matcha::ir {

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

/// `collect %n: sum i64, %l: list<vid> { … }`: the sinks are only yielded to inside, and values after it.
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

/// How the edges of a vertex of a built graph lie: ascending by target, then in input order; or ascending by edge
/// information, then in input order.
enum class RowOrder : std::uint8_t { Target, Info };

/// `build_graph %g = csr(edges, labels?, info?) by info?`. `edges`: list<vid, vid>; labels: list<vid, i64>, one for
/// each vertex of the graph; info: a list of one scalar column, as long as `edges`. Only at top level.
struct BuildGraph final : Stmt {
  const Var* var;
  const Expr* edges;
  const Expr* maybe_labels;
  const Expr* maybe_info;
  GraphIndex index;
  RowOrder order;  ///< Info: `maybe_info` is a list of i64.
};

/// `repeat %x = e, … times n`: begins rounds, which the next `again` of the top level ends. The values are those of the
/// round, and are in scope until then.
struct Repeat final : Stmt {
  std::span<const Var* const> vars;
  std::span<const Expr* const> starts;
  const Expr* times;  ///< i64; at least one round is computed.
};

/// `again %y = e, …`: ends a round; `e` are the values of the next one. After the last round they are bound to `vars`,
/// or the start values if there were to be no rounds. `until_equal`: ends as soon as all values are those of the round,
/// bit for bit; traps after the last round.
struct Again final : Stmt {
  std::span<const Var* const> vars;
  std::span<const Expr* const> values;
  bool until_equal;
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
