#include "ir/type_rules.h"

#include <fmt/format.h>

#include "ir/check.h"

namespace matcha::ir {

namespace {

/// Checks operand types in turn and keeps the first error.
class Operands {
 public:
  Operands(std::span<const Expr* const> operands, std::string& why) : operands_(operands), why_(why) {}

  bool list(std::size_t i) { return require(i, type(i).is_list(), "a list"); }
  bool set(std::size_t i) { return require(i, type(i).is_set(), "a list of one scalar column"); }
  bool graph(std::size_t i) { return require(i, type(i).is_graph(), "a graph"); }
  bool scalar(std::size_t i, ScalarKind kind) { return require(i, type(i).is_scalar(kind), to_string(kind)); }
  bool number(std::size_t i) {
    return require(i, type(i).is_number() && !type(i).is_scalar(ScalarKind::Vid), "i64, i128 or f64");
  }
  bool same(std::size_t i, const Type* wanted) { return require(i, operands_[i]->type == wanted, to_string(*wanted)); }

  const Type& type(std::size_t i) const { return *operands_[i]->type; }

 private:
  bool require(std::size_t i, bool condition, std::string_view what) {
    if (!condition && why_.empty()) {
      why_ = fmt::format("operand {} has type `{}`, not {}", i + 1, to_string(type(i)), what);
    }
    return condition;
  }

  std::span<const Expr* const> operands_;
  std::string& why_;
};

const Type* arithmetic(Operands& check, std::span<const Expr* const> operands, bool vid_allowed) {
  const Type* type = operands[0]->type;
  if (!(vid_allowed && type->is_scalar(ScalarKind::Vid)) && !check.number(0)) return nullptr;
  return check.same(1, type) ? type : nullptr;
}

const Type* comparison(Context& context, Operands& check, std::span<const Expr* const> operands, bool equality) {
  const Type* type = operands[0]->type;
  bool ordered = type->is_number();
  if (!ordered && !(equality && type->is_scalar(ScalarKind::Bool)) && !check.number(0)) return nullptr;
  return check.same(1, type) ? context.boolean() : nullptr;
}

bool convertible(const Type& from, const Type& to) {
  if (!from.is_scalar() || !to.is_scalar()) return false;
  switch (from.scalar) {
    case ScalarKind::Bool: return to.scalar == ScalarKind::I64;
    case ScalarKind::Vid: return to.scalar == ScalarKind::I64;
    case ScalarKind::I64:
      return to.scalar == ScalarKind::Vid || to.scalar == ScalarKind::I128 || to.scalar == ScalarKind::F64;
    case ScalarKind::I128: return to.scalar == ScalarKind::I64 || to.scalar == ScalarKind::F64;
    case ScalarKind::F64: return false;
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

const Type* literal_type(std::span<const Expr* const> operands, const Type* wanted, std::string& why) {
  if (wanted == nullptr || !wanted->is_list() || wanted->columns.empty()) {
    why = "a literal list needs its type";
    return nullptr;
  }
  if (operands.size() % wanted->columns.size() != 0) {
    why = fmt::format("{} items do not fill rows of {} columns", operands.size(), wanted->columns.size());
    return nullptr;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Type* column = wanted->columns[i % wanted->columns.size()];
    if (operands[i]->type != column) {
      why = fmt::format("item {} has type `{}`, not `{}`", i + 1, to_string(*operands[i]->type), to_string(*column));
      return nullptr;
    }
  }
  return wanted;
}

const Type* list_rule(Context& context, Kind kind, std::span<const Expr* const> operands, Operands& check,
                      std::string& why) {
  const Type* first = operands[0]->type;
  if (is_set_op(kind)) return check.set(0) && check.same(1, first) ? first : nullptr;
  switch (kind) {
    case Kind::Cut: return check.set(0) && check.same(1, first->columns[0]) ? first : nullptr;
    case Kind::Span:
      return check.list(0) && check.scalar(1, ScalarKind::I64) && check.scalar(2, ScalarKind::I64) ? first : nullptr;
    case Kind::Sorted:
      if (!check.list(0)) return nullptr;
      if (first->bits) return first;  // The verifier refuses it.
      if (first->is_flat_list()) return context.list(first->columns);
      why = "`sorted` takes rows of scalars";
      return nullptr;
    case Kind::Sequence:
      return check.scalar(0, ScalarKind::I64) && check.scalar(1, ScalarKind::I64) ? context.list(context.i64())
                                                                                  : nullptr;
    case Kind::Flatten:
      if (!check.list(0)) return nullptr;
      if (first->columns.size() == 1 && first->columns[0]->is_list()) return first->columns[0];
      why = fmt::format("operand 1 has type `{}`, not a list of lists", to_string(*first));
      return nullptr;
    case Kind::Vertices: return check.graph(0) ? context.list(context.vid()) : nullptr;
    case Kind::Edges: {
      const Type* columns[] = {context.vid(), context.vid()};
      return check.graph(0) ? context.list(columns) : nullptr;
    }
    case Kind::Neighbors:
      return check.graph(0) && check.scalar(1, ScalarKind::Vid) ? context.list(context.vid()) : nullptr;
    default: MATCHA_UNREACHABLE("a kind that makes a list");
  }
}

const Type* bits_rule(Context& context, Kind kind, Operands& check) {
  if (kind == Kind::BitRow) {
    return check.same(0, context.list(context.bits())) && check.scalar(1, ScalarKind::I64) ? context.bits() : nullptr;
  }
  if (kind == Kind::AllBits) return check.same(0, context.list(context.bits())) ? context.bits() : nullptr;
  return check.graph(0) && check.same(1, context.list(context.vid())) ? context.list(context.bits()) : nullptr;
}

const Type* fact_rule(Context& context, Kind kind, std::span<const Expr* const> operands, Operands& check) {
  switch (kind) {
    case Kind::Size: return check.list(0) ? context.i64() : nullptr;
    case Kind::Contains:
      return check.set(0) && check.same(1, operands[0]->type->columns[0]) ? context.boolean() : nullptr;
    case Kind::LowerBound:
      return check.set(0) && check.same(1, operands[0]->type->columns[0]) ? context.i64() : nullptr;
    case Kind::FindRow: {
      if (operands.empty() || operands.size() != 1 + operands[0]->type->keys || !operands[0]->type->is_table())
        return nullptr;
      const Type& table = *operands[0]->type;
      for (std::size_t i = 0; i < table.keys; ++i) {
        if (!check.same(i + 1, table.columns[i])) return nullptr;
      }
      return context.i64();
    }
    case Kind::Label: return check.graph(0) && check.scalar(1, ScalarKind::Vid) ? context.i64() : nullptr;
    case Kind::HasEdge:
      return check.graph(0) && check.scalar(1, ScalarKind::Vid) && check.scalar(2, ScalarKind::Vid) ? context.boolean()
                                                                                                    : nullptr;
    case Kind::MaxDegree: return check.graph(0) ? context.i64() : nullptr;
    case Kind::CommonNeighbors:
      return check.graph(0) && check.same(1, context.list(context.vid())) && check.scalar(2, ScalarKind::Vid) &&
                     check.scalar(3, ScalarKind::I64) && check.scalar(4, ScalarKind::I64)
                 ? context.i64()
                 : nullptr;
    default: MATCHA_UNREACHABLE("a kind that tells a fact");
  }
}

/// A node has a side only if its kind has sides; a cut and a count of common neighbours never have the side `All`.
bool fits_side(const Op& op) {
  if (op.arcs.side != Side::All) return has_side(op.kind);
  return op.kind != Kind::Cut && op.kind != Kind::CommonNeighbors;
}

const Type* wanted_rule(Kind kind, std::span<const Expr* const> operands, const Type* wanted, Operands& check,
                        std::string& why) {
  if (kind == Kind::Literal) return literal_type(operands, wanted, why);
  if (wanted == nullptr) {
    why = fmt::format("`{}` needs its result type", keyword(kind));
    return nullptr;
  }
  if (kind == Kind::Convert) {
    if (convertible(*operands[0]->type, *wanted)) return wanted;
    why = fmt::format("`{}` cannot become `{}`", to_string(*operands[0]->type), to_string(*wanted));
    return nullptr;
  }
  if (!check.graph(0) || !check.scalar(1, ScalarKind::Vid)) return nullptr;
  if (wanted->is_set()) return wanted;
  why = fmt::format("edge information is a list of scalars, not `{}`", to_string(*wanted));
  return nullptr;
}

}  // namespace

const Type* table_of(Context& context, Fold fold, const Type* list, std::uint32_t keys, std::string& why) {
  if (!list->is_flat_list() || keys == 0 || keys >= list->columns.size()) {
    why = fmt::format("a table of {} keys cannot be made of `{}`", keys, to_string(*list));
    return nullptr;
  }
  for (std::size_t i = 0; i < list->columns.size(); ++i) {
    const ScalarKind kind = list->columns[i]->scalar;
    const bool added = i >= keys && fold == Fold::Sum;
    const bool fits = i < keys ? kind != ScalarKind::F64 : !added || kind == ScalarKind::I64 || kind == ScalarKind::F64;
    if (fits) continue;
    why = fmt::format("column {} of `{}` cannot be {}", i, to_string(*list), i < keys ? "a key" : "added");
    return nullptr;
  }
  return context.table(list->columns, keys);
}

const Type* common_number(Context& context, const Type* a, const Type* b) {
  if (!a->is_number() || !b->is_number()) return nullptr;
  if (a->scalar == ScalarKind::F64 || b->scalar == ScalarKind::F64) return context.f64();
  if (a->scalar == ScalarKind::I128 || b->scalar == ScalarKind::I128) return context.i128();
  return context.i64();
}

const Type* result_type(Context& context, Op op, std::span<const Expr* const> operands, const Type* wanted,
                        std::string& why) {
  const Kind kind = op.kind;
  if (!fits_side(op)) {
    why = fmt::format("`{}` {} a side", keyword(kind), op.arcs.side == Side::All ? "needs" : "takes no");
    return nullptr;
  }
  int count = arity(kind);
  if (count >= 0 && operands.size() != static_cast<std::size_t>(count)) {
    why = fmt::format("`{}` takes {} operands, not {}", keyword(op), count, operands.size());
    return nullptr;
  }
  Operands check(operands, why);
  switch (group_of(kind)) {
    case Group::Arithmetic:
      if (kind == Kind::Neg) return check.number(0) ? operands[0]->type : nullptr;
      return arithmetic(check, operands, false);
    case Group::Extremum: return arithmetic(check, operands, true);
    case Group::Comparison: return comparison(context, check, operands, kind == Kind::Eq || kind == Kind::Ne);
    case Group::Logic:
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!check.scalar(i, ScalarKind::Bool)) return nullptr;
      }
      return context.boolean();
    case Group::Choice:
      return check.scalar(0, ScalarKind::Bool) && check.same(2, operands[1]->type) ? operands[1]->type : nullptr;
    case Group::Conversion:
      if (kind == Kind::Convert) return wanted_rule(kind, operands, wanted, check, why);
      if (kind == Kind::Log || kind == Kind::Sqrt) return check.scalar(0, ScalarKind::F64) ? context.f64() : nullptr;
      return check.scalar(0, ScalarKind::I64) && check.scalar(1, ScalarKind::I64) ? context.i64() : nullptr;
    case Group::Literal: return wanted_rule(kind, operands, wanted, check, why);
    case Group::ListFact:
      if (kind == Kind::At) break;
      return fact_rule(context, kind, operands, check);
    case Group::GraphFact: return fact_rule(context, kind, operands, check);
    case Group::GraphList:
      if (kind == Kind::EdgeInfo) return wanted_rule(kind, operands, wanted, check, why);
      return list_rule(context, kind, operands, check, why);
    case Group::SetOp:
    case Group::Slice:
    case Group::Reorder: return list_rule(context, kind, operands, check, why);
    case Group::Bits: return bits_rule(context, kind, check);
    case Group::Leaf:
    case Group::Statement: break;
  }
  why = fmt::format("`{}` is not an operator", keyword(kind));
  return nullptr;
}

}  // namespace matcha::ir
