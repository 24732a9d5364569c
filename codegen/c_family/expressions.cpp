#include "codegen/c_family/expressions.h"

#include <fmt/format.h>

#include <cmath>

#include "codegen/host/host_plan.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;
using ir::ScalarKind;

namespace {

/// With its type: a plain literal is an `int`, and so would be its sums and the types that are deduced from it.
std::string integer(std::int64_t value) {
  if (value == INT64_MIN) return "(-9223372036854775807ll - 1)";
  return fmt::format("{}ll", value);
}

std::string real(double value) {
  if (std::isnan(value)) return "not_a_number()";
  if (std::isinf(value)) return value < 0 ? "-infinity()" : "infinity()";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string place(const ir::Expr* expr) { return fmt::format("{}, {}", expr->loc.line, expr->loc.column); }

}  // namespace

std::string Expressions::type(const ir::Type* t) {
  if (t->is_graph()) return "Graph";
  if (t->is_list()) {
    std::string columns;
    for (const ir::Type* column : t->columns) columns += (columns.empty() ? "" : ", ") + type(column);
    return "List<" + columns + ">";
  }
  switch (t->scalar) {
    case ScalarKind::Bool: return "bool";
    case ScalarKind::Vid: return "u32";
    case ScalarKind::I64: return "i64";
    case ScalarKind::I128: return "i128";
    case ScalarKind::F64: return "f64";
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

std::string Expressions::text(const ir::Expr* expr, Precedence place) {
  Printed printed = print(expr);
  return printed.precedence < place ? "(" + printed.text + ")" : printed.text;
}

Expressions::Printed Expressions::infix(const ir::Expr* expr, std::string_view op, Precedence precedence) {
  Precedence right = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  return {fmt::format("{} {} {}", text(expr->operands[0], precedence), op, text(expr->operands[1], right)), precedence};
}

Expressions::Printed Expressions::arithmetic(const ir::Expr* expr, std::string_view op, std::string_view checked,
                                             Precedence precedence) {
  if (expr->type->is_scalar(ScalarKind::F64)) {
    // A compiler must not join it with an addition: results would depend on it.
    if (expr->kind == Kind::Mul) return {call("product", expr), Precedence::Primary};
    return infix(expr, op, precedence);
  }
  if (!facts_.may_trap(expr)) return infix(expr, op, precedence);
  return {checked_call(checked, expr), Precedence::Primary};
}

Expressions::Printed Expressions::division(const ir::Expr* expr) {
  bool remainder = expr->kind == Kind::Mod;
  const ir::ConstInt* divisor = ir::as<ir::ConstInt>(expr->operands[1]);
  if (divisor != nullptr && divisor->value != 0 && divisor->value != -1) {
    return infix(expr, remainder ? "%" : "/", Precedence::Multiplicative);
  }
  return {checked_call(remainder ? "remainder" : "quotient", expr), Precedence::Primary};
}

Expressions::Printed Expressions::convert(const ir::Expr* expr) {
  const ir::Expr* from = expr->operands[0];
  if (expr->type->is_scalar(ScalarKind::Vid)) return {worker_call("vertex", expr), Precedence::Primary};
  if (from->type->is_scalar(ScalarKind::Vid))
    return {fmt::format("w.original_id({})", text(from)), Precedence::Primary};
  if (expr->type->is_scalar(ScalarKind::I64) && from->type->is_scalar(ScalarKind::I128)) {
    return {worker_call("narrow", expr), Precedence::Primary};
  }
  return {fmt::format("{}({})", type(expr->type), text(from)), Precedence::Primary};
}

std::string Expressions::call(std::string_view function, const ir::Expr* expr) {
  std::string arguments;
  for (const ir::Expr* operand : expr->operands) arguments += (arguments.empty() ? "" : ", ") + text(operand);
  return fmt::format("{}({})", function, arguments);
}

std::string Expressions::checked_call(std::string_view function, const ir::Expr* expr) {
  bool wide = expr->type->is_scalar(ScalarKind::I128);
  return worker_call(wide ? fmt::format("wide_{}", function) : std::string(function), expr);
}

std::string Expressions::worker_call(std::string_view function, const ir::Expr* expr) {
  std::string arguments;
  for (const ir::Expr* operand : expr->operands) arguments += text(operand) + ", ";
  return fmt::format("w.{}({}{})", function, arguments, place(expr));
}

std::string Expressions::literal(const ir::Expr* expr) {
  std::size_t columns = expr->type->columns.size();
  std::size_t rows = expr->operands.size() / columns;
  std::string items;
  for (std::size_t column = columns; column-- > 0;) {
    std::string column_items;
    for (std::size_t row = 0; row < rows; ++row) {
      column_items += (row == 0 ? "" : ", ") + text(expr->operands[row * columns + column]);
    }
    items = fmt::format("{{{{{}}}{}}}", column_items, items.empty() ? "" : ", " + items);
  }
  std::string types = type(expr->type);
  return fmt::format("Literal<{}, {}>{}", rows, types.substr(5, types.size() - 6), items);
}

std::pair<std::string, std::string> Expressions::lists(const ir::Expr* set) {
  const ir::Expr* a = set->operands[0];
  const ir::Expr* b = set->operands[1];
  const auto beside = [&](const ir::Expr* cut, const ir::Expr* other) -> std::string {
    const bool both = ir::is_below(*cut) && other->kind == Kind::Var && ir::all_below(facts_, other, cut->operands[1]);
    if (!both) return text(cut);
    return fmt::format("{}cut_beside({}, {}, {})", in_lanes_ ? "" : "w.", text(other), text(cut->operands[0]),
                       text(cut->operands[1]));
  };
  // Every common item is below the bounds of both lists, so cutting one of them is enough.
  return {set->kind == Kind::Intersect ? beside(a, b) : text(a), beside(b, a)};
}

std::string Expressions::set_operation(const ir::Expr* expr, std::string_view into) {
  return set_call(expr, into.empty() ? "count" : "", into);
}

std::string Expressions::share(const ir::Expr* expr) {
  if (!expr->type->bits) return set_call(expr, "share", "");
  return fmt::format("{}({})", in_lanes_ ? "count_bits" : "w.share_bits", text(expr));
}

std::string Expressions::set_call(const ir::Expr* expr, std::string_view prefix, std::string_view into) {
  if (expr->type->bits) return fmt::format("w.store_bits({}, {})", text(expr), into);
  if (expr->type->is_bit_rows()) {
    return fmt::format("w.{}({}, {}, {})", ir::keyword(*expr), text(expr->operands[0]), text(expr->operands[1]), into);
  }
  const std::size_t width = expr->type->columns.size();
  if (const ir::Keyed* table = ir::as<ir::Keyed>(expr)) {
    return fmt::format("keyed<{}, {}, {}>(w, {}, {}, {})", static_cast<unsigned>(host::row_fold(table->fold)),
                       expr->type->keys, width, text(expr->operands[0]), into, place(expr));
  }
  if (expr->kind == Kind::Sorted)
    return fmt::format("sorted<{}>(w, {}, {}, {})", width, text(expr->operands[0]), into, place(expr));
  if (expr->kind == Kind::Sequence)
    return fmt::format("range(w, {}, {}, {}, {})", text(expr->operands[0]), text(expr->operands[1]), into, place(expr));
  if (!ir::walks(expr->kind)) return fmt::format("w.copy({}, {})", text(expr), into);
  const std::string_view verb = ir::keyword(*expr);
  std::string name = into.empty() ? fmt::format("{}_{}", prefix, verb) : std::string(verb);
  const ir::ListFacts first = facts_.list(expr->operands[0]);
  const ir::ListFacts second = facts_.list(expr->operands[1]);
  bool of_vertices = expr->kind == Kind::Intersect && expr->operands[0]->kind == Kind::Vertices && second.ascending;
  if (!(first.ascending && first.unique && second.unique))
    name += of_vertices && !into.empty() ? "_distinct" : "_repeats";
  const auto [a, b] = lists(expr);
  const std::string arguments = fmt::format("{}, {}", a, b);
  return into.empty() ? fmt::format("w.{}({})", name, arguments) : fmt::format("w.{}({}, {})", name, arguments, into);
}

Expressions::Printed Expressions::size(const ir::Expr* expr) {
  const ir::Expr* list = expr->operands[0];
  if (list->type->bits) return {call(in_lanes_ ? "count_bits" : "w.size_of_bits", expr), Precedence::Primary};
  if (ir::is_set_op(list->kind)) return {set_operation(list, ""), Precedence::Primary};
  return {fmt::format("i64({}.size)", text(list, Precedence::Primary)), Precedence::Primary};
}

/// A bit set that is computed where it is read.
Expressions::Printed Expressions::bits(const ir::Expr* expr) {
  const auto name = [&]() -> std::string_view {
    if (expr->kind == Kind::Cut) return ir::is_below(*expr) ? "bits_below" : "bits_above";
    if (!ir::is_set_op(expr->kind)) return ir::keyword(*expr);
    switch (ir::set_op(expr->kind)) {
      case ir::SetOp::Intersect: return "common_bits";
      case ir::SetOp::Diff: return "other_bits";
    }
    MATCHA_UNREACHABLE("a set operation");
  };
  return {call(name(), expr), Precedence::Primary};
}

Expressions::Printed Expressions::variable(const ir::Var& var) {
  const bool framed = in_region_ && facts_.top_level(&var);
  const std::string name = (framed ? "f." : "") + names_.of(&var);
  return {facts_.may_be_empty(&var) ? fmt::format("w.best({}, {})", name, place(&var)) : name, Precedence::Primary};
}

Expressions::Printed Expressions::print(const ir::Expr* expr) {
  if (const auto name = replaced_.find(expr); name != replaced_.end()) return {name->second, Precedence::Primary};
  if (expr->type->bits && expr->kind != Kind::Var) return bits(expr);
  const auto primary = [](std::string text) { return Printed{std::move(text), Precedence::Primary}; };
  const auto named = [&](const auto& e) { return primary(call(ir::keyword(e), expr)); };
  return ir::match(
      *expr, [&](const ir::Var& e) { return variable(e); },
      [&](const ir::ConstInt& e) {
        return Printed{integer(e.value), e.value < 0 ? Precedence::Unary : Precedence::Primary};
      },
      [&](const ir::ConstFloat& e) {
        return Printed{real(e.value), Precedence::Unary};
      },
      [&](const ir::ConstBool& e) { return primary(e.value ? "true" : "false"); },
      [&](const ir::Neg&) {
        if (facts_.may_trap(expr)) return primary(checked_call("negate", expr));
        return Printed{"-" + text(expr->operands[0], Precedence::Primary), Precedence::Unary};
      },
      [&](const ir::Not&) {
        return Printed{"!" + text(expr->operands[0], Precedence::Unary), Precedence::Unary};
      },
      [&](const ir::Add&) { return arithmetic(expr, "+", "add", Precedence::Additive); },
      [&](const ir::Sub&) { return arithmetic(expr, "-", "subtract", Precedence::Additive); },
      [&](const ir::Mul&) { return arithmetic(expr, "*", "multiply", Precedence::Multiplicative); },
      [&](const ir::OneOf<ir::Div, ir::Mod> auto&) { return division(expr); },
      [&](const ir::OneOf<ir::Eq, ir::Ne> auto& e) { return infix(expr, ir::keyword(e), Precedence::Equality); },
      [&](const ir::OneOf<ir::Lt, ir::Le> auto& e) { return infix(expr, ir::keyword(e), Precedence::Relational); },
      [&](const ir::And&) { return infix(expr, "&&", Precedence::And); },
      [&](const ir::Or&) { return infix(expr, "||", Precedence::Or); },
      [&](const ir::Select&) {
        return Printed{fmt::format("{} ? {} : {}", text(expr->operands[0], Precedence::Or),
                                   text(expr->operands[1], Precedence::Or), text(expr->operands[2])),
                       Precedence::Conditional};
      },
      [&](const ir::Convert&) { return convert(expr); }, [&](const ir::Size&) { return size(expr); },
      [&](const ir::At& e) {
        const std::string list = text(expr->operands[0]);
        const std::string index = text(expr->operands[1]);
        if (!facts_.may_trap(expr)) return primary(fmt::format("item<{}>({}, u64({}))", e.column, list, index));
        return primary(fmt::format("w.at<{}>({}, {}, {})", e.column, list, index, place(expr)));
      },
      [&](const ir::Label&) {
        if (!facts_.labelled(expr->operands[0])) return primary(worker_call("label", expr));
        return primary(
            fmt::format("{}.labels[{}]", text(expr->operands[0], Precedence::Primary), text(expr->operands[1])));
      },
      [&](const ir::Literal&) { return primary(literal(expr)); },
      [&](const ir::EdgeInfo&) {
        return primary(fmt::format("edge_info<{}>({}, {})", type(expr->type->columns[0]), text(expr->operands[0]),
                                   text(expr->operands[1])));
      },
      [&](const ir::Min&) { return primary(call(fmt::format("smaller<{}>", type(expr->type)), expr)); },
      [&](const ir::Max&) { return primary(call(fmt::format("larger<{}>", type(expr->type)), expr)); },
      [&](const ir::Log&) { return primary(call("matcha::runtime::natural_logarithm", expr)); },
      [&](const ir::Sqrt&) { return primary(call("matcha::runtime::square_root", expr)); },
      [&](const ir::AtMost&) { return primary(worker_call("at_most", expr)); },
      [&](const ir::Contains& e) { return expr->operands[0]->type->bits ? primary(call("has_bit", expr)) : named(e); },
      [&](const ir::OneOf<ir::LowerBound, ir::FindRow, ir::HasEdge, ir::MaxDegree, ir::Vertices, ir::Edges,
                          ir::Neighbors> auto& e) { return named(e); },
      [&](const ir::InGroup<ir::Group::Slice> auto& e) { return named(e); },
      [](const ir::InGroup<ir::Group::SetOp, ir::Group::Reorder, ir::Group::Bits> auto&) -> Printed {
        MATCHA_UNREACHABLE("a set operation of stage kernel that is not stored");
      },
      [](const ir::OneOf<ir::LabelName, ir::CommonNeighbors> auto&) -> Printed {
        MATCHA_UNREACHABLE("a scalar that is no part of an expression in stage kernel");
      });
}

}  // namespace matcha::codegen
