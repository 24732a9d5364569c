#include <fmt/format.h>

#include <utility>

#include "ir/analysis/multiples.h"
#include "ir/analysis/nest_reader.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

using TermKind = Term::Kind;

namespace {

std::string conversion(const Expr& expr) { return expr.kind == Kind::Convert ? to_string(*expr.type) : std::string(); }

}  // namespace

std::string result_word(const Var& sink) { return fmt::format("result {}", sink.id); }

/// The nests whose values a size or a sum adds, multiplied out if `fully`; empty if `value` is neither.
std::optional<std::vector<Nest>> NestReader::summands(const Expr* value, bool fully) {
  if (value->kind == Kind::Size) {
    const Expr* list = resolve(facts_, value->operands[0]);
    if (is_vertex_set(list)) return std::vector<Nest>{nest_of_set(list)};
    if (const std::optional<std::vector<Row>> rows = rows_of(list)) return counted_rows(*rows);
    give_up("the size of a list of other things than vertices is read", value->loc);
    return std::vector<Nest>{};
  }
  // A sum of floats is rounded, so it is not the sum of its parts.
  if (value->kind != Kind::Var || value->type->is_scalar(ScalarKind::F64)) return std::nullopt;
  const auto sink = sinks_.find(static_cast<const Var*>(value));
  if (sink == sinks_.end() || sink->second.top || sink->second.kind != SinkKind::Sum) return std::nullopt;
  return fully && !sink->second.is_opaque ? sink->second.expanded : sink->second.nests;
}

/// `value` as a sum of products. Not `fully`: only if it is a number, a size or a sum. False if it has no such form.
bool NestReader::expand(const Expr* value, bool fully, std::vector<Product>& out) {
  const Deeper deeper(depth_);
  if (!may_go_on(value->loc)) return false;
  value = resolve(facts_, value);
  if (value->kind == Kind::ConstInt) {
    Product product;
    if (__builtin_mul_overflow(as<ConstInt>(value)->value, Nest::kOne, &product.weight)) return false;
    out.push_back(std::move(product));
    return true;
  }
  if (const std::optional<std::vector<Nest>> added = summands(value, fully)) {
    for (const Nest& nest : *added) out.push_back(product_of(nest));
    return true;
  }
  if (!fully) return false;
  const std::size_t first = out.size();
  if (!value->type->is_scalar(ScalarKind::F64) && expand_operation(value, out)) return out.size() <= kMostProducts;
  if (failed()) return false;
  out.resize(first);
  out.push_back(Product{Nest::kOne, {}, {}, {read(value)}, {}});
  return true;
}

/// False: it is none, or has no such form.
bool NestReader::expand_operation(const Expr* value, std::vector<Product>& out) {
  switch (value->kind) {
    case Kind::Add: return expand(value->operands[0], true, out) && expand(value->operands[1], true, out);
    case Kind::Neg:
    case Kind::Sub: {
      if (value->kind == Kind::Sub && !expand(value->operands[0], true, out)) return false;
      const std::size_t first = out.size();
      if (!expand(value->operands.back(), true, out)) return false;
      for (std::size_t at = first; at < out.size(); ++at) out[at].weight *= -1;
      return true;
    }
    case Kind::Mul: {
      std::vector<Product> left, right;
      if (!expand(value->operands[0], true, left) || !expand(value->operands[1], true, right)) return false;
      if (left.size() * right.size() > kMostProducts) return false;
      for (const Product& a : left) {
        for (const Product& b : right) {
          if (!multiply(a, b, out)) return false;
        }
      }
      return true;
    }
    case Kind::Div: return expand_quotient(value, out);
    case Kind::Select:
    case Kind::Convert: return expand_choice(value, out);
    case Kind::Var: {
      const auto column = value_of_.find(static_cast<const Var*>(value));
      return column != value_of_.end() && expand_column(column->second, out);
    }
    default: return false;
  }
}

/// A division by a constant that leaves no remainder.
bool NestReader::expand_quotient(const Expr* value, std::vector<Product>& out) {
  const Expr* const by = value->operands[1];
  if (by->kind != Kind::ConstInt || as<ConstInt>(by)->value <= 0) return false;
  const std::int64_t divisor = as<ConstInt>(by)->value;
  std::vector<Product> parts;
  if (!expand(value->operands[0], true, parts)) return false;
  if (!is_multiple(facts_, value->operands[0], divisor) && !is_divisible(parts, divisor, next_item_, texts_))
    return false;
  for (Product& part : parts) {
    if (part.weight % divisor != 0) return false;
    part.weight /= divisor;
    out.push_back(std::move(part));
  }
  return true;
}

/// A look-up in a table; one of two numbers, or 1 and 0, by a condition.
bool NestReader::expand_choice(const Expr* value, std::vector<Product>& out) {
  if (const std::optional<RowValue> found = look_up(*value)) return expand_column(*found, out);
  const bool is_bool = value->operands[0]->type->is_scalar(ScalarKind::Bool);
  if (value->kind == Kind::Convert && !is_bool)
    return value->type->is_scalar(ScalarKind::I128) && expand(value->operands[0], true, out);
  const Term condition = read(value->operands[0]);
  if (value->kind == Kind::Convert) {
    out.push_back(Product{Nest::kOne, {}, {condition}, {}, {}});
    return true;
  }
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
    std::vector<Product> parts;
    if (!expand(value->operands[at], true, parts)) return false;
    for (Product& part : parts) {
      if (part.weight == 0) continue;
      part.conditions.push_back(at == 1 ? condition : Term::of(TermKind::Not, {condition}));
      out.push_back(std::move(part));
    }
  }
  return true;
}

bool NestReader::expand_column(const RowValue& column, std::vector<Product>& out) {
  if (column.is_opaque) return false;
  for (const Product& product : column.products) out.push_back(fresh(product));
  return true;
}

/// A summand with fresh items, since a sum may be a factor twice.
Product NestReader::product_of(const Nest& nest) {
  Product product;
  Term value = nest.value;
  product.weight = nest.weight;
  product.conditions = nest.conditions;
  product.vanishing = nest.vanishing;
  for (int item : nest.items) {
    const int fresh = next_item_++;
    product.items.push_back(fresh);
    for (Term& condition : product.conditions) condition = renamed(std::move(condition), item, fresh);
    value = renamed(std::move(value), item, fresh);
  }
  if (!value.is(TermKind::Constant) || value.word != "1") product.factors.push_back(std::move(value));
  return product;
}

/// A scalar as a term; a vid as its item.
Term NestReader::read(const Expr* expr) {
  const Deeper deeper(depth_);
  if (!may_go_on(expr->loc)) return Term{};
  expr = resolve(facts_, expr);
  if (expr->type->is_scalar(ScalarKind::Vid)) return Term::of_item(item(expr));
  if (const std::optional<std::vector<Nest>> added = summands(expr)) {
    return may_copy(*added, expr->loc) ? fold_of("sum", *added) : Term{};
  }
  if (const std::optional<RowValue> found = look_up(*expr)) return found->term;
  switch (expr->kind) {
    case Kind::Var: return read_var(*static_cast<const Var*>(expr));
    case Kind::ConstInt: return Term::constant(fmt::format("{}", as<ConstInt>(expr)->value));
    case Kind::ConstFloat: return Term::constant(fmt::format("{:a}", as<ConstFloat>(expr)->value));
    case Kind::ConstBool: return Term::of(as<ConstBool>(expr)->value ? TermKind::Yes : TermKind::No, {});
    case Kind::LabelName: return Term::constant(fmt::format("'{}'", as<LabelName>(expr)->word));
    case Kind::MaxDegree: check_graph(expr->operands[0]); return Term::constant("max_degree");
    case Kind::Label:
      check_graph(expr->operands[0]);
      return Term::operation("label", {Term::of_item(item(expr->operands[1]))});
    case Kind::HasEdge: {
      const int source = item(expr->operands[1]), target = item(expr->operands[2]);
      std::vector<Term> arc;
      if (built_.add_arc(graph_var(expr->operands[0]), source, target, arc))
        return Term::of(TermKind::And, std::move(arc));
      const bool is_any = is_labelled_ && resolve(facts_, expr->operands[0]) == graph_;
      return is_any ? adjacent({}, source, target) : edge(expr->operands[0], source, target);
    }
    case Kind::Contains: {
      if (!expr->operands[1]->type->is_scalar(ScalarKind::Vid)) return give_up("a list of numbers is read", expr->loc);
      std::vector<Term> conditions;
      add_members(expr->operands[0], item(expr->operands[1]), conditions);
      return Term::of(TermKind::And, std::move(conditions));
    }
    case Kind::Not: return Term::of(TermKind::Not, {read(expr->operands[0])});
    case Kind::And: return Term::of(TermKind::And, {read(expr->operands[0]), read(expr->operands[1])});
    case Kind::Or: return read_or(*expr);
    default: return read_operation(*expr);
  }
}

Term NestReader::read_or(const Expr& expr) {
  Term term = Term::of(TermKind::Or, {read(expr.operands[0]), read(expr.operands[1])});
  take_order_by_degree(term);
  return term;
}

Term NestReader::read_var(const Var& var) {
  if (top_.contains(&var)) return Term::constant(result_word(var));
  if (const auto sink = sinks_.find(&var); sink != sinks_.end()) {
    if (!may_copy(sink->second.nests, var.loc)) return Term{};
    return fold_of(keyword(sink->second.kind), sink->second.nests);
  }
  if (const auto column = value_of_.find(&var); column != value_of_.end()) {
    return may_copy({Nest{{}, {}, column->second.term, Nest::kOne, {}}}, var.loc) ? column->second.term : Term{};
  }
  if (facts_.definition(&var) == nullptr) return Term::constant(fmt::format("parameter {}", var.id));
  return give_up("a number is read from a list", var.loc);
}

Term NestReader::read_operation(const Expr& expr) {
  const bool of_vids = !expr.operands.empty() && expr.operands[0]->type->is_scalar(ScalarKind::Vid);
  const bool is_test = expr.kind == Kind::Eq || expr.kind == Kind::Ne;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const Expr* const list = of_vids && is_test ? list_of_first(expr.operands[at]) : nullptr;
    if (list == nullptr) continue;
    Term first = is_first(list, item(expr.operands[1 - at]));
    return expr.kind == Kind::Eq ? first : Term::of(TermKind::Not, {std::move(first)});
  }
  if (of_vids) {
    const int a = item(expr.operands[0]);
    if (expr.kind == Kind::Convert) return give_up("an id is used as a number", expr.loc);
    if (expr.operands.size() != 2) return give_up("ids are used in another way than compared", expr.loc);
    const int b = item(expr.operands[1]);
    switch (expr.kind) {
      case Kind::Eq: return pair(TermKind::Same, a, b);
      case Kind::Ne: return Term::of(TermKind::Not, {pair(TermKind::Same, a, b)});
      case Kind::Lt: return pair(TermKind::Before, a, b);
      case Kind::Le: return Term::of(TermKind::Not, {pair(TermKind::Before, b, a)});
      default: return give_up("ids are used in another way than compared", expr.loc);
    }
  }
  std::vector<Term> parts;
  for (const Expr* operand : expr.operands) {
    if (!operand->type->is_scalar()) return give_up("a position in a list is read", expr.loc);
    parts.push_back(read(operand));
  }
  return Term::operation(fmt::format("{}", keyword(expr)) + conversion(expr), std::move(parts));
}

}  // namespace matcha::ir
