#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "question/query/statement.h"
#include "session/query/evaluator.h"
#include "session/query/value.h"

namespace matcha::session::statement {

/// The state of an aggregate for the rows of a group.
class Aggregate {
 public:
  /// Adds a value `weight` times. False after an error.
  bool take(const query::Term& term, const Value& value, std::uint64_t weight, Progress& progress);
  /// Adds a row, for `count(*)`. False after an error.
  bool take_row(const query::Term& term, std::uint64_t weight, Progress& progress);
  Value value(const query::Term& term, Progress& progress) const;

 private:
  bool add(const query::Term& term, const Value& value, std::uint64_t weight, Progress& progress);

  std::uint64_t count_ = 0;
  __int128 sum_ = 0;
  double float_sum_ = 0;
  bool has_float_ = false;
  Value best_;
  std::vector<Value> items_;
  std::unordered_set<std::vector<Value>, RowHash, RowsAreOne> seen_;
};

/// Groups of rows with equal keys, in the order of their first rows.
class Groups {
 public:
  /// `aggregates`: their terms. All arguments outlive the groups.
  Groups(const std::vector<query::Term>& aggregates, const Evaluator& evaluator, Progress& progress, SourceLoc loc)
      : aggregates_(aggregates), evaluator_(evaluator), progress_(progress), loc_(loc) {}

  /// Adds a row to the group of its key. False after an error.
  bool take(std::vector<Value> key, Value* row, std::uint64_t weight);
  /// Adds the group without rows, which exists if there are no keys.
  void add_empty();
  struct Group {
    std::vector<Value> key;
    std::vector<Aggregate> aggregates;
  };
  const std::vector<Group>& all() const { return groups_; }

 private:
  const std::vector<query::Term>& aggregates_;
  const Evaluator& evaluator_;
  Progress& progress_;
  SourceLoc loc_;
  std::vector<Group> groups_;
  std::unordered_map<std::vector<Value>, std::size_t, RowHash, RowsAreOne> by_key_;
};

}  // namespace matcha::session::statement
