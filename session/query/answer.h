#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "question/query/statement.h"
#include "session/prepared.h"
#include "session/query/pipeline.h"
#include "session/query/store.h"
#include "session/reporter.h"
#include "session/resident_graph.h"

/// Answers of statements of Cypher, for all surfaces.
namespace matcha::session::statement {

/// The values of parameters, each `NAME=VALUE`, which is a number, `true`, `false`, `null`, or text, also in quotes.
/// Errors (Usage) are reported: of a parameter without a value, and of one that the statement does not have.
Status bind_parameters(const query::Statement& statement, const SourceManager& sources,
                       const std::vector<std::string>& given, const Reporter& log, Pipeline::Parameters& bound);

/// `RETURN count(*)` is a number.
bool is_count(const query::Statement& statement);
/// The names of the columns.
std::vector<std::string> names_of(const query::Statement& statement);

/// Passes all rows to the callback. Errors are reported with their location. Interrupted: the run was stopped.
Status run(const query::Statement& statement, const SourceManager& sources, const Pipeline::Parameters& parameters,
           Store& store, Progress& progress, const Pipeline::OnRow& on_row, const Reporter& log);

/// Rows as JSON.
class JsonRows {
 public:
  /// How a row, or a value, is written.
  enum class Form : std::uint8_t {
    Plain,   ///< A row of one column is its value; nodes and relationships are ids.
    Marked,  ///< A row is an array; `{"node": 3}`, `{"edge": 5}`, `{"path": […]}` and `{"float": "inf"}` are values.
  };
  /// `store` outlives it.
  JsonRows(const query::Statement& statement, const Store& store, Form form);

  /// A row as text.
  std::string line(const Value* row) const;
  /// Keeps a row `weight` times. False if there is no room, which is an error of the progress, or after a stop.
  bool take(const Value* row, std::uint64_t weight, Progress& progress);
  /// All rows that were kept, as an array; of `RETURN count(*)` the number.
  std::string text() const;
  std::uint64_t count() const { return count_; }

 private:
  void append(std::string& out, const Value& value) const;

  std::size_t columns_;
  bool is_count_;
  SourceLoc loc_;
  const Store& store_;
  Form form_;
  std::string text_;
  std::uint64_t count_ = 0;
};

/// A statement in the text of a request, for graphs in memory. The request and the statement outlive it.
class InMemory {
 public:
  InMemory(const ProgramRequest& request, const query::Statement& statement);

  /// Checks the options and the parameters of the request. Errors (Usage) are reported.
  Status check(const Reporter& log);
  /// Reads the graph. Errors are reported. Requires: the check succeeded.
  Status take(ResidentGraph& graph, const Reporter& log) { return store_.take(statement_, sources_, graph, log); }
  /// Passes all rows to the callback, as `run`.
  Status run(Progress& progress, const Pipeline::OnRow& on_row, const Reporter& log) {
    return statement::run(statement_, sources_, parameters_, store_, progress, on_row, log);
  }
  const Store& store() const { return store_; }

 private:
  const ProgramRequest& request_;
  const query::Statement& statement_;
  SourceManager sources_;
  Pipeline::Parameters parameters_;
  Store store_;
};

/// The line that describes the answer of a statement on a graph in memory.
inline constexpr const char* kMeaningInMemory = "query: rows; edges: each of the graph";

}  // namespace matcha::session::statement
