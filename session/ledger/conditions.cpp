#include "session/ledger/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
        if (type && term.parts[0].is_logical()) {
          return fail(term.loc, "`is null` is for columns", "such as `x.amount is null`");
        }
        if (type == Type::Vertex) term = Condition{.kind = Condition::Kind::Bool, .loc = term.loc};
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
      std::string hint = "the type of a column is that of all of its cells";
      pattern::for_each_column(term, [&](const Condition& column) {
        const bool has_note = type_of(column, table_) != Type::Vertex && !table_.column(column).note.empty();
        if (has_note) hint = fmt::format("column `{}` {}", column.text, table_.column(column).note);
      });
      return fail(term.loc, fmt::format("{} is compared with {}", name_of(*left), name_of(*right)), hint);
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

  /// Converts durations, and terms compared with times that cells spell out, to ints in one unit.
  bool take_units(Condition& term) {
    if (has_spelled(term)) {
      const std::uint64_t per_second = finest(term);
      return take_seconds(term, per_second) && take_durations(term, per_second);
    }
    if (!has_duration(term)) return true;
    std::uint64_t per_second = 0;
    bool differs = false;
    pattern::for_each_column(term, [&](const Condition& column) {
      if (!is_number(type_of(column, table_)) || table_.column(column).type != Column::Type::Int) return;
      differs = differs || (per_second != 0 && per_second != unit_of(column));
      per_second = unit_of(column);
      assumes_seconds_ = assumes_seconds_ || !(is_time(column) && table_.has_time_unit);
    });
    if (differs) {
      fail(term.loc, "times of two units are compared", "convert one of the columns");
      return false;
    }
    return per_second == 0 || take_durations(term, per_second);
  }

  bool is_time(const Condition& column) const {
    return column.subject.of_edge && (column.text.empty() || column.text == table_.time);
  }

  /// Of a column with ints: how many units a second has. Numbers are seconds, but for those of `--time COLUMN:ms`.
  std::uint64_t unit_of(const Condition& column) const {
    const std::uint64_t spelled = table_.column(column).per_second;
    return spelled != 0 ? spelled : is_time(column) ? table_.time_per_second : 1;
  }

  /// The unit in which its columns, texts and durations are whole numbers.
  std::uint64_t finest(const Condition& term) const {
    constexpr std::array<std::uint64_t, 4> kUnits = {1, 1'000, 1'000'000, 1'000'000'000};
    const auto first = [&kUnits](const auto& is_whole) {
      const auto found = std::ranges::find_if(kUnits, is_whole);
      return found == kUnits.end() ? 1 : *found;
    };
    switch (term.kind) {
      case Condition::Kind::Text:
        return first([&](std::uint64_t unit) { return time_of(term.text, unit).has_value(); });
      case Condition::Kind::Duration:
        return first([&](std::uint64_t unit) { return ns_of(term) % (kUnits.back() / unit) == 0; });
      case Condition::Kind::Column: return type_of(term, table_) == Type::Int ? unit_of(term) : 1;
      default: break;
    }
    std::uint64_t all = 1;
    for (const Condition& part : term.parts) all = std::max(all, finest(part));
    return all;
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

  /// Of a comparison with times that cells spell: texts become times, and numbers beside them, which are seconds, ints
  /// in the unit of the column. False after an error.
  bool take_seconds(Condition& term, std::uint64_t per_second) {
    std::optional<int> times[2];
    for (std::size_t at = 0; at < 2; ++at) {
      Condition& part = term.parts[at];
      const bool is_text = part.kind == Condition::Kind::Text;
      times[at] = is_text ? std::optional(1) : times_in(part);
      if (is_text ? !take_time(part, per_second) : times[at] && !scale(part, per_second)) return false;
    }
    if (!times[0] || !times[1] || *times[0] == *times[1]) return true;
    fail(term.loc, "a time is compared with a number",
         "times are compared with times, such as '2024-05-01', and their differences with numbers of seconds");
    return false;
  }

  /// How often times that cells spell are added less how often they are subtracted: 0 for a difference of times.
  /// Nothing for values that are no numbers, and for null.
  std::optional<int> times_in(const Condition& term) const {
    switch (term.kind) {
      case Condition::Kind::Int:
      case Condition::Kind::Float:
      case Condition::Kind::Duration: return 0;
      case Condition::Kind::Column:
        if (!is_number(type_of(term, table_)) || table_.column(term).is_null) return std::nullopt;
        return has_spelled(term) || (is_time(term) && table_.has_time_unit) ? 1 : 0;
      case Condition::Kind::Negative:
      case Condition::Kind::Sum:
      case Condition::Kind::Difference:
      case Condition::Kind::Product: break;
      default: return std::nullopt;
    }
    int all = 0;
    for (const Condition& part : term.parts) {
      const std::optional<int> some = times_in(part);
      if (!some) return some;
      const bool is_less = term.kind == Condition::Kind::Negative ||
                           (term.kind == Condition::Kind::Difference && &part == &term.parts[1]);
      all += is_less ? -*some : *some;
    }
    return all;
  }

  /// Whether it has times that cells spell.
  bool has_spelled(const Condition& term) const {
    if (term.kind == Condition::Kind::Column) {
      return type_of(term, table_) != Type::Vertex && table_.column(term).per_second != 0;
    }
    return std::ranges::any_of(term.parts, [this](const Condition& part) { return has_spelled(part); });
  }

  /// A number of seconds that is a whole one in the unit becomes an int: 1.001 are 1001 milliseconds, though their
  /// product is less.
  static void scale_seconds(Condition& number, std::uint64_t per_second) {
    const double seconds = number.number, unit = static_cast<double>(per_second);
    constexpr double kMost = 9e18;
    number.number = seconds * unit;
    const double whole = std::round(number.number);
    if (std::abs(whole) > kMost || whole / unit != seconds) return;
    number.kind = Condition::Kind::Int;
    number.integer = static_cast<std::int64_t>(whole);
  }

  /// Converts the numbers and columns of a sum to units of 1 / `per_second` seconds. False after an error.
  bool scale(Condition& term, std::uint64_t per_second) {
    const auto is_scaled = [&](Condition& part) { return scale(part, per_second); };
    switch (term.kind) {
      case Condition::Kind::Int:
        if (!__builtin_mul_overflow(term.integer, static_cast<std::int64_t>(per_second), &term.integer)) return true;
        fail(term.loc, "the number of seconds is beyond 64 bits in the unit of the column", "");
        return false;
      case Condition::Kind::Float: scale_seconds(term, per_second); return true;
      case Condition::Kind::Negative:
      case Condition::Kind::Sum:
      case Condition::Kind::Difference: return std::ranges::all_of(term.parts, is_scaled);
      case Condition::Kind::Product: break;
      case Condition::Kind::Column:
        if (is_number(type_of(term, table_)) && unit_of(term) != per_second) {
          Condition factor, column = std::move(term);
          factor.kind = Condition::Kind::Int;
          factor.integer = static_cast<std::int64_t>(per_second / unit_of(column));
          term = {};
          term.kind = Condition::Kind::Product;
          term.loc = column.loc;
          term.parts = {std::move(factor), std::move(column)};
        }
        return true;
      default: return true;
    }
    const auto has_time = [this](const Condition& part) { return has_spelled(part) || has_duration(part); };
    const bool first = has_time(term.parts[0]), second = has_time(term.parts[1]);
    if ((first && second) || times_in(term.parts[0]) != 0 || times_in(term.parts[1]) != 0) {
      fail(term.loc, "a time is multiplied", "differences of times are: `2 * (y - x)`");
      return false;
    }
    return is_scaled(term.parts[second ? 1 : 0]);
  }

  static bool has_duration(const Condition& term) {
    return term.kind == Condition::Kind::Duration || std::ranges::any_of(term.parts, has_duration);
  }

  /// The reader of conditions takes units of time alone.
  static __int128 ns_of(const Condition& duration) {
    return static_cast<__int128>(duration.integer) * ns_of_unit(duration.text).value_or(1);
  }

  bool take_durations(Condition& term, std::uint64_t per_second) {
    for (Condition& part : term.parts) {
      if (!take_durations(part, per_second)) return false;
    }
    if (term.kind != Condition::Kind::Duration) return true;
    const __int128 ns = ns_of(term);
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
