#include "ir/analysis/bits.h"

#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

/// The loop over one list that binds `var`; null if there is none.
const For* loop_of(const Facts& facts, const Var* var) {
  const Stmt* stmt = var != nullptr ? facts.definition(var) : nullptr;
  const For* loop = stmt != nullptr ? as<For>(stmt) : nullptr;
  return loop != nullptr && loop->lists.size() == 1 ? loop : nullptr;
}

/// True if `list` is all of `whole`, which is not a variable, or a slice of it.
bool is_slice(const Facts& facts, const Expr* list, const Expr* whole) {
  for (;;) {
    list = resolve(facts, list);
    if (list == whole) return true;
    if (!ir::is_slice(list->kind)) return false;
    list = list->operands[0];
  }
}

}  // namespace

const Var* rows_of(const Facts& facts, const Expr* bits) {
  if (is_set_op(bits->kind)) {
    const Var* first = rows_of(facts, bits->operands[0]);
    return first == rows_of(facts, bits->operands[1]) ? first : nullptr;
  }
  switch (bits->kind) {
    case Kind::BitRow:
    case Kind::AllBits: return as<Var>(bits->operands[0]);
    case Kind::Cut: return rows_of(facts, bits->operands[0]);
    case Kind::Var: break;
    default: return nullptr;
  }
  const Expr* value = bound_value(facts, bits);
  return value != nullptr ? rows_of(facts, value) : nullptr;
}

const Expr* base_of(const Facts& facts, const Var* rows) {
  const Expr* value = bound_value(facts, rows);
  return value != nullptr && value->kind == Kind::BitRows ? value->operands[1] : nullptr;
}

bool is_prefix(const Facts& facts, const Expr* list, const Expr* whole) {
  const Expr* wanted = resolve(facts, whole);
  for (;;) {
    list = resolve(facts, list);
    if (list == wanted) return true;
    const ConstInt* begin = list->kind == Kind::Span ? as<ConstInt>(list->operands[1]) : nullptr;
    bool from_start = is_below(*list) || (begin != nullptr && begin->value == 0);
    if (!from_start) return false;
    list = list->operands[0];
  }
}

bool is_position(const Facts& facts, const Expr* position, const Var* rows) {
  const Expr* base = base_of(facts, rows);
  if (base == nullptr) return false;
  position = resolve(facts, position);
  if (position->kind == Kind::LowerBound) {
    const For* loop = loop_of(facts, as<Var>(position->operands[1]));
    const Expr* whole = resolve(facts, base);
    return loop != nullptr && loop->vars[0] == position->operands[1] && is_slice(facts, loop->lists[0], whole) &&
           resolve(facts, position->operands[0]) == whole;
  }
  const Var* var = as<Var>(position);
  const For* loop = loop_of(facts, var);
  if (loop == nullptr) return false;
  if (loop->lists[0]->type->bits) return loop->vars[0] == var && rows_of(facts, loop->lists[0]) == rows;
  return loop->maybe_index == var && is_prefix(facts, loop->lists[0], base);
}

bool is_number_of_first(const Facts& facts, const Expr* number, const Var* rows) {
  const Expr* base = base_of(facts, rows);
  number = resolve(facts, number);
  return base != nullptr && number->kind == Kind::LowerBound &&
         resolve(facts, number->operands[0]) == resolve(facts, base);
}

}  // namespace matcha::ir
