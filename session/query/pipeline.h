#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "question/query/statement.h"
#include "session/query/evaluator.h"
#include "session/query/matcher.h"
#include "session/query/store.h"

namespace matcha::session::statement {

/// A step of a statement: takes rows and gives others to the next one.
class Stage {
 public:
  virtual ~Stage() = default;
  /// Takes a row as many times as `weight` says. False: no more are wanted.
  virtual bool take(Value* row, std::uint64_t weight) = 0;
  /// After the last row.
  virtual void finish() = 0;
};

/// A statement with the numbers of its columns, tests and patterns in a store, as stages.
class Pipeline {
 public:
  /// Takes a row of the answer as many times as `weight` says; false: no more are wanted.
  using OnRow = std::function<bool(const Value* row, std::uint64_t weight)>;

  /// The values of the parameters of a statement, as terms.
  using Parameters = std::map<std::string, query::Term>;

  /// Requires: each parameter has a value. `store` and `progress` outlive it.
  Pipeline(const query::Statement& statement, const Parameters& parameters, Store& store, Progress& progress);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Gives all rows. How it ended is in the progress.
  void run(const OnRow& on_row);

 private:
  struct Predicate {
    std::unique_ptr<Matcher> matcher;
    bool is_constant = false;   ///< It reads nothing of the row,
    std::optional<bool> known;  ///< and this is its value.
  };
  void resolve(query::Term& term);
  void resolve(query::MatchClause& clause);
  void resolve(query::Projection& projection);
  Stage& add(std::unique_ptr<Stage> stage);
  Stage& make_part(std::size_t number, Stage& next);
  Stage& make_projection(const query::Projection& projection, std::size_t slots, Stage& next);

  query::Statement statement_;
  Parameters parameters_;
  Store& store_;
  Progress& progress_;
  Evaluator evaluator_;
  std::vector<Predicate> patterns_;  ///< In conditions, by number.
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace matcha::session::statement
