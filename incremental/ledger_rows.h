#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "incremental/timed_columns.h"
#include "incremental/update.h"
#include "incremental/vertex_names.h"
#include "session/ledger/columns.h"

namespace matcha::session::stream {

/// A line of a table of edges.
struct LedgerRow {
  std::uint32_t u = 0, v = 0;      ///< Numbers of vertices: see `LedgerRows::ids`.
  std::int64_t time = 0;           ///< In the units of `LedgerRows::per_second`.
  std::uint64_t number = 0;        ///< Its number among the lines that are no headings, from 0.
  std::uint64_t line = 0;          ///< Its line in the file, from 1.
  std::vector<std::string> cells;  ///< The cells of the columns that are wanted.
};

/// The forms of the cells of a column of the rows that are there.
class CellForms {
 public:
  void add(std::string_view cell, std::uint64_t line);
  void remove(std::string_view cell);
  /// Times beyond the range of their finest unit are text, as in a table. A column that had a row without a value may
  /// have another one.
  ledger::ColumnForm form() const;
  /// The last line with a cell that is text.
  std::uint64_t text_line() const { return text_line_; }

 private:
  std::array<std::uint64_t, 6> counts_{};         ///< By kind.
  std::map<std::uint64_t, std::uint64_t> units_;  ///< How many times have this unit, by units of a second.
  std::uint64_t far_ = 0;                         ///< Times that no nanoseconds in 64 bits hold.
  std::uint64_t text_line_ = 0;
  bool may_lack_ = false;
};

/// The rows of a table that a stream reads line by line. The rows in the window are in the order of their times. A row
/// keeps the cells of the columns that a pattern reads.
class LedgerRows {
 public:
  /// `columns`: by name; the empty one is the time. `per_second`: of times that are numbers. Others may be empty.
  struct Request {
    std::vector<std::string> columns;
    std::string edge_label, edge_id;
    std::vector<std::string> named;  ///< Columns that the user named; they must be there.
    std::uint64_t per_second = 1;
    bool has_unit = false;

    /// Columns and labels that a pattern asks for, beside these.
    void add(const Request& more);
  };
  explicit LedgerRows(Request request);

  // For each line.

  /// Finds the columns in a file, when those of ends and times are known. On false, `error` has the reason.
  bool choose(const TimedColumns& columns, std::string& error);
  /// Reads a time: a number, or a date and time, in the form of the first one. On false, `error` has the reason.
  bool read_time(std::string_view cell, std::int64_t& time, std::string& error);
  /// Reads the cells of a line that became an update. On false, `error` has the reason.
  bool read_cells(std::string_view line, const TimedColumns& columns, std::string& error);
  /// The number of the next row, from 1: a name of it in a batch.
  std::uint64_t next_row() const { return lines_ + 1; }
  /// Stores the line whose cells were read last; `line` is its number in its file. `is_kept`: it was not too late.
  void take(const Update& update, std::uint64_t line, bool is_kept);

  /// The names of vertices, where ids are text; known with the first row.
  void take_names(std::shared_ptr<VertexNames> maybe_names) { names_ = std::move(maybe_names); }
  const VertexNames* names() const { return names_.get(); }
  VertexNames* names() { return names_.get(); }
  /// Units of a second in times; known with the first row.
  std::uint64_t per_second() const { return per_second_; }
  bool has_dates() const { return has_dates_; }

  // Between batches.

  /// The rows in the window and those that wait for a batch. `restore` requires such a value, and no rows.
  nlohmann::json saved() const;
  void restore(const nlohmann::json& saved);

  const Request& request() const { return request_; }
  /// The place of the column with the times is that of this wanted column, too.
  bool is_time(std::size_t column) const { return are_times_[column]; }
  bool is_chosen() const { return is_chosen_; }
  std::uint64_t size() const { return live_.size(); }
  /// The ids of all vertices so far, by number.
  const std::vector<std::int64_t>& ids() const { return ids_; }
  const LedgerRow& row(std::uint64_t at) const { return live_[at]; }
  /// The first row with at least this time, or after it.
  std::uint64_t first_from(__int128 time) const;
  std::uint64_t first_after(__int128 time) const;
  /// Inserts these waiting rows after all others, in the order of their times.
  void add(const std::vector<std::uint64_t>& rows);
  /// Deletes the first `count` rows in two steps: `forget` removes them from `forms`, then `remove` deletes them.
  void forget(std::uint64_t count);
  void remove(std::uint64_t count);
  const CellForms& forms(std::size_t column) const { return forms_[column]; }
  /// Places among the cells of a row.
  std::optional<std::size_t> label_cell() const { return label_cell_; }
  std::optional<std::size_t> id_cell() const { return id_cell_; }

 private:
  std::uint32_t number_of(std::int64_t id);
  void add_live(LedgerRow row);

  Request request_;
  std::vector<std::string> cell_names_;  ///< The columns of the cells of a row.
  std::vector<unsigned> places_;         ///< In lines of the file, of the cells of a row.
  std::vector<bool> are_times_;          ///< For each of these, true if it is the column of times.
  unsigned time_place_ = 0;
  std::optional<std::size_t> label_cell_, id_cell_;
  bool is_chosen_ = false, has_dates_ = false, has_time_ = false;
  std::uint64_t per_second_ = 1;
  std::uint64_t lines_ = 0;
  std::vector<std::string> cells_;  ///< The cells of the line that was read last.
  std::shared_ptr<VertexNames> names_;
  std::vector<std::int64_t> ids_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
  std::map<std::uint64_t, LedgerRow> waiting_;  ///< Rows for the next batch, by `next_row` when they were read.
  std::deque<LedgerRow> live_;
  std::vector<CellForms> forms_;  ///< The forms of the wanted columns.
};

}  // namespace matcha::session::stream
