#include "ir/builder.h"

#include <algorithm>
#include <optional>

#include "ir/check.h"
#include "ir/match.h"
#include "ir/type_rules.h"

namespace matcha::ir {

namespace {

/// The value; empty if the operation would trap.
std::optional<std::int64_t> fold_int(Arithmetic operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Arithmetic::Add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Arithmetic::Sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Arithmetic::Mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Arithmetic::Div: return b == 0 || (a == INT64_MIN && b == -1) ? std::nullopt : std::optional(a / b);
    case Arithmetic::Mod: return b == 0 ? std::nullopt : std::optional(b == -1 ? 0 : a % b);
  }
  MATCHA_UNREACHABLE("an arithmetic operation");
}

bool fold_comparison(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::Eq: return a == b;
    case Comparison::Ne: return a != b;
    case Comparison::Lt: return a < b;
    case Comparison::Le: return a <= b;
  }
  MATCHA_UNREACHABLE("a comparison");
}

bool is_int(const Expr* expr, std::int64_t value) {
  const ConstInt* constant = as<ConstInt>(expr);
  return constant != nullptr && constant->value == value;
}

const Expr* bool_constant(const Expr* expr, bool value) {
  const ConstBool* constant = as<ConstBool>(expr);
  return constant != nullptr && constant->value == value ? expr : nullptr;
}

}  // namespace

template <typename T>
const Expr* Builder::intern(const T& node) {
  const auto found = context_.exprs_.find(&node);
  if (found != context_.exprs_.end()) return *found;
  T* made = context_.arena_.make<T>(node);
  made->operands = context_.arena_.copy(node.operands);
  context_.exprs_.insert(made);
  return made;
}

const Var* Builder::var(const Type* type, std::string_view hint) {
  return context_.arena_.make<Var>(Expr{{Kind::Var, loc_}, type, {}}, context_.next_var_++, context_.arena_.copy(hint));
}

const Expr* Builder::integer(std::int64_t value) {
  return intern(ConstInt{{{Kind::ConstInt, loc_}, context_.i64(), {}}, value});
}

const Expr* Builder::real(double value) {
  return intern(ConstFloat{{{Kind::ConstFloat, loc_}, context_.f64(), {}}, value});
}

const Expr* Builder::boolean(bool value) {
  return intern(ConstBool{{{Kind::ConstBool, loc_}, context_.boolean(), {}}, value});
}

const Expr* Builder::label_name(std::string_view word) {
  return intern(LabelName{{{Kind::LabelName, loc_}, context_.i64(), {}}, context_.arena_.copy(word)});
}

template <typename T>
const Expr* Builder::intern_as([[maybe_unused]] Op op, const Expr& plain) {
  if constexpr (Plain<T>) {
    return intern(plain);
  } else if constexpr (OneOf<T, Neighbors, BitRows, CommonNeighbors>) {
    return intern(T{plain, op.arcs});
  } else if constexpr (OneOf<T, Cut>) {
    return intern(T{plain, op.arcs.side});
  } else {
    static_assert(OneOf<T, Var, ConstInt, ConstFloat, ConstBool, LabelName, At, Keyed>,
                  "a payload that is not in `Op`");
    MATCHA_UNREACHABLE("a node that another function of `Builder` makes");
  }
}

// The formatter would join an #include to the macro above it.
// clang-format off
const Expr* Builder::intern_op(Op op, const Type* type, std::span<const Expr* const> operands) {
  const Expr plain{{op.kind, loc_}, type, operands};
  switch (op.kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) \
  case Kind::Struct:                                                 \
    return intern_as<Struct>(op, plain);
#include "ir/nodes.def"
    default:
      MATCHA_UNREACHABLE("a statement kind of an expression");
  }
}
// clang-format on

const Expr* Builder::make(Op op, std::span<const Expr* const> operands, const Type* wanted) {
  const Kind kind = op.kind;
  std::vector<const Expr*> converted(operands.begin(), operands.end());
  bool vids = converted.size() == 2 && converted[0]->type == context_.vid() && converted[1]->type == context_.vid();
  bool keeps_vids = is_comparison(kind) || kind == Kind::Min || kind == Kind::Max;
  bool two_numbers = (is_arithmetic(kind) && kind != Kind::Neg) || keeps_vids;
  if (two_numbers && converted.size() == 2 && !(keeps_vids && vids)) {
    const Type* common = common_number(context_, converted[0]->type, converted[1]->type);
    if (common != nullptr) {
      converted[0] = convert(converted[0], common);
      converted[1] = convert(converted[1], common);
    }
  }
  if (kind == Kind::Neg && converted.size() == 1) {
    const Type* common = common_number(context_, converted[0]->type, converted[0]->type);
    if (common != nullptr) converted[0] = convert(converted[0], common);
  }
  if (kind == Kind::Convert) return convert(converted[0], wanted);
  if (const Expr* folded = fold(kind, converted)) return folded;
  if (const Expr* simple = simplify(kind, converted)) return simple;
  std::string why;
  const Type* type = result_type(context_, op, converted, wanted, why);
  MATCHA_CHECK(type != nullptr, std::string(keyword(op)) + ": " + why);
  return intern_op(op, type, converted);
}

const Expr* Builder::fold(Kind kind, std::span<const Expr* const> operands) {
  if (operands.size() == 1 && kind == Kind::Neg) {
    if (const ConstInt* a = as<ConstInt>(operands[0]); a != nullptr && a->value != INT64_MIN) return integer(-a->value);
    if (const ConstFloat* a = as<ConstFloat>(operands[0])) return real(-a->value);
  }
  if (operands.size() == 1 && kind == Kind::Not) {
    if (const ConstBool* a = as<ConstBool>(operands[0])) return boolean(!a->value);
    if (operands[0]->kind == Kind::Not) return operands[0]->operands[0];
  }
  if (operands.size() != 2) return nullptr;
  const ConstInt* a = as<ConstInt>(operands[0]);
  const ConstInt* b = as<ConstInt>(operands[1]);
  if (a == nullptr || b == nullptr) return nullptr;
  if (is_comparison(kind)) return boolean(fold_comparison(comparison_of(kind), a->value, b->value));
  if (kind == Kind::Min || kind == Kind::Max) return (a->value < b->value) == (kind == Kind::Min) ? a : b;
  if (!is_arithmetic(kind)) return nullptr;
  const std::optional<std::int64_t> value = fold_int(arithmetic_of(kind), a->value, b->value);
  return value ? integer(*value) : nullptr;
}

const Expr* Builder::simplify(Kind kind, std::span<const Expr* const> operands) {
  switch (kind) {
    case Kind::And:
      if (bool_constant(operands[0], false) != nullptr) return operands[0];
      if (bool_constant(operands[0], true) != nullptr) return operands[1];
      return bool_constant(operands[1], true) != nullptr ? operands[0] : nullptr;
    case Kind::Or:
      if (bool_constant(operands[0], true) != nullptr) return operands[0];
      if (bool_constant(operands[0], false) != nullptr) return operands[1];
      return bool_constant(operands[1], false) != nullptr ? operands[0] : nullptr;
    case Kind::Add:
      if (is_int(operands[0], 0)) return operands[1];
      return is_int(operands[1], 0) ? operands[0] : nullptr;
    case Kind::Sub: return is_int(operands[1], 0) ? operands[0] : nullptr;
    case Kind::Mul:
      if (is_int(operands[0], 1)) return operands[1];
      return is_int(operands[1], 1) ? operands[0] : nullptr;
    case Kind::Select:
      if (const ConstBool* cond = as<ConstBool>(operands[0])) return operands[cond->value ? 1 : 2];
      // A condition that is skipped cannot trap; reading a bool variable never does.
      return operands[1] == operands[2] && operands[0]->kind == Kind::Var ? operands[1] : nullptr;
    case Kind::Size:
      if (operands[0]->kind == Kind::Literal && std::all_of(operands[0]->operands.begin(), operands[0]->operands.end(),
                                                            [](const Expr* item) { return is_constant(item->kind); })) {
        return integer(static_cast<std::int64_t>(operands[0]->operands.size() / operands[0]->type->columns.size()));
      }
      return nullptr;
    default: return nullptr;
  }
}

const Expr* Builder::at(const Expr* list, const Expr* index, std::uint32_t column) {
  MATCHA_CHECK(list->type->is_list() && column < list->type->columns.size(), "at: a column of a list");
  MATCHA_CHECK(index->type == context_.i64(), "at: an i64 position");
  const Expr* operands[] = {list, index};
  return intern(At{{{Kind::At, loc_}, list->type->columns[column], operands}, column});
}

const Expr* Builder::keyed(Fold fold, const Expr* list, std::uint32_t keys) {
  std::string why;
  const Type* type = table_of(context_, fold, list->type, keys, why);
  MATCHA_CHECK(type != nullptr, "keyed: " + why);
  return intern(Keyed{{{Kind::Keyed, loc_}, type, std::span<const Expr* const>(&list, 1)}, fold});
}

const Expr* Builder::convert(const Expr* value, const Type* to) {
  const Type* from = value->type;
  if (from == to) return value;
  bool through_i64 = ((from == context_.vid() || from == context_.boolean()) && to != context_.i64()) ||
                     (from == context_.i128() && to == context_.vid());
  if (through_i64) return convert(convert(value, context_.i64()), to);
  if (const ConstInt* constant = as<ConstInt>(value); constant != nullptr && to == context_.f64()) {
    return real(static_cast<double>(constant->value));
  }
  const Expr* operands[] = {value};
  std::string why;
  const Type* type = result_type(context_, Kind::Convert, operands, to, why);
  MATCHA_CHECK(type != nullptr, "convert: " + why);
  return intern(Expr{{Kind::Convert, loc_}, type, operands});
}

const Expr* Builder::literal(const Type* list_type, std::span<const Expr* const> items) {
  return make(Kind::Literal, items, list_type);
}

const Expr* Builder::with_operands(const Expr* expr, std::span<const Expr* const> operands) {
  if (std::equal(operands.begin(), operands.end(), expr->operands.begin(), expr->operands.end())) return expr;
  SourceLoc saved = loc_;
  loc_ = expr->loc;
  const At* item = as<At>(expr);
  const Keyed* table = as<Keyed>(expr);
  const Expr* made = item != nullptr    ? at(operands[0], operands[1], item->column)
                     : table != nullptr ? keyed(table->fold, operands[0], table->type->keys)
                                        : make(op_of(*expr), operands, expr->type);
  loc_ = saved;
  return made;
}

const Block* Builder::block(std::span<const Stmt* const> body) {
  return context_.arena_.make<Block>(Stmt{{Kind::Block, loc_}}, context_.arena_.copy(body));
}

const Let* Builder::let(const Var* var, const Expr* value) {
  MATCHA_CHECK(var->type == value->type, "let: the type of the value");
  return context_.arena_.make<Let>(Stmt{{Kind::Let, loc_}}, var, value);
}

const For* Builder::loop(std::span<const Var* const> vars, std::span<const Expr* const> lists, const Var* maybe_index,
                         const Block* body, LaneMode mode) {
  return context_.arena_.make<For>(Stmt{{Kind::For, loc_}}, context_.arena_.copy(vars), context_.arena_.copy(lists),
                                   maybe_index, body, mode);
}

const If* Builder::branch(const Expr* cond, const Block* then_body, const Block* maybe_else) {
  MATCHA_CHECK(cond->type == context_.boolean(), "if: a bool");
  return context_.arena_.make<If>(Stmt{{Kind::If, loc_}}, cond, then_body, maybe_else);
}

const Collect* Builder::collect(std::span<const Sink> sinks, const Block* body) {
  return context_.arena_.make<Collect>(Stmt{{Kind::Collect, loc_}}, context_.arena_.copy(sinks), body);
}

const Yield* Builder::yield(const Var* sink, std::span<const Expr* const> values, bool batched) {
  return context_.arena_.make<Yield>(Stmt{{Kind::Yield, loc_}}, sink, context_.arena_.copy(values), batched);
}

const BuildGraph* Builder::build_graph(const Var* var, const Expr* edges, const Expr* maybe_labels,
                                       const Expr* maybe_info, GraphIndex index, RowOrder order) {
  return context_.arena_.make<BuildGraph>(Stmt{{Kind::BuildGraph, loc_}}, var, edges, maybe_labels, maybe_info, index,
                                          order);
}

const Repeat* Builder::repeat(std::span<const Var* const> vars, std::span<const Expr* const> starts,
                              const Expr* times) {
  return context_.arena_.make<Repeat>(Stmt{{Kind::Repeat, loc_}}, context_.arena_.copy(vars),
                                      context_.arena_.copy(starts), times);
}

const Again* Builder::again(std::span<const Var* const> vars, std::span<const Expr* const> values, bool until_equal) {
  return context_.arena_.make<Again>(Stmt{{Kind::Again, loc_}}, context_.arena_.copy(vars),
                                     context_.arena_.copy(values), until_equal);
}

const Return* Builder::ret(std::span<const Expr* const> values) {
  return context_.arena_.make<Return>(Stmt{{Kind::Return, loc_}}, context_.arena_.copy(values));
}

const Region* Builder::region(const Schedule& schedule, std::span<const Buffer> buffers, const Collect* collect) {
  return context_.arena_.make<Region>(Stmt{{Kind::Region, loc_}}, schedule, context_.arena_.copy(buffers), collect);
}

const Store* Builder::store(const Var* var, const Var* buffer, const Expr* value) {
  MATCHA_CHECK(var->type == value->type, "store: the type of the value");
  return context_.arena_.make<Store>(Stmt{{Kind::Store, loc_}}, var, buffer, value);
}

Module Builder::assume(const Module& module, const Assumption& assumption) {
  if (assumes(module, assumption)) return module;
  std::vector<Assumption> all(module.assumptions.begin(), module.assumptions.end());
  std::erase_if(all, [&](const Assumption& a) { return a.kind == assumption.kind && a.var == assumption.var; });
  all.push_back(assumption);
  Module result = module;
  result.assumptions = context_.arena_.copy(std::span<const Assumption>(all));
  return result;
}

Module Builder::module(Stage stage, std::string_view name, std::span<const Var* const> params, const Block* body) {
  return Module{stage, context_.arena_.copy(name), context_.arena_.copy(params), body, {}};
}

}  // namespace matcha::ir
