#include "session/query/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace matcha::session::statement {

namespace {

using query::Term;
using Kind = Value::Kind;

Value of_truth(std::optional<bool> truth) { return truth ? Value::of(Kind::Bool, *truth ? 1 : 0) : Value(); }

double as_float(const Value& value) {
  return value.is(Kind::Float) ? value.number : static_cast<double>(value.integer);
}

/// The seconds from one time to another: an int if they are whole.
Value seconds(const Value& later, const Value& earlier) {
  const std::uint64_t unit = std::max(later.per_second, earlier.per_second);
  const auto in_units = [unit](const Value& time) {
    return static_cast<__int128>(time.integer) * static_cast<__int128>(unit / time.per_second);
  };
  const __int128 difference = in_units(later) - in_units(earlier);
  if (difference % unit == 0) return Value::of(Kind::Int, static_cast<std::int64_t>(difference / unit));
  return Value::of_float(static_cast<double>(difference) / static_cast<double>(unit));
}

constexpr const char* kTimes = "times are like '2024-05-01' or '2024-05-01T10:00:00Z'";

/// The time that a text spells, in these units of a second, or in finer ones.
std::optional<Value> spelled_time(const std::string& text, std::uint64_t per_second) {
  constexpr std::uint64_t kFinest = 1'000'000'000;
  std::optional<std::int64_t> spelled = ledger::time_of(text, per_second);
  if (!spelled) spelled = ledger::time_of(text, per_second = kFinest);
  if (!spelled) return std::nullopt;
  Value time = Value::of(Kind::Time, *spelled);
  time.per_second = per_second;
  return time;
}

}  // namespace

bool Progress::keep(std::uint64_t more, SourceLoc loc) {
  if (!may_keep(more, loc)) return false;
  bytes += more;
  return true;
}

bool Progress::may_keep(std::uint64_t more, SourceLoc loc) {
  if (more <= most_bytes - bytes) return true;
  fail(loc, fmt::format("this keeps more than {} MiB of rows", most_bytes >> 20U),
       "fewer rows, or fewer columns, need less memory", Status::Resource);
  return false;
}

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::Null: return "null";
    case Kind::Bool: return "true or false";
    case Kind::Int:
    case Kind::Float: return "a number";
    case Kind::Text: return "text";
    case Kind::Time: return "a time";
    case Kind::Node: return "a node";
    case Kind::Relationship: return "a relationship";
    case Kind::List: return "a list";
    case Kind::Path: return "a path";
  }
  return "";
}

Value Evaluator::fail(SourceLoc loc, const std::string& message, const std::string& hint) const {
  progress_.fail(loc, message, hint);
  return {};
}

Value Evaluator::value(const Term& term, Value* row) const {
  switch (term.kind) {
    case Term::Kind::Null:
    case Term::Kind::Map:
    case Term::Kind::Parameter: return {};
    case Term::Kind::Bool: return Value::of(Kind::Bool, term.integer);
    case Term::Kind::Int: return Value::of(Kind::Int, term.integer);
    case Term::Kind::Float: return Value::of_float(term.number);
    case Term::Kind::Text: return Value::of_text(term.text);
    case Term::Kind::Variable:
    case Term::Kind::Aggregate: return row[term.slot];
    case Term::Kind::Property: return property(term, row);
    case Term::Kind::List: {
      std::vector<Value> items;
      for (const Term& part : term.parts) items.push_back(value(part, row));
      Value list = Value::of_list(std::move(items));
      return progress_.may_keep(bytes_of(list), term.loc) ? list : Value();
    }
    case Term::Kind::Item: return item(term, row);
    case Term::Kind::Negative:
    case Term::Kind::Sum:
    case Term::Kind::Difference:
    case Term::Kind::Product:
    case Term::Kind::Quotient:
    case Term::Kind::Remainder: return computed(term, row);
    case Term::Kind::Call: return called(term, row);
    case Term::Kind::Case: return chosen(term, row);
    default: return of_truth(truth(term, row));
  }
}

std::optional<bool> Evaluator::truth_of(const Value& value, SourceLoc loc) const {
  if (value.is(Kind::Null)) return std::nullopt;
  if (value.is(Kind::Bool)) return value.integer != 0;
  fail(loc, fmt::format("this is {}, and a condition is wanted", name_of(value.kind)), "such as `a.age > 30`");
  return std::nullopt;
}

std::optional<bool> Evaluator::truth(const Term& term, Value* row) const {
  switch (term.kind) {
    case Term::Kind::And:
    case Term::Kind::Or: return all_or_any(term, row);
    case Term::Kind::Xor: {
      bool is_odd = false;
      for (const Term& part : term.parts) {
        const std::optional<bool> one = truth(part, row);
        if (!one) return one;
        is_odd = is_odd != *one;
      }
      return is_odd;
    }
    case Term::Kind::Not: {
      const std::optional<bool> one = truth(term.parts[0], row);
      return one ? std::optional(!*one) : one;
    }
    case Term::Kind::Less:
    case Term::Kind::AtMost:
    case Term::Kind::Equal:
    case Term::Kind::Different: return compared_as(term, row);
    case Term::Kind::In: return is_in(term, row);
    case Term::Kind::StartsWith:
    case Term::Kind::EndsWith:
    case Term::Kind::Contains: return in_text(term, row);
    case Term::Kind::IsNull: return value(term.parts[0], row).is(Kind::Null);
    case Term::Kind::HasLabels: {
      const Value node = value(term.parts[0], row);
      if (node.is(Kind::Null)) return std::nullopt;
      return store_.passes(static_cast<std::size_t>(term.integer), static_cast<std::uint32_t>(node.integer));
    }
    case Term::Kind::Matches: return has_match(static_cast<std::size_t>(term.integer), row);
    default: return truth_of(value(term, row), term.loc);
  }
}

std::optional<bool> Evaluator::all_or_any(const Term& term, Value* row) const {
  const bool ends = term.kind == Term::Kind::Or;
  bool is_known = true;
  for (const Term& part : term.parts) {
    const std::optional<bool> one = truth(part, row);
    if (one && *one == ends) return ends;
    is_known = is_known && one.has_value();
  }
  return is_known ? std::optional(!ends) : std::nullopt;
}

void Evaluator::read_times(Value& left, Value& right, SourceLoc loc) const {
  for (const auto& [text, time] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (!text->is(Kind::Text) || !time->is(Kind::Time)) continue;
    const std::optional<Value> spelled = spelled_time(*text->text, time->per_second);
    if (!spelled) {
      fail(loc, "a time is compared with text that is none", kTimes);
      return;
    }
    *text = *spelled;
  }
}

std::optional<bool> Evaluator::compared_as(const Term& term, Value* row) const {
  Value left = value(term.parts[0], row), right = value(term.parts[1], row);
  read_times(left, right, term.loc);
  if (progress_.failure) return std::nullopt;
  if (term.kind == Term::Kind::Equal) return equals(left, right);
  if (term.kind == Term::Kind::Different) {
    const std::optional<bool> same = equals(left, right);
    return same ? std::optional(!*same) : same;
  }
  if (left.is(Kind::Null) || right.is(Kind::Null)) return std::nullopt;
  const std::optional<std::partial_ordering> order = compared(left, right);
  if (!order) return std::nullopt;
  return term.kind == Term::Kind::Less ? *order < 0 : *order <= 0;
}

std::optional<bool> Evaluator::is_in(const Term& term, Value* row) const {
  const Value one = value(term.parts[0], row), list = value(term.parts[1], row);
  if (list.is(Kind::Null)) return std::nullopt;
  if (!list.is(Kind::List)) {
    fail(term.loc, fmt::format("this is {}, and a list is wanted behind IN", name_of(list.kind)),
         "such as `['a', 'b']`");
    return std::nullopt;
  }
  bool is_known = true;
  for (const Value& item : *list.items) {
    const bool has_time = (one.is(Kind::Time) && item.is(Kind::Text)) || (one.is(Kind::Text) && item.is(Kind::Time));
    Value left, right;
    if (has_time) read_times(left = one, right = item, term.loc);
    if (progress_.failure) return std::nullopt;
    const std::optional<bool> same = has_time ? equals(left, right) : equals(one, item);
    if (same && *same) return true;
    is_known = is_known && same.has_value();
  }
  return is_known ? std::optional(false) : std::nullopt;
}

std::optional<bool> Evaluator::in_text(const Term& term, Value* row) const {
  const Value whole = value(term.parts[0], row), part = value(term.parts[1], row);
  if (!whole.is(Kind::Text) || !part.is(Kind::Text)) return std::nullopt;
  if (term.kind == Term::Kind::StartsWith) return whole.text->starts_with(*part.text);
  if (term.kind == Term::Kind::EndsWith) return whole.text->ends_with(*part.text);
  return whole.text->find(*part.text) != std::string::npos;
}

Value Evaluator::property(const Term& term, Value* row) const {
  const Value of = value(term.parts[0], row);
  const std::size_t column = static_cast<std::size_t>(term.integer);
  if (of.is(Kind::Node)) return store_.node_property(column, static_cast<std::uint32_t>(of.integer));
  if (of.is(Kind::Relationship)) return store_.relationship_property(column, static_cast<std::uint32_t>(of.integer));
  return {};
}

Value Evaluator::computed(const Term& term, Value* row) const {
  Value left = value(term.parts[0], row);
  Value right = term.parts.size() == 1 ? left : value(term.parts[1], row);
  if (term.kind == Term::Kind::Negative) left = Value::of(Kind::Int, 0);
  if (left.is(Kind::Null) || right.is(Kind::Null)) return {};
  if (term.kind == Term::Kind::Difference && left.is(Kind::Time) && right.is(Kind::Time)) return seconds(left, right);
  const bool is_moved = term.kind == Term::Kind::Sum ? left.is(Kind::Time) != right.is(Kind::Time)
                                                     : term.kind == Term::Kind::Difference && left.is(Kind::Time);
  if (is_moved && left.is(Kind::Time) && right.is_number()) return moved(term, left, right);
  if (is_moved && right.is(Kind::Time) && left.is_number()) return moved(term, right, left);
  for (const Value* const one : {&left, &right}) {
    if (one->is_number()) continue;
    return fail(term.loc, fmt::format("this is {}, and a number is wanted", name_of(one->kind)));
  }
  if (left.is(Kind::Int) && right.is(Kind::Int)) return whole(term, left.integer, right.integer);
  const double a = as_float(left), b = as_float(right);
  switch (term.kind) {
    case Term::Kind::Negative: return Value::of_float(-b);
    case Term::Kind::Sum: return Value::of_float(a + b);
    case Term::Kind::Difference: return Value::of_float(a - b);
    case Term::Kind::Product: return Value::of_float(a * b);
    case Term::Kind::Quotient: return Value::of_float(a / b);
    default: return Value::of_float(std::fmod(a, b));
  }
}

Value Evaluator::moved(const Term& term, const Value& time, const Value& by) const {
  constexpr std::uint64_t kFinest = 1'000'000'000;
  std::uint64_t unit = time.per_second;
  const auto rounded = [&] { return std::round(as_float(by) * static_cast<double>(unit)); };
  if (by.is(Kind::Float) && rounded() / static_cast<double>(unit) != by.number) unit = kFinest;
  constexpr double kMost = 9e18;
  std::int64_t ticks = 0, from = 0;
  bool is_beyond = __builtin_mul_overflow(time.integer, static_cast<std::int64_t>(unit / time.per_second), &from);
  if (by.is(Kind::Int)) {
    is_beyond |= __builtin_mul_overflow(by.integer, static_cast<std::int64_t>(unit), &ticks);
  } else if (!(std::abs(rounded()) <= kMost)) {
    is_beyond = true;
  } else {
    ticks = static_cast<std::int64_t>(rounded());
  }
  Value result = Value::of(Kind::Time, 0);
  result.per_second = unit;
  is_beyond |= term.kind == Term::Kind::Difference ? __builtin_sub_overflow(from, ticks, &result.integer)
                                                   : __builtin_add_overflow(from, ticks, &result.integer);
  return is_beyond ? fail(term.loc, "a time leaves 64 bits here") : result;
}

Value Evaluator::whole(const Term& term, std::int64_t left, std::int64_t right) const {
  std::int64_t result = 0;
  bool is_beyond = false;
  switch (term.kind) {
    case Term::Kind::Sum: is_beyond = __builtin_add_overflow(left, right, &result); break;
    case Term::Kind::Negative:
    case Term::Kind::Difference: is_beyond = __builtin_sub_overflow(left, right, &result); break;
    case Term::Kind::Product: is_beyond = __builtin_mul_overflow(left, right, &result); break;
    default:
      if (right == 0) return fail(term.loc, "division by zero");
      is_beyond = right == -1 && left == INT64_MIN && term.kind == Term::Kind::Quotient;
      if (!is_beyond) result = term.kind == Term::Kind::Quotient ? left / right : right == -1 ? 0 : left % right;
  }
  if (is_beyond) return fail(term.loc, "an int leaves 64 bits here");
  return Value::of(Kind::Int, result);
}

Value Evaluator::item(const Term& term, Value* row) const {
  const Value list = value(term.parts[0], row), index = value(term.parts[1], row);
  if (list.is(Kind::Null) || index.is(Kind::Null)) return {};
  if (!list.is(Kind::List)) return fail(term.loc, fmt::format("{} has no items", name_of(list.kind)));
  if (!index.is(Kind::Int))
    return fail(term.loc, fmt::format("this is {}, and an index is wanted", name_of(index.kind)));
  const std::int64_t size = static_cast<std::int64_t>(list.items->size());
  const std::int64_t at = index.integer < 0 ? index.integer + size : index.integer;
  return at < 0 || at >= size ? Value() : (*list.items)[static_cast<std::size_t>(at)];
}

Value Evaluator::called(const Term& term, Value* row) const {
  if (term.text == "coalesce") {
    for (const Term& part : term.parts) {
      if (Value one = value(part, row); !one.is(Kind::Null)) return one;
    }
    return {};
  }
  if (term.text == "range") return range(term, row);
  const Value of = value(term.parts[0], row);
  if (of.is(Kind::Null)) return {};
  if (term.text == "date" || term.text == "datetime") return time(term, of);
  if (term.text == "abs") {
    if (of.is(Kind::Float)) return Value::of_float(std::abs(of.number));
    if (!of.is(Kind::Int)) return fail(term.loc, fmt::format("this is {}, and a number is wanted", name_of(of.kind)));
    if (of.integer == INT64_MIN) return fail(term.loc, "an int leaves 64 bits here");
    return Value::of(Kind::Int, std::abs(of.integer));
  }
  if (term.text == "size" || term.text == "head" || term.text == "last") return of_list(term, of);
  const bool is_of_path = term.text == "length" || term.text == "nodes" || term.text == "relationships";
  const Kind wanted = is_of_path ? Kind::Path : term.text == "labels" ? Kind::Node : Kind::Relationship;
  if (!of.is(wanted)) {
    return fail(term.loc, fmt::format("`{}` is of {}, and this is {}", term.text, name_of(wanted), name_of(of.kind)));
  }
  if (is_of_path) {
    if (term.text == "length") return Value::of(Kind::Int, static_cast<std::int64_t>(of.items->size() / 2));
    std::vector<Value> some;
    for (std::size_t at = term.text == "nodes" ? 0 : 1; at < of.items->size(); at += 2) some.push_back((*of.items)[at]);
    return Value::of_list(std::move(some));
  }
  const std::uint32_t number = static_cast<std::uint32_t>(of.integer);
  if (term.text == "labels") return store_.labels(number);
  if (term.text == "type") return store_.type_name(number);
  return Value::of(Kind::Node, term.text == "startnode" ? store_.source(number) : store_.target(number));
}

Value Evaluator::chosen(const Term& term, Value* row) const {
  const bool compares = term.integer != 0;
  const Value compared = compares ? value(term.parts[0], row) : Value();
  std::size_t at = compares ? 1 : 0;
  for (; at + 1 < term.parts.size(); at += 2) {
    bool is_met = false;
    if (compares) {
      Value left = compared, right = value(term.parts[at], row);
      read_times(left, right, term.parts[at].loc);
      is_met = equals(left, right).value_or(false);
    } else {
      is_met = holds(term.parts[at], row);
    }
    if (progress_.failure) return {};
    if (is_met) return value(term.parts[at + 1], row);
  }
  return at < term.parts.size() ? value(term.parts[at], row) : Value();
}

Value Evaluator::time(const Term& term, const Value& of) const {
  Value time = of;
  if (of.is(Kind::Text)) {
    const std::optional<Value> spelled = spelled_time(*of.text, 1);
    if (!spelled) return fail(term.loc, fmt::format("`{}` is no time", *of.text), kTimes);
    time = *spelled;
  }
  if (!time.is(Kind::Time)) {
    return fail(term.loc, fmt::format("`{}` is of text or a time, and this is {}", term.text, name_of(of.kind)),
                kTimes);
  }
  if (term.text == "datetime") return time;
  // The beginning of the day.
  const std::int64_t day = 86'400 * static_cast<std::int64_t>(time.per_second);
  const std::int64_t rest = time.integer % day;
  if (__builtin_sub_overflow(time.integer, rest < 0 ? rest + day : rest, &time.integer)) {
    return fail(term.loc, "a time leaves 64 bits here");
  }
  return time;
}

/// From the first int to the second one, by steps of the third.
Value Evaluator::range(const Term& term, Value* row) const {
  std::int64_t ends[] = {0, 0, 1};
  for (std::size_t at = 0; at < term.parts.size(); ++at) {
    const Value one = value(term.parts[at], row);
    if (progress_.failure) return {};
    if (!one.is(Kind::Int)) return fail(term.loc, fmt::format("`range` is of ints, and this is {}", name_of(one.kind)));
    ends[at] = one.integer;
  }
  const auto [first, last, step] = ends;
  if (step == 0) return fail(term.loc, "a range has no steps of 0");
  const __int128 distance = static_cast<__int128>(last) - first;
  const __int128 count = (distance < 0) == (step < 0) || distance == 0 ? distance / step + 1 : 0;
  if (!progress_.may_keep(static_cast<std::uint64_t>(count) * sizeof(Value), term.loc)) return {};
  std::vector<Value> items;
  for (std::int64_t at = 0; at < count; ++at) items.push_back(Value::of(Kind::Int, first + at * step));
  return Value::of_list(std::move(items));
}

Value Evaluator::of_list(const Term& term, const Value& list) const {
  if (term.text == "size" && list.is(Kind::Text)) {
    // Characters of UTF-8.
    std::int64_t size = 0;
    for (const char c : *list.text) size += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
    return Value::of(Kind::Int, size);
  }
  if (!list.is(Kind::List)) {
    return fail(term.loc, fmt::format("`{}` is of a list, and this is {}", term.text, name_of(list.kind)));
  }
  if (term.text == "size") return Value::of(Kind::Int, static_cast<std::int64_t>(list.items->size()));
  if (list.items->empty()) return {};
  return term.text == "head" ? list.items->front() : list.items->back();
}

}  // namespace matcha::session::statement
