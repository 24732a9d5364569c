#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Values of statements, with the comparisons and the order of openCypher.
namespace matcha::session::statement {

/// A value. Text and lists live as long as the run.
struct Value {
  enum class Kind : std::uint8_t { Null, Bool, Int, Float, Text, Time, Node, Relationship, List, Path };

  Kind kind = Kind::Null;
  /// Bool, Int, Time; the rank of a node; the row of a relationship; about the bytes of the items of a list or path.
  std::int64_t integer = 0;
  double number = 0;                  ///< Float.
  const std::string* text = nullptr;  ///< Text.
  std::uint64_t per_second = 0;       ///< Time: units of a second.
  /// List; Path: a node, and for each relationship that and a further node.
  std::shared_ptr<const std::vector<Value>> items = nullptr;

  static Value of(Kind kind, std::int64_t integer) { return {kind, integer}; }
  static Value of_float(double number) { return {Kind::Float, 0, number}; }
  static Value of_text(const std::string& text) { return {Kind::Text, 0, 0, &text}; }
  static Value of_list(std::vector<Value> items, Kind kind = Kind::List);
  bool is(Kind what) const { return kind == what; }
  bool is_number() const { return kind == Kind::Int || kind == Kind::Float; }
};

/// `a = b`; nothing for unknown. Values of different types differ.
std::optional<bool> equals(const Value& a, const Value& b);
/// The order of two numbers, texts, times or Booleans; nothing if `<` is unknown.
std::optional<std::partial_ordering> compared(const Value& a, const Value& b);
/// The order of ORDER BY, for values of all types: null is last, NaN before it.
std::weak_ordering ordered(const Value& a, const Value& b);
/// True if DISTINCT and groups treat two values as equal: null equals null, and 1 equals 1.0.
bool is_one(const Value& a, const Value& b);
std::size_t hash_of(const Value& value);
/// The approximate size of a copy in bytes, with the items of its lists.
std::size_t bytes_of(const Value& value);

/// Rows as keys.
struct RowHash {
  std::size_t operator()(const std::vector<Value>& row) const;
};
struct RowsAreOne {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const;
};

}  // namespace matcha::session::statement
