#include "incremental/timed_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "incremental/update_cells.h"
#include "runtime/graph/column_names.h"
#include "session/ledger/columns.h"

namespace matcha::session::stream {

namespace {

using Names = std::vector<std::string>;
using runtime::ColumnRole;

constexpr const char* kHow =
    "\n  hint: name them: `--updates FILE:SRC,DST,TIME`, by names of the heading or numbers from 0";

/// A number, or a date.
bool is_number(const std::string& cell) {
  if (ledger::time_of(cell, 1'000'000'000)) return true;
  double ignored = 0;
  const std::from_chars_result read = std::from_chars(cell.data(), cell.data() + cell.size(), ignored);
  return !cell.empty() && read.ec == std::errc() && read.ptr == cell.data() + cell.size();
}

std::optional<unsigned> place_of(const Names& heading, const std::string& name) {
  const auto found = std::find(heading.begin(), heading.end(), name);
  if (found == heading.end()) return std::nullopt;
  return static_cast<unsigned>(found - heading.begin());
}

class Choice {
 public:
  Choice(const ColumnRequest& request, TimedColumns& columns, std::string& error)
      : request_(request), columns_(columns), error_(error) {}

  bool choose(std::string_view line, std::string_view comment, bool& is_heading) {
    const char separator = runtime::separator_of(line);
    const Names above =
        cells_of(comment.substr(std::min(comment.find_first_not_of("#%/ \t"), comment.size())), separator);
    error_.clear();  // Comments are free to have quotes.
    const Names first = cells_of(line, separator);
    if (!error_.empty()) return false;
    for (const Names* heading : {&above, &first}) {
      const bool is_comment = heading == &above;
      if (is_comment ? above.size() != first.size() : !is_heading_line(first)) continue;
      if (is_comment && !names_columns(above)) continue;
      is_heading = !is_comment;
      columns_.has_heading = is_heading;
      columns_.heading = *heading;
      columns_.separator = separator;
      return by_heading(*heading);
    }
    return without_heading(first, separator);
  }

 private:
  /// All cells of a line; a fault of them is the error.
  Names cells_of(std::string_view line, char separator) {
    CellWalk walk(line, separator);
    Names cells;
    for (std::string_view cell; walk.next(cell);) cells.emplace_back(cell);
    error_ = walk.fault();
    return cells;
  }

  bool has_names() const {
    return std::any_of(request_.columns.begin(), request_.columns.end(),
                       [](const auto& column) { return !column.name.empty(); });
  }

  bool has_all_names(const Names& heading) const {
    return std::all_of(request_.columns.begin(), request_.columns.end(), [&heading](const runtime::ColumnRef& column) {
      return column.name.empty() || place_of(heading, column.name);
    });
  }

  /// True if a comment above has the properties of a heading.
  bool names_columns(const Names& heading) const {
    return (has_names() && has_all_names(heading)) || (runtime::usual_ends(heading) && time_of(heading));
  }

  /// True if the time is not a number although it must be one.
  bool is_heading_line(const Names& first) const {
    if (has_names() && (request_.is_strict || has_all_names(first))) return true;
    if (runtime::usual_ends(first) && time_of(first)) return true;
    const runtime::ColumnRef& time = request_.columns[TimedColumns::kTime];
    const std::size_t at = time.is_given ? time.index : columns_.index[TimedColumns::kTime];
    if (first.size() <= at || is_number(first[at])) return false;
    return std::none_of(first.begin(), first.end(), is_number);
  }

  static std::optional<unsigned> time_of(const Names& heading) {
    std::optional<unsigned> found;
    for (unsigned at = 0; at < heading.size(); ++at) {
      if (!runtime::is_usual_name(heading[at], ColumnRole::Time)) continue;
      if (found) return std::nullopt;
      found = at;
    }
    return found;
  }

  bool by_heading(const Names& heading) {
    std::vector<bool> is_taken(heading.size());
    std::array<bool, 3> is_open{};
    for (std::size_t at = 0; at < heading.size(); ++at) is_taken[at] = runtime::is_unnamed(heading[at]);
    for (std::size_t role = 0; role < request_.columns.size(); ++role) {
      const runtime::ColumnRef& column = request_.columns[role];
      const std::optional<unsigned> place = column.name.empty() ? column.index : place_of(heading, column.name);
      is_open[role] = !column.is_given || (!request_.is_strict && !place);
      if (is_open[role]) continue;
      if (!place || *place >= heading.size()) {
        error_ =
            fmt::format("there is no column `{}`\n  hint: its columns are `{}`",
                        column.name.empty() ? std::to_string(column.index) : column.name, fmt::join(heading, "`, `"));
        return false;
      }
      columns_.index[role] = *place;
      is_taken[*place] = true;
    }
    if (is_open[TimedColumns::kTime]) {
      const std::optional<unsigned> time = time_of(heading);
      std::vector<unsigned> left = left_of(is_taken);
      const std::optional<runtime::EndColumns> ends = runtime::usual_ends(heading);
      if (ends) std::erase_if(left, [&ends](unsigned at) { return at == ends->source || at == ends->target; });
      const bool is_last = !is_open[TimedColumns::kSource] || ends ? left.size() == 1 : left.size() == 3;
      if (!time && !is_last) return ask("which column has the times?", heading);
      columns_.index[TimedColumns::kTime] = time ? *time : left.back();
      is_taken[columns_.index[TimedColumns::kTime]] = true;
    }
    if (is_open[TimedColumns::kSource]) {
      const std::optional<runtime::EndColumns> ends = runtime::usual_ends(heading);
      const std::vector<unsigned> left = left_of(is_taken);
      if (!ends && left.size() != 2) return ask("which columns are the ends of an edge?", heading);
      columns_.index[TimedColumns::kSource] = ends ? ends->source : left[0];
      columns_.index[TimedColumns::kTarget] = ends ? ends->target : left[1];
    }
    columns_.count = static_cast<unsigned>(heading.size());
    return true;
  }

  static std::vector<unsigned> left_of(const std::vector<bool>& is_taken) {
    std::vector<unsigned> left;
    for (unsigned at = 0; at < is_taken.size(); ++at) {
      if (!is_taken[at]) left.push_back(at);
    }
    return left;
  }

  bool ask(const char* question, const Names& heading) {
    error_ = fmt::format("{} The heading has {}: `{}`{}", question, heading.size(), fmt::join(heading, "`, `"), kHow);
    return false;
  }

  bool without_heading(const Names& first, char separator) {
    bool is_given = false;
    for (std::size_t role = 0; role < request_.columns.size() && request_.is_strict; ++role) {
      if (!request_.columns[role].is_given) continue;
      columns_.index[role] = request_.columns[role].index;
      is_given = true;
    }
    constexpr unsigned kLine = 3;
    if (separator == ';' || separator == '|' || is_given || first.size() == kLine) columns_.separator = separator;
    columns_.count = is_given ? 0 : kLine;
    return true;
  }

  const ColumnRequest& request_;
  TimedColumns& columns_;
  std::string& error_;
};

}  // namespace

bool choose_columns(std::string_view line, std::string_view comment, const ColumnRequest& request,
                    TimedColumns& columns, bool& is_heading, std::string& error) {
  is_heading = false;
  return Choice(request, columns, error).choose(line, comment, is_heading);
}

}  // namespace matcha::session::stream
