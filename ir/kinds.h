#pragma once

#include <cstdint>
#include <string_view>

/// The kinds of nodes, and all that is told by a kind alone (from nodes.def).
namespace matcha::ir {

/// Loop: structured loops over sets. Kernel: the same, with what a schedule decides.
enum class Stage { Loop, Kernel };

enum class Kind : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits) Struct,
#define MATCHA_STMT(Struct, keyword, First, Last) Struct,
#include "ir/nodes.def"
};

/// Which items of an ascending list are meant, as seen from a vertex or another value.
enum class Side : std::uint8_t { All, Lower, Upper };
inline Side opposite(Side side) {
  return side == Side::Lower ? Side::Upper : side == Side::Upper ? Side::Lower : Side::All;
}

/// Which of the arcs of a vertex a node reads. All that selects arcs, besides operands, stands here.
struct Adjacency {
  Side side = Side::All;

  constexpr Adjacency() = default;
  constexpr Adjacency(Side which) : side(which) {}  // NOLINT: a side alone selects arcs.
  bool operator==(const Adjacency&) const = default;
};

/// A kind and its variant: all that an operator's text and its type depend on, besides operands. `Cut` has a side only.
struct Op {
  Kind kind;
  Adjacency arcs;

  constexpr Op(Kind which) : kind(which) {}  // NOLINT: most kinds have one variant.
  constexpr Op(Kind which, Adjacency variant) : kind(which), arcs(variant) {}
  bool operator==(const Op&) const = default;
};

/// What a kind is. A switch over groups without a `default` does not compile when a group has no case, and every kind
/// of expression is of one group; a kind whose meaning differs from that of its group has a case before.
enum class Group : std::uint8_t {
  Leaf,        ///< A constant or a name; no operands.
  Arithmetic,  ///< A number of numbers.
  Comparison,  ///< A bool of two values.
  Logic,       ///< A bool of bools.
  Extremum,    ///< One of two scalars.
  Choice,      ///< One of two values, scalars or lists, of which only that one is evaluated.
  Conversion,  ///< The first operand, with another type or a limit.
  ListFact,    ///< A scalar read from the list that is the first operand.
  GraphFact,   ///< A scalar read from the graph that is the first operand.
  GraphList,   ///< A list that is stored in the graph that is the first operand.
  Literal,     ///< A list of its operands.
  SetOp,       ///< A list that is computed from two lists. Under `size` it is counted and not stored.
  Slice,       ///< A part of the first operand without a gap; nothing is stored.
  Reorder,     ///< The items of the first operand at other places.
  Bits,        ///< Sets of positions, kept as bits.
  Statement,
};

/// Traits of kinds, for nodes.def.
namespace trait {
enum : unsigned {
  None = 0,
  MayTrap = 1,        ///< The node itself may trap, its operands apart; `Facts::may_trap` tells of a node.
  Search = 2,         ///< To compute it takes a search in a list or a look-up in a graph,
  Walk = 4,           ///< or a walk over a list.
  PartOfFirst = 8,    ///< Its items are items of the first operand, each as often as there at most;
  OrderOfFirst = 16,  ///< in the same order.
  Lazy = 32           ///< Operands behind the first are evaluated only if they are needed.
};
}  // namespace trait

// The formatter would join an #include to the macro above it.
// clang-format off
constexpr Group group_of(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits) \
  case Kind::Struct:                                                    \
    return Group::group;
#define MATCHA_STMT(Struct, keyword, First, Last) \
  case Kind::Struct:                              \
    return Group::Statement;
#include "ir/nodes.def"
  }
  return Group::Statement;
}

constexpr bool has_trait(Kind kind, unsigned one) {
  using namespace trait;  // NOLINT: nodes.def names them.
  switch (kind) {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits) \
  case Kind::Struct:                                                    \
    return ((Traits) & one) != 0;
#include "ir/nodes.def"
    default:
      return false;
  }
}
// clang-format on

constexpr bool is_constant(Kind kind) {
  return kind == Kind::ConstInt || kind == Kind::ConstFloat || kind == Kind::ConstBool;
}
constexpr bool is_arithmetic(Kind kind) { return group_of(kind) == Group::Arithmetic; }
constexpr bool is_comparison(Kind kind) { return group_of(kind) == Group::Comparison; }
constexpr bool is_set_op(Kind kind) { return group_of(kind) == Group::SetOp; }
constexpr bool is_slice(Kind kind) { return group_of(kind) == Group::Slice; }
constexpr bool may_trap(Kind kind) { return has_trait(kind, trait::MayTrap); }
constexpr bool searches(Kind kind) { return has_trait(kind, trait::Search); }
constexpr bool walks(Kind kind) { return has_trait(kind, trait::Walk); }
constexpr bool is_lazy(Kind kind) { return has_trait(kind, trait::Lazy); }
constexpr bool is_part_of_first(Kind kind) { return has_trait(kind, trait::PartOfFirst); }
/// A set operation that leaves items of its first list out and adds none.
constexpr bool filters_first(Kind kind) { return is_set_op(kind) && is_part_of_first(kind); }
constexpr bool keeps_order_of_first(Kind kind) { return has_trait(kind, trait::OrderOfFirst); }

/// The kinds of group SetOp alone, for switches in which each has a meaning of its own.
enum class SetOp : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits)
#define MATCHA_SET_OP(Struct, keyword, First, Last, Traits) Struct,
#include "ir/nodes.def"
};
/// Of a kind of group SetOp.
SetOp set_op(Kind kind);
/// Of a kind that `filters_first`: true if it keeps the items that the second list has, false if it keeps the others.
bool keeps_found(Kind kind);

/// The word in the text of the intermediate representation: `intersect`, `+`, `for`.
std::string_view keyword(Kind kind);
std::string_view keyword(const Op& op);
bool is_infix(Kind kind);
/// True for a kind whose nodes have a side.
bool has_side(Kind kind);
/// Number of operands, -1 for any; 0 for statements.
int arity(Kind kind);
Stage first_stage(Kind kind);
Stage last_stage(Kind kind);

}  // namespace matcha::ir
