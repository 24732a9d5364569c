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

/// A step of a statement: gets rows, and passes other rows to the next step.
class Stage {
 public:
  virtual ~Stage() = default;
  /// Processes a row `weight` times. False: no more rows are wanted.
  virtual bool take(Value* row, std::uint64_t weight) = 0;
  /// Called after the last row.
  virtual void finish() = 0;
};

/// The stages of a statement. Columns, tests and patterns have their numbers in a store.
class Pipeline {
 public:
  /// Gets a row of the answer, which counts `weight` times. Returns false if no more are wanted.
  using OnRow = std::function<bool(const Value* row, std::uint64_t weight)>;

  /// The values of the parameters of a statement, as terms.
  using Parameters = std::map<std::string, query::Term>;

  /// Requires: each parameter has a value. `store` and `progress` outlive it.
  Pipeline(const query::Statement& statement, const Parameters& parameters, Store& store, Progress& progress);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Passes all rows of the answer to `on_row`. The progress has errors and stops.
  void run(const OnRow& on_row);

 private:
  struct Predicate {
    std::unique_ptr<Matcher> matcher;
    bool is_constant = false;   ///< It does not depend on the row.
    std::optional<bool> known;  ///< The value of a constant one, once it is computed.
  };
  void resolve(query::Term& term);
  void resolve(query::MatchClause& clause);
  void resolve(query::Projection& projection);
  Stage& add(std::unique_ptr<Stage> stage);
  Stage& make_part(const std::vector<query::StatementPart>& parts, std::size_t number, Stage& next);
  Stage& make_projection(const query::Projection& projection, std::size_t slots, Stage& next);

  query::Statement statement_;
  Parameters parameters_;
  Store& store_;
  Progress& progress_;
  Evaluator evaluator_;
  std::vector<Predicate> patterns_;  ///< The patterns in conditions, by number.
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace matcha::session::statement
