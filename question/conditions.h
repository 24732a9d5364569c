#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/source.h"

/// Conditions on the columns of the vertices and edges of a pattern.
namespace matcha::pattern {

/// A vertex or an edge of a pattern.
struct Subject {
  bool of_edge = false;
  std::size_t index = 0;

  bool operator==(const Subject&) const = default;
};

/// A condition, or a value in one. Comparisons with null are unknown; a match needs conditions that are true.
struct Condition {
  enum class Kind : std::uint8_t {
    Null,
    Bool,      ///< `integer`: 0 or 1.
    Int,       ///< `integer`.
    Float,     ///< `number`.
    Text,      ///< `text`.
    Duration,  ///< `integer` times the unit `text`: `ns`, `us`, `ms`, `s`, `m`, `h`, `d` or `w`.
    Column,    ///< Column `text` of `subject`; without a name the time of an edge, or the vertex itself.
    Negative,
    Sum,
    Difference,
    Product,
    Less,
    AtMost,
    Equal,
    Different,
    And,
    Or,
    Not,
    IsNull,
  };

  Kind kind = Kind::Null;
  SourceLoc loc{};
  std::vector<Condition> parts{};
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};
  Subject subject{};

  bool is_comparison() const { return kind >= Kind::Less && kind <= Kind::Different; }
  bool is_logical() const { return kind >= Kind::Less; }
};

/// The text in quotes. Different texts have different ones.
std::string quoted(std::string_view text);

/// The condition as text, with the names of its subjects: `x.amount > 0.9 * y.amount` is `0.9 * y.amount < x.amount`.
/// Different conditions have different texts. `in_order`: operands that may change places are sorted, so that
/// conditions that differ in nothing else are equal.
std::string to_text(const Condition& term, const std::function<std::string(Subject)>& name, bool in_order = false);

/// Calls `f` with each column in the condition.
void for_each_column(const Condition& term, const std::function<void(const Condition&)>& f);

/// The conditions that `term` is a conjunction of.
std::vector<Condition> conjuncts_of(Condition term);

}  // namespace matcha::pattern
