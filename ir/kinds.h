#pragma once

#include <cstdint>
#include <string_view>

/// The kinds of nodes, and all that is told by a kind alone (from nodes.def).
namespace matcha::ir {

/// Loop: structured loops over sets. Kernel: the same, with what a schedule decides.
enum class Stage { Loop, Kernel };

enum class Kind : std::uint8_t {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last) Struct,
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

/// The word in the text of the intermediate representation: `intersect`, `+`, `for`.
std::string_view keyword(Kind kind);
std::string_view keyword(const Op& op);
bool is_infix(Kind kind);
/// True for a kind whose nodes have a side.
bool has_side(Kind kind);
/// A part of its first operand without a gap.
inline bool is_slice(Kind kind) { return kind == Kind::Cut || kind == Kind::Span; }
/// Number of operands, -1 for any; 0 for statements.
int arity(Kind kind);
Stage first_stage(Kind kind);
Stage last_stage(Kind kind);

}  // namespace matcha::ir
