#pragma once

#include <cstdint>
#include <string_view>

/// The kinds of nodes, and their properties (from nodes.def).
namespace matcha::ir {

/// Loop: structured loops over sets. Kernel: the same with schedules and planned memory.
enum class Stage { Loop, Kernel };

enum class Kind : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits) Struct,
#define MATCHA_STMT(Struct, keyword, First, Last) Struct,
#include "ir/nodes.def"
};

/// The items of an ascending list that are selected, relative to a vertex or another value.
enum class Side : std::uint8_t { All, Lower, Upper };
inline Side opposite(Side side) {
  return side == Side::Lower ? Side::Upper : side == Side::Upper ? Side::Lower : Side::All;
}

/// The arcs of a vertex that a node reads. Everything that selects arcs, besides operands, is here.
struct Adjacency {
  Side side = Side::All;

  constexpr Adjacency() = default;
  constexpr Adjacency(Side which) : side(which) {}  // NOLINT: a side alone selects arcs.
  bool operator==(const Adjacency&) const = default;
};

/// A kind and its variant, which determine an operator's text and, with its operands, its type. `Cut` has only a side.
struct Op {
  Kind kind;
  Adjacency arcs;

  constexpr Op(Kind which) : kind(which) {}  // NOLINT: most kinds have one variant.
  constexpr Op(Kind which, Adjacency variant) : kind(which), arcs(variant) {}
  bool operator==(const Op&) const = default;
};

/// The group of a kind. A switch over groups without a `default` does not compile if a group has no case, and every
/// kind of expression is in one group. A kind whose meaning differs from that of its group needs a case before it.
enum class Group : std::uint8_t {
  Leaf,        ///< A constant or a name; no operands.
  Arithmetic,  ///< A number from numbers.
  Comparison,  ///< A bool from two values.
  Logic,       ///< A bool from bools.
  Extremum,    ///< One of two scalars.
  Choice,      ///< One of two values, scalars or lists; only that one is evaluated.
  Conversion,  ///< The first operand, with another type or a limit.
  ListFact,    ///< A scalar read from the list that is the first operand.
  GraphFact,   ///< A scalar read from the graph that is the first operand.
  GraphList,   ///< A list that is stored in the graph that is the first operand.
  Literal,     ///< A list of its operands.
  SetOp,       ///< A list computed from two lists. Under `size` it is counted and not stored.
  Slice,       ///< A contiguous part of the first operand; nothing is stored.
  Reorder,     ///< A list that is computed from its operands and is stored where it is read.
  Bits,        ///< Sets of positions, kept as bits.
  Statement,
};

/// Traits of kinds, for nodes.def.
namespace trait {
enum : unsigned {
  None = 0,
  MayTrap = 1,        ///< The node itself may trap, apart from its operands; `Facts::may_trap` decides for a node.
  Search = 2,         ///< Computing it takes a search in a list or a look-up in a graph.
  Walk = 4,           ///< Computing it takes a walk over a list.
  PartOfFirst = 8,    ///< Its items are items of the first operand, each at most as often as there.
  OrderOfFirst = 16,  ///< They have the order of the first operand.
  Lazy = 32           ///< Operands behind the first are evaluated only if needed.
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
/// True for a set operation that removes items of its first list and adds none.
constexpr bool filters_first(Kind kind) { return is_set_op(kind) && is_part_of_first(kind); }
constexpr bool keeps_order_of_first(Kind kind) { return has_trait(kind, trait::OrderOfFirst); }

/// The kinds of group Arithmetic with two operands as a separate enum, for switches with a case for each.
enum class Arithmetic : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits)
#define MATCHA_ARITHMETIC(Struct, keyword, First, Last, Traits) Struct,
#include "ir/nodes.def"
};
/// The operation of a kind of group Arithmetic. Requires: not Neg.
Arithmetic arithmetic_of(Kind kind);

/// The kinds of group Comparison as a separate enum.
enum class Comparison : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits)
#define MATCHA_COMPARISON(Struct, keyword, First, Last, Traits) Struct,
#include "ir/nodes.def"
};
/// The comparison of a kind of group Comparison.
Comparison comparison_of(Kind kind);

/// The kinds of group SetOp as a separate enum.
enum class SetOp : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, group, Traits)
#define MATCHA_SET_OP(Struct, keyword, First, Last, Traits) Struct,
#include "ir/nodes.def"
};
/// The set operation of a kind of group SetOp.
SetOp set_op(Kind kind);
/// For a kind that `filters_first`: true if it keeps the items that are in the second list, false if it keeps the
/// others.
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
