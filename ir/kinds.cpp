#include "ir/kinds.h"

#include "ir/check.h"

namespace matcha::ir {

// The formatter would join an #include to the macro above it.
// clang-format off
std::string_view keyword(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                  \
    return word;
#define MATCHA_STMT(Struct, word, First, Last) \
  case Kind::Struct:                           \
    return word;
#include "ir/nodes.def"
  }
  MATCHA_UNREACHABLE("a kind");
}

std::string_view keyword(const Op& op) {
  switch (op.kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_SIDED(Struct, all, lower, upper, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                                \
    return op.arcs.side == Side::Lower ? lower : op.arcs.side == Side::Upper ? upper : all;
#include "ir/nodes.def"
    default:
      return keyword(op.kind);
  }
}

bool has_side(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_SIDED(Struct, all, lower, upper, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                                \
    return true;
#include "ir/nodes.def"
    default:
      return false;
  }
}

bool is_infix(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_INFIX(Struct, word, First, Last, Group, Traits) \
  case Kind::Struct:                            \
    return true;
#include "ir/nodes.def"
    default:
      return false;
  }
}

Arithmetic arithmetic_of(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_ARITHMETIC(Struct, word, First, Last, Traits) \
  case Kind::Struct:                                         \
    return Arithmetic::Struct;
#include "ir/nodes.def"
    default:
      MATCHA_UNREACHABLE("a kind of group Arithmetic with two operands");
  }
}

Comparison comparison_of(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_COMPARISON(Struct, word, First, Last, Traits) \
  case Kind::Struct:                                         \
    return Comparison::Struct;
#include "ir/nodes.def"
    default:
      MATCHA_UNREACHABLE("a kind of group Comparison");
  }
}

SetOp set_op(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_SET_OP(Struct, word, First, Last, Traits) \
  case Kind::Struct:                                     \
    return SetOp::Struct;
#include "ir/nodes.def"
    default:
      MATCHA_UNREACHABLE("a kind of group SetOp");
  }
}

bool keeps_found(Kind kind) {
  switch (set_op(kind)) {
    case SetOp::Intersect: return true;
    case SetOp::Diff: return false;
  }
  MATCHA_UNREACHABLE("a set operation");
}

int arity(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                  \
    return arity;
#include "ir/nodes.def"
    default:
      return 0;
  }
}

Stage first_stage(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                  \
    return Stage::First;
#define MATCHA_STMT(Struct, word, First, Last) \
  case Kind::Struct:                           \
    return Stage::First;
#include "ir/nodes.def"
  }
  MATCHA_UNREACHABLE("a kind");
}

Stage last_stage(Kind kind) {
  switch (kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                  \
    return Stage::Last;
#define MATCHA_STMT(Struct, word, First, Last) \
  case Kind::Struct:                           \
    return Stage::Last;
#include "ir/nodes.def"
  }
  MATCHA_UNREACHABLE("a kind");
}
// clang-format on

}  // namespace matcha::ir
