#include "session/ledger/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>

#include "session/durations.h"

namespace matcha::session::ledger {

namespace {

using pattern::Condition;

bool is_number(Type type) { return type == Type::Int || type == Type::Float || type == Type::Null; }

std::string_view name_of(Type type) {
  switch (type) {
    case Type::Null: return "null";
    case Type::Bool: return "true or false";
    case Type::Int:
    case Type::Float: return "a number";
    case Type::Text: return "text";
    case Type::Vertex: return "a vertex";
  }
  return "";
}

/// Exactly, not as floats.
std::partial_ordering compared(std::int64_t left, double right) {
  constexpr double kBeyond = 9223372036854775808.0;
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kBeyond) return std::partial_ordering::less;
  if (right < -kBeyond) return std::partial_ordering::greater;
  const double whole = std::trunc(right);
  const std::int64_t other = static_cast<std::int64_t>(whole);
  if (left != other) return left < other ? std::partial_ordering::less : std::partial_ordering::greater;
  return 0.0 <=> right - whole;
}

class Checker {
 public:
  Checker(const Table& table, Diagnostics& diagnostics, bool& assumes_seconds)
      : table_(table), diagnostics_(diagnostics), assumes_seconds_(assumes_seconds) {}

  /// The type; nothing after an error.
  std::optional<Type> check(Condition& term) {
    switch (term.kind) {
      case Condition::Kind::Null:
      case Condition::Kind::Bool:
      case Condition::Kind::Int:
      case Condition::Kind::Float:
      case Condition::Kind::Text:
      case Condition::Kind::Column: return type_of(term, table_);
      case Condition::Kind::Duration:
        return fail(term.loc, "a duration is compared with times alone", "such as `y - x <= 1d`, or `within 1d`");
      case Condition::Kind::Negative:
      case Condition::Kind::Sum:
      case Condition::Kind::Difference:
      case Condition::Kind::Product: return arithmetic(term);
      case Condition::Kind::Less:
      case Condition::Kind::AtMost:
      case Condition::Kind::Equal:
      case Condition::Kind::Different: return comparison(term);
      case Condition::Kind::IsNull: {
        const std::optional<Type> type = check(term.parts[0]);
        if (type && (term.parts[0].is_logical() || *type == Type::Vertex)) {
          return fail(term.loc, "`is null` is for columns", "such as `x.amount is null`");
        }
        return type ? std::optional(Type::Bool) : type;
      }
      case Condition::Kind::And:
      case Condition::Kind::Or:
      case Condition::Kind::Not: break;
    }
    for (Condition& part : term.parts) {
      if (!is_condition(part)) return std::nullopt;
    }
    return Type::Bool;
  }

  bool is_condition(Condition& term) {
    const std::optional<Type> type = check(term);
    if (type && *type != Type::Bool && *type != Type::Null) {
      fail(term.loc, fmt::format("this is {}, and a condition is wanted", name_of(*type)), "such as `x.amount > 1000`");
      return false;
    }
    return type.has_value();
  }

 private:
  std::optional<Type> fail(SourceLoc loc, const std::string& message, const std::string& hint) {
    diagnostics_.error(DiagId::PatternCondition, loc, message, hint);
    return std::nullopt;
  }

  std::optional<Type> arithmetic(Condition& term) {
    Type all = Type::Int;
    for (Condition& part : term.parts) {
      const std::optional<Type> type = check(part);
      if (!type) return type;
      if (!is_number(*type)) {
        return fail(part.loc, fmt::format("this is {}, and a number is wanted", name_of(*type)), "");
      }
      if (*type == Type::Null) all = Type::Null;
      if (*type == Type::Float && all != Type::Null) all = Type::Float;
    }
    return all;
  }

  std::optional<Type> comparison(Condition& term) {
    if (!take_units(term)) return std::nullopt;
    std::optional<Type> left = check(term.parts[0]);
    std::optional<Type> right = left ? check(term.parts[1]) : left;
    if (!right) return right;
    const bool is_order = term.kind == Condition::Kind::Less || term.kind == Condition::Kind::AtMost;
    const bool fits =
        *left == Type::Null || *right == Type::Null || *left == *right || (is_number(*left) && is_number(*right));
    if (!fits) {
      return fail(term.loc, fmt::format("{} is compared with {}", name_of(*left), name_of(*right)),
                  "the type of a column is that of all of its cells");
    }
    if (is_order && (*left == Type::Bool || *left == Type::Vertex)) {
      return fail(term.loc, fmt::format("{} has no order", *left == Type::Vertex ? "a vertex" : "true and false"),
                  *left == Type::Vertex ? "`a.id < b.id` compares ids" : "`=` and `<>` compare them");
    }
    if (term.parts[0].is_logical() || term.parts[1].is_logical()) {
      return fail(term.loc, "conditions are not compared", "`and`, `or` and `not` join them");
    }
    return Type::Bool;
  }

  /// Makes durations, and texts beside times, ints in the unit of the columns.
  bool take_units(Condition& term) {
    std::uint64_t per_second = 0;
    bool differs = false, is_spelled = false, has_column = false;
    pattern::for_each_column(term, [&](const Condition& column) {
      if (column.text.empty() && !column.subject.of_edge) return;
      const Column& cells = table_.column(column);
      if (cells.type != Column::Type::Int) return;
      const bool is_time = column.subject.of_edge && (column.text.empty() || column.text == table_.time);
      const std::uint64_t mine = cells.per_second != 0 ? cells.per_second : is_time ? table_.time_per_second : 1;
      is_spelled = is_spelled || cells.per_second != 0;
      has_column = true;
      differs = differs || (per_second != 0 && per_second != mine);
      per_second = mine;
      if (cells.per_second == 0 && !(is_time && table_.time_is_said)) is_assumed_ = true;
    });
    if (differs && (is_spelled || has_duration(term))) {
      fail(term.loc, "times of two units are compared", "convert one of the columns");
      return false;
    }
    for (std::size_t at = 0; at < 2; ++at) {
      Condition& part = term.parts[at];
      if (part.kind == Condition::Kind::Text && is_spelled && !take_time(part, per_second)) return false;
    }
    const bool had_duration = has_duration(term);
    if (had_duration && has_column && !take_durations(term, per_second)) return false;
    assumes_seconds_ = assumes_seconds_ || (had_duration && is_assumed_);
    is_assumed_ = false;
    return true;
  }

  bool take_time(Condition& part, std::uint64_t per_second) {
    const std::optional<std::int64_t> time = time_of(part.text, per_second);
    if (!time) {
      fail(part.loc, "this is no time of the column", "times are like '2024-05-01' or '2024-05-01T10:00:00Z'");
      return false;
    }
    part.kind = Condition::Kind::Int;
    part.integer = *time;
    return true;
  }

  static bool has_duration(const Condition& term) {
    return term.kind == Condition::Kind::Duration || std::ranges::any_of(term.parts, has_duration);
  }

  bool take_durations(Condition& term, std::uint64_t per_second) {
    for (Condition& part : term.parts) {
      if (!take_durations(part, per_second)) return false;
    }
    if (term.kind != Condition::Kind::Duration) return true;
    // The reader of conditions takes units of time alone.
    const __int128 ns = static_cast<__int128>(term.integer) * ns_of_unit(term.text).value_or(1);
    const std::uint64_t ns_of_column = 1'000'000'000 / per_second;
    if (ns % ns_of_column != 0 || ns / ns_of_column > INT64_MAX) {
      fail(term.loc,
           fmt::format("`{}{}` is no whole number of 64 bits in the unit of the column", term.integer, term.text),
           "`--time COLUMN:ms` says the unit of a column of numbers");
      return false;
    }
    term.kind = Condition::Kind::Int;
    term.integer = static_cast<std::int64_t>(ns / ns_of_column);
    return true;
  }

  const Table& table_;
  Diagnostics& diagnostics_;
  bool& assumes_seconds_;
  bool is_assumed_ = false;
};

}  // namespace

Type type_of(const Condition& value, const Table& table) {
  switch (value.kind) {
    case Condition::Kind::Null: return Type::Null;
    case Condition::Kind::Int: return Type::Int;
    case Condition::Kind::Float: return Type::Float;
    case Condition::Kind::Text: return Type::Text;
    case Condition::Kind::Negative:
    case Condition::Kind::Sum:
    case Condition::Kind::Difference:
    case Condition::Kind::Product: {
      Type all = Type::Int;
      for (const Condition& part : value.parts) {
        const Type type = type_of(part, table);
        if (type == Type::Null) all = type;
        if (type == Type::Float && all != Type::Null) all = type;
      }
      return all;
    }
    case Condition::Kind::Column: break;
    default: return Type::Bool;
  }
  if (!value.subject.of_edge && value.text.empty()) return Type::Vertex;
  const Column& column = table.column(value);
  if (column.is_null) return Type::Null;
  switch (column.type) {
    case Column::Type::Int: return Type::Int;
    case Column::Type::Float: return Type::Float;
    case Column::Type::Bool: return Type::Bool;
    case Column::Type::Text: return Type::Text;
  }
  return Type::Null;
}

bool resolve(Condition& condition, const Table& table, Diagnostics& diagnostics, bool& assumes_seconds) {
  return Checker(table, diagnostics, assumes_seconds).is_condition(condition);
}

Evaluator::Value Evaluator::value(const Condition& term, const Find& find) {
  switch (term.kind) {
    case Condition::Kind::Null: return {};
    case Condition::Kind::Int: return {Type::Int, term.integer, 0};
    case Condition::Kind::Float: return {Type::Float, 0, term.number};
    case Condition::Kind::Text: return {Type::Text, table_.texts.code(term.text), 0};
    case Condition::Kind::Column: break;
    case Condition::Kind::Negative:
    case Condition::Kind::Sum:
    case Condition::Kind::Difference:
    case Condition::Kind::Product: return computed(term, find);
    default: {
      const std::optional<bool> truth = holds(term, find);
      return truth ? Value{Type::Bool, *truth ? 1 : 0, 0} : Value{};
    }
  }
  const std::uint64_t row = find(term.subject);
  const Type type = type_of(term, table_);
  if (type == Type::Vertex) return {type, static_cast<std::int64_t>(row), 0};
  const Column& column = table_.column(term);
  if (!column.has_value(row)) return {};
  if (type == Type::Float) return {type, 0, column.floats[row]};
  return {type, column.ints[row], 0};
}

Evaluator::Value Evaluator::computed(const Condition& term, const Find& find) {
  const Value left = value(term.parts[0], find);
  const Value right = term.parts.size() == 1 ? Value{Type::Int, 0, 0} : value(term.parts[1], find);
  if (left.type == Type::Null || right.type == Type::Null) return {};
  const bool is_product = term.kind == Condition::Kind::Product, is_sum = term.kind == Condition::Kind::Sum;
  const bool is_negative = term.kind == Condition::Kind::Negative;
  if (left.type == Type::Float || right.type == Type::Float) {
    const double a = left.type == Type::Float ? left.number : static_cast<double>(left.integer);
    const double b = right.type == Type::Float ? right.number : static_cast<double>(right.integer);
    return {Type::Float, 0, is_negative ? -a : is_product ? a * b : is_sum ? a + b : a - b};
  }
  std::int64_t result = 0;
  const bool is_beyond = is_negative  ? __builtin_sub_overflow(std::int64_t{0}, left.integer, &result)
                         : is_product ? __builtin_mul_overflow(left.integer, right.integer, &result)
                         : is_sum     ? __builtin_add_overflow(left.integer, right.integer, &result)
                                      : __builtin_sub_overflow(left.integer, right.integer, &result);
  if (is_beyond && !maybe_overflow_) maybe_overflow_ = term.loc;
  return {Type::Int, result, 0};
}

std::optional<bool> Evaluator::holds(const Condition& term, const Find& find) {
  switch (term.kind) {
    case Condition::Kind::Bool: return term.integer != 0;
    case Condition::Kind::And:
    case Condition::Kind::Or: {
      const bool ends = term.kind == Condition::Kind::Or;
      bool is_unknown = false;
      for (const Condition& part : term.parts) {
        const std::optional<bool> one = holds(part, find);
        if (one && *one == ends) return ends;
        is_unknown = is_unknown || !one;
      }
      return is_unknown ? std::nullopt : std::optional(!ends);
    }
    case Condition::Kind::Not: {
      const std::optional<bool> one = holds(term.parts[0], find);
      return one ? std::optional(!*one) : one;
    }
    case Condition::Kind::IsNull: return value(term.parts[0], find).type == Type::Null;
    case Condition::Kind::Less:
    case Condition::Kind::AtMost:
    case Condition::Kind::Equal:
    case Condition::Kind::Different: break;
    default: {
      const Value truth = value(term, find);
      return truth.type == Type::Null ? std::nullopt : std::optional(truth.integer != 0);
    }
  }
  const Value left = value(term.parts[0], find), right = value(term.parts[1], find);
  if (left.type == Type::Null || right.type == Type::Null) return std::nullopt;
  std::partial_ordering order = std::partial_ordering::equivalent;
  if (left.type == Type::Float) {
    order = right.type == Type::Float ? left.number <=> right.number : 0 <=> compared(right.integer, left.number);
  } else {
    order = right.type == Type::Float ? compared(left.integer, right.number)
                                      : std::partial_ordering(left.integer <=> right.integer);
  }
  if (term.kind == Condition::Kind::Less) return order < 0;
  if (term.kind == Condition::Kind::AtMost) return order <= 0;
  return (order == 0) == (term.kind == Condition::Kind::Equal);
}

}  // namespace matcha::session::ledger
