#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ir/support/diagnostics.h"
#include "question/conditions.h"
#include "session/ledger/table.h"

namespace matcha::session::ledger {

/// The type of a value in a condition.
enum class Type : std::uint8_t { Null, Bool, Int, Float, Text, Vertex };

/// The type of a value of a condition that `resolve` has checked.
Type type_of(const pattern::Condition& value, const Table& table);

/// Checks the types of a condition. Durations, and texts that are compared with times, become ints in the units of the
/// columns. False after an error, which is reported with its location. Sets `assumes_seconds` if a duration is compared
/// with numbers for which the user gave no unit.
bool resolve(pattern::Condition& condition, const Table& table, Diagnostics& diagnostics, bool& assumes_seconds);

/// Evaluates conditions on rows of the table.
class Evaluator {
 public:
  /// Returns the row of an edge, or the rank of a vertex.
  using Find = std::function<std::uint64_t(pattern::Subject)>;

  explicit Evaluator(const Table& table) : table_(table) {}

  /// True, false, or nothing for unknown. Requires: `resolve` has checked the condition.
  std::optional<bool> holds(const pattern::Condition& condition, const Find& find);
  /// The location of an overflow of 64 bits, if there was one.
  const std::optional<SourceLoc>& maybe_overflow() const { return maybe_overflow_; }

 private:
  struct Value {
    Type type = Type::Null;
    std::int64_t integer = 0;
    double number = 0;
  };

  Value value(const pattern::Condition& term, const Find& find);
  Value computed(const pattern::Condition& term, const Find& find);

  const Table& table_;
  std::optional<SourceLoc> maybe_overflow_;
};

}  // namespace matcha::session::ledger
