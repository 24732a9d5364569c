#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "incremental/engine.h"
#include "incremental/ledger_forms.h"
#include "incremental/ledger_rows.h"
#include "session/ledger/ledger.h"

namespace matcha::session::stream {

/// A pattern on the columns of a table whose rows are inserted and deleted.
struct LedgerPattern {
  /// Reads the pattern of the request, which outlives it, and the tables of vertices. `bind`: the tables. Errors are
  /// reported: Usage, for options that are not for it.
  static Status read(const ProgramRequest& request, const BindOptions& bind, const runtime::IoOptions& io,
                     const Reporter& reporter, std::unique_ptr<LedgerPattern>& out);

  LedgerPattern(const PatternOptions& options, const Reporter& reporter) : source(options, reporter) {}

  PatternSource source;
  ledger::Question question;
  ledger::Wanted wanted;
  ledger::Table vertices;  ///< Their columns and labels, and no edges.
  LedgerRows::Request request;
};

/// Keeps the answer of one such pattern by counting the matches with an inserted or a deleted row. For a batch, call
/// `begin`; then `before`, when its rows are inserted and the types of columns are known; then `after`, when the
/// expired rows are deleted.
class LedgerProgram {
 public:
  LedgerProgram(std::unique_ptr<LedgerPattern> pattern, std::shared_ptr<LedgerRows> rows, Prepared::Reading reading);

  /// Errors go to the reporter: Usage, if the method that the options name does not keep the answer.
  Status open(const ProgramRequest& request, const ProgramOptions& options, bool directed,
              std::shared_ptr<const Reporter> reporter);
  const planner::Decision& decision() const { return decision_; }
  const frontend::Type& result_type() const { return type_; }
  const std::string& semantics() const { return semantics_; }
  const std::vector<std::string>& row_names() const { return row_names_; }

  struct Batch {
    std::uint64_t before = 0;   ///< The number of rows in the window before the batch.
    std::uint64_t left = 0;     ///< How many of these leave, the first ones.
    std::uint64_t leaving = 0;  ///< How many rows leave, including rows of the batch itself.
  };
  /// Answers with all matches of the present rows.
  Status start(const ApplyOptions& options, Answer& answer);
  /// Forgets the total, which rows that were not counted changed.
  void invalidate() { total_.reset(); }
  /// Call it before rows are inserted. Counts all matches if the total is not known.
  Status begin(const ApplyOptions& options);
  Status before(const Batch& batch);
  Status after(const Batch& batch, Answer& answer);

 private:
  using Column = ledger::Column;
  using ColumnForm = ledger::ColumnForm;
  using Table = ledger::Table;
  using Rows = LedgerSide::Rows;

  struct Changes {
    RowSet removed, added;
    __int128 minus = 0, plus = 0;
  };
  struct Known {
    std::vector<ColumnForm> forms;
    std::unique_ptr<LedgerForm> form;
  };

  bool lists() const { return options_.rows; }
  bool by_line() const { return pattern_->question.meaning.by_line; }
  const std::string& name_of(std::size_t column) const { return rows_->request().columns[column]; }
  void find_columns();
  std::vector<ColumnForm> forms() const;
  LedgerSide side_of(Rows table, const std::vector<ColumnForm>& forms);
  std::vector<std::int64_t> rank_ends(Table& table, Rows rows);
  void take_edges(Table& table, Rows rows, const std::vector<ColumnForm>& forms) const;
  void take_vertices(Table& table, const std::vector<std::int64_t>& ids);
  std::string id_text(std::int64_t id) const;
  std::optional<std::uint32_t> rank_of(const std::string& text, const std::vector<std::int64_t>& sorted) const;
  LedgerForm* known_form(const std::vector<ColumnForm>& forms);
  Status make_form(const std::vector<ColumnForm>& forms, const LedgerSide& sample, LedgerForm*& out);
  void say_texts(const std::vector<ColumnForm>& forms) const;
  Status count_side(Rows own, Rows changed, bool is_insert, const std::vector<ColumnForm>& types, RowSet& found,
                    __int128& count);
  Status count_pairs(const Batch& batch);
  Status count_all(std::uint64_t rows, const std::vector<ColumnForm>& types, RowSet& found, __int128& count);
  Status count_in(LedgerForm& form, const LedgerSide& side, std::uint64_t begin, bool is_insert, bool all,
                  RowSet& found, __int128& count);
  void put(Answer& answer);

  std::unique_ptr<LedgerPattern> pattern_;
  std::shared_ptr<LedgerRows> rows_;
  Prepared::Reading reading_;
  std::shared_ptr<const Reporter> reporter_;
  ProgramRequest request_;
  ProgramOptions options_;
  planner::Decision decision_;
  bool recomputes_ = false, has_columns_ = false;
  std::vector<std::size_t> columns_;  ///< The columns of the rows that the pattern asks for.
  std::optional<RowPrograms> programs_;
  std::vector<Known> known_forms_;
  std::string semantics_;
  std::vector<std::string> row_names_;
  frontend::Type type_{frontend::Type::Kind::Int};
  codegen::RunOptions run_;
  std::optional<__int128> total_;                               ///< Nothing: it is not known.
  std::unordered_map<std::string, std::uint32_t> known_;        ///< Ranks in the table of vertices, by id.
  std::vector<std::uint32_t> ranks_;                            ///< By number of a vertex, while rows are ranked.
  std::unordered_map<std::int64_t, std::uint32_t> rank_by_id_;  ///< The same, by id of the stream.
  std::unordered_map<std::uint64_t, std::string> edge_ids_;     ///< The ids of the rows of a batch, by number.

  // The state of the current batch.
  std::vector<ColumnForm> old_forms_, new_forms_;
  Changes changes_;
  bool again_ = false;  ///< All rows are counted.
};

}  // namespace matcha::session::stream
