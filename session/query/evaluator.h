#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "question/query/statement.h"
#include "session/query/store.h"
#include "session/query/value.h"
#include "session/status.h"

namespace matcha::session::statement {

/// The state that the steps of a statement share: its end, and the memory of the rows that they keep.
struct Progress {
  struct Failure {
    Status status = Status::Run;
    SourceLoc loc;
    std::string message, hint;
  };

  std::function<bool()> is_to_stop;                    ///< True after a signal or a time limit; empty: no stops.
  std::uint64_t most_bytes = std::uint64_t{1} << 30U;  ///< The limit for rows that sorting, groups and DISTINCT keep.
  std::uint64_t bytes = 0;
  std::optional<Failure> failure;  ///< The first one.
  bool is_stopped = false;         ///< By a signal or a time limit.
  std::uint32_t ticks = 0;

  /// True if the run has to end: after an error, a signal or the time limit. Call it in every loop.
  bool is_over() {
    constexpr std::uint32_t kBetween = 1024;
    if (++ticks % kBetween == 0 && is_to_stop && is_to_stop()) is_stopped = true;
    return is_stopped || failure.has_value();
  }
  void fail(SourceLoc loc, std::string message, std::string hint = {}, Status status = Status::Run) {
    if (!failure) failure = {status, loc, std::move(message), std::move(hint)};
  }
  /// Counts `more` bytes that are kept. False, with an error, if they exceed the limit.
  bool keep(std::uint64_t more, SourceLoc loc);
  /// Tests the same without counting them. False, with an error, if they would exceed the limit.
  bool may_keep(std::uint64_t more, SourceLoc loc);
};

/// True if a pattern of a condition, given by its number, has a match for a row.
using HasMatch = std::function<bool(std::size_t pattern, Value* row)>;

/// Evaluates resolved terms.
class Evaluator {
 public:
  Evaluator(const Store& store, Progress& progress) : store_(store), progress_(progress) {}

  /// The value of a term; null after an error, which is in the progress.
  Value value(const query::Term& term, Value* row) const;
  /// True, false, or nothing for unknown.
  std::optional<bool> truth(const query::Term& term, Value* row) const;
  bool holds(const query::Term& term, Value* row) const { return truth(term, row).value_or(false); }

  HasMatch has_match;

 private:
  std::optional<bool> truth_of(const Value& value, SourceLoc loc) const;
  std::optional<bool> all_or_any(const query::Term& term, Value* row) const;
  /// Converts a text that is compared with a time to the time that it spells. An error if it spells none.
  void read_times(Value& left, Value& right, SourceLoc loc) const;
  std::optional<bool> compared_as(const query::Term& term, Value* row) const;
  std::optional<bool> is_in(const query::Term& term, Value* row) const;
  std::optional<bool> in_text(const query::Term& term, Value* row) const;
  Value computed(const query::Term& term, Value* row) const;
  /// Adds a number of seconds to a time, or subtracts it.
  Value moved(const query::Term& term, const Value& time, const Value& by) const;
  Value whole(const query::Term& term, std::int64_t left, std::int64_t right) const;
  Value item(const query::Term& term, Value* row) const;
  Value called(const query::Term& term, Value* row) const;
  /// Of CASE.
  Value chosen(const query::Term& term, Value* row) const;
  /// `date` and `datetime`.
  Value time(const query::Term& term, const Value& of) const;
  Value range(const query::Term& term, Value* row) const;
  Value of_list(const query::Term& term, const Value& list) const;
  Value property(const query::Term& term, Value* row) const;
  Value fail(SourceLoc loc, const std::string& message, const std::string& hint = {}) const;

  const Store& store_;
  Progress& progress_;
};

/// `a node`, `a number`.
std::string name_of(Value::Kind kind);

}  // namespace matcha::session::statement
