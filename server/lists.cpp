#include "server/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace matcha::server {

namespace {

using session::ResidentGraph;
using Column = session::GivenList::Column;

std::optional<std::int64_t> int_of(const Json& item) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!item.is_number_integer() || (item.is_number_unsigned() && item.get<std::uint64_t>() > kMost))
    return std::nullopt;
  return item.get<std::int64_t>();
}

/// The items of one column, at position `at` of each row. Nothing: they are not of one kind.
std::optional<Column> column_of(const Json& rows, bool are_rows, std::size_t at) {
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> names;
  for (const Json& row : rows) {
    const Json& item = are_rows ? row[at] : row;
    if (item.is_string()) names.push_back(item.get<std::string>());
    if (item.is_number()) floats.push_back(item.get<double>());
    if (const std::optional<std::int64_t> whole = int_of(item)) ints.push_back(*whole);
  }
  if (names.size() == rows.size() && !rows.empty()) return names;
  if (ints.size() == rows.size()) return ints;
  if (floats.size() == rows.size()) return floats;
  return std::nullopt;
}

/// Nothing: it is no list, and `log` says why.
std::optional<session::GivenList> list_of(const std::string& name, const Json& rows, const JsonLog& log) {
  const bool are_rows = !rows.empty() && rows[0].is_array();
  const std::size_t width = are_rows ? rows[0].size() : 1;
  session::GivenList list;
  list.size = rows.size();
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at].is_array() == are_rows && (!are_rows || (rows[at].size() == width && width != 0))) continue;
    log.error(Status::Usage, fmt::format("the list `{}`: row {} is not like the first one", name, at));
    return std::nullopt;
  }
  for (std::size_t at = 0; at < width; ++at) {
    std::optional<Column> column = column_of(rows, are_rows, at);
    if (!column) {
      log.error(Status::Usage, fmt::format("the list `{}` is neither of numbers nor of texts", name),
                "an int is below 2^63; ids of vertices may be texts");
      return std::nullopt;
    }
    list.columns.push_back(std::move(*column));
  }
  return list;
}

}  // namespace

Status give_lists(const Json& lists, const JsonLog& log, ResidentGraph::Shared& graph) {
  std::map<std::string, session::GivenList> given;
  for (const auto& [name, rows] : lists.items()) {
    std::optional<session::GivenList> list = list_of(name, rows, log);
    if (!list) return Status::Usage;
    if (graph->find(name) != nullptr) {
      return log.error(Status::Usage, fmt::format("`{}` is a graph already", name));
    }
    given.emplace(name, std::move(*list));
  }
  if (given.empty()) return Status::Ok;
  runtime::Result<ResidentGraph::Shared> made = graph->with_lists(std::move(given));
  if (!made) return log.error(made.error());
  graph = std::move(*made);
  return Status::Ok;
}

Status check_lists(const Json& lists, const session::Signature& program, const JsonLog& log) {
  std::vector<std::string> known;
  for (const session::Signature::Param& param : program.params) {
    if (param.type->is_list()) known.push_back(param.name);
  }
  for (const auto& [name, rows] : lists.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return log.error(Status::Usage, fmt::format("`{}` takes no list `{}`", program.entry, name),
                     known.empty() ? "it takes none" : fmt::format("its lists are: {}", fmt::join(known, ", ")));
  }
  return Status::Ok;
}

}  // namespace matcha::server
