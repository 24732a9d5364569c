#include "session/query/value.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace matcha::session::statement {

namespace {

using Kind = Value::Kind;

constexpr double kBeyondInts = 9223372036854775808.0;

/// Exactly, not as floats.
std::partial_ordering int_and_float(std::int64_t left, double right) {
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kBeyondInts) return std::partial_ordering::less;
  if (right < -kBeyondInts) return std::partial_ordering::greater;
  const double whole = std::trunc(right);
  const std::int64_t other = static_cast<std::int64_t>(whole);
  if (left != other) return left <=> other;
  return 0.0 <=> right - whole;
}

std::partial_ordering numbers(const Value& a, const Value& b) {
  if (a.is(Kind::Int)) return b.is(Kind::Int) ? a.integer <=> b.integer : int_and_float(a.integer, b.number);
  return b.is(Kind::Float) ? a.number <=> b.number : 0 <=> int_and_float(b.integer, a.number);
}

std::partial_ordering times(const Value& a, const Value& b) {
  return static_cast<__int128>(a.integer) * b.per_second <=> static_cast<__int128>(b.integer) * a.per_second;
}

std::optional<bool> lists_equal(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size()) return false;
  bool is_known = true;
  for (std::size_t at = 0; at < a.size(); ++at) {
    const std::optional<bool> one = equals(a[at], b[at]);
    if (one && !*one) return false;
    is_known = is_known && one.has_value();
  }
  return is_known ? std::optional(true) : std::nullopt;
}

/// By the first items that are not equal; nothing if these have no order.
std::optional<std::partial_ordering> lists_compared(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (std::size_t at = 0; at < std::min(a.size(), b.size()); ++at) {
    if (equals(a[at], b[at]) != std::optional(true)) return compared(a[at], b[at]);
  }
  return a.size() <=> b.size();
}

/// The place of a type in the order of all values.
int place_of(Kind kind) {
  switch (kind) {
    case Kind::Node: return 0;
    case Kind::Relationship: return 1;
    case Kind::List: return 2;
    case Kind::Path: return 3;
    case Kind::Time: return 4;
    case Kind::Text: return 5;
    case Kind::Bool: return 6;
    case Kind::Int:
    case Kind::Float: return 7;
    case Kind::Null: break;
  }
  return 8;
}

std::weak_ordering weak(std::partial_ordering order, const Value& a, const Value& b) {
  if (order < 0) return std::weak_ordering::less;
  if (order > 0) return std::weak_ordering::greater;
  if (order == 0) return std::weak_ordering::equivalent;
  const bool is_nan = a.is(Kind::Float) && std::isnan(a.number);
  const bool is_other = b.is(Kind::Float) && std::isnan(b.number);
  return is_nan <=> is_other;
}

}  // namespace

Value Value::of_list(std::vector<Value> items, Kind kind) {
  std::size_t bytes = 0;
  for (const Value& item : items) bytes += bytes_of(item);
  return {kind, static_cast<std::int64_t>(bytes),
          0,    nullptr,
          0,    std::make_shared<const std::vector<Value>>(std::move(items))};
}

std::optional<bool> equals(const Value& a, const Value& b) {
  if (a.is(Kind::Null) || b.is(Kind::Null)) return std::nullopt;
  if (a.is_number() && b.is_number()) return numbers(a, b) == 0;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::Text: return *a.text == *b.text;
    case Kind::Time: return times(a, b) == 0;
    case Kind::List:
    case Kind::Path: return lists_equal(*a.items, *b.items);
    case Kind::Null:
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
    case Kind::Node:
    case Kind::Relationship: break;
  }
  return a.integer == b.integer;
}

std::optional<std::partial_ordering> compared(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return numbers(a, b);
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Kind::Text: return *a.text <=> *b.text;
    case Kind::Time: return times(a, b);
    case Kind::Bool: return a.integer <=> b.integer;
    case Kind::List: return lists_compared(*a.items, *b.items);
    case Kind::Null:
    case Kind::Int:
    case Kind::Float:
    case Kind::Node:
    case Kind::Relationship:
    case Kind::Path: break;
  }
  return std::nullopt;
}

std::weak_ordering ordered(const Value& a, const Value& b) {
  if (place_of(a.kind) != place_of(b.kind)) return place_of(a.kind) <=> place_of(b.kind);
  switch (a.kind) {
    case Kind::Null: return std::weak_ordering::equivalent;
    case Kind::Int:
    case Kind::Float: return weak(numbers(a, b), a, b);
    case Kind::Text: return *a.text <=> *b.text;
    case Kind::Time: return weak(times(a, b), a, b);
    case Kind::List:
    case Kind::Path:
      return std::lexicographical_compare_three_way(a.items->begin(), a.items->end(), b.items->begin(), b.items->end(),
                                                    ordered);
    case Kind::Bool:
    case Kind::Node:
    case Kind::Relationship: break;
  }
  return a.integer <=> b.integer;
}

bool is_one(const Value& a, const Value& b) { return ordered(a, b) == 0; }

std::size_t hash_of(const Value& value) {
  const auto mixed = [](std::size_t a, std::size_t b) {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
    return (a ^ (b + kOdd + (a << 6U) + (a >> 2U))) * kOdd;
  };
  std::size_t hash = static_cast<std::size_t>(place_of(value.kind));
  switch (value.kind) {
    case Kind::Null: return hash;
    case Kind::Text: return mixed(hash, std::hash<std::string>()(*value.text));
    // Of whole seconds: times of different units may be one.
    case Kind::Time:
      return mixed(hash, static_cast<std::size_t>(value.integer / static_cast<std::int64_t>(value.per_second)));
    case Kind::Float: {
      if (std::isnan(value.number)) return mixed(hash, 1);
      const bool is_int =
          std::trunc(value.number) == value.number && value.number >= -kBeyondInts && value.number < kBeyondInts;
      if (!is_int) return mixed(hash, std::hash<double>()(value.number));
      return mixed(hash, static_cast<std::size_t>(static_cast<std::int64_t>(value.number)));
    }
    case Kind::List:
    case Kind::Path:
      for (const Value& item : *value.items) hash = mixed(hash, hash_of(item));
      return hash;
    case Kind::Bool:
    case Kind::Int:
    case Kind::Node:
    case Kind::Relationship: break;
  }
  return mixed(hash, static_cast<std::size_t>(value.integer));
}

std::size_t bytes_of(const Value& value) {
  return sizeof(Value) + (value.items == nullptr ? 0 : static_cast<std::size_t>(value.integer));
}

std::size_t RowHash::operator()(const std::vector<Value>& row) const {
  std::size_t hash = row.size();
  constexpr std::size_t kOdd = 0x100000001b3;
  for (const Value& value : row) hash = (hash * kOdd) ^ hash_of(value);
  return hash;
}

bool RowsAreOne::operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
  return std::ranges::equal(a, b, is_one);
}

}  // namespace matcha::session::statement
