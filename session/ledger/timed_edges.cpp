#include "session/ledger/timed_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "session/durations.h"
#include "session/ledger/table.h"

namespace matcha::session::ledger {

namespace {

constexpr std::uint64_t kNsOfSecond = 1'000'000'000;
/// Two of them can be added.
constexpr std::int64_t kMostSpan = std::numeric_limits<std::int64_t>::max() / 4;

/// A number with a unit, or without one.
struct Duration {
  std::int64_t number = 0;
  std::optional<std::int64_t> maybe_ns;  ///< Of the unit.
};

std::optional<Duration> duration_of(std::string_view text) {
  Duration found;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, found.number);
  if (read.ec != std::errc() || found.number < 0) return std::nullopt;
  if (read.ptr == end) return found;
  found.maybe_ns = ns_of_unit(std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr)));
  return found.maybe_ns ? std::optional(found) : std::nullopt;
}

/// The ends and times of the rows that have a time, the earliest at 0. Requires: the column has ints.
void put_lists(const Table& table, const Column& times, TimedEdges& out, std::map<std::string, GivenList>& lists) {
  std::vector<std::int64_t> sources, targets, since;
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    if (times.is_null || !times.has_value(row)) continue;
    sources.push_back(table.sources[row]);
    targets.push_back(table.targets[row]);
    since.push_back(times.ints[row] - times.least);
  }
  out.edges = since.size();
  lists["edges"] = {.columns = {std::move(sources), std::move(targets)}, .size = out.edges, .has_places = false};
  lists["times"] = {.columns = {std::move(since)}, .size = out.edges, .has_places = false};
}

/// Vertices 0 to `count` - 1.
runtime::Result<ResidentGraph::Shared> without_edges(std::uint64_t count) {
  const auto offsets = std::make_shared<const std::vector<std::int64_t>>(count + 1, 0);
  return ResidentGraph::from_csr(runtime::IntColumn::of(offsets->data(), count + 1), {}, true, offsets);
}

}  // namespace

Status read_timed_edges(const BindOptions& bind, const std::string& within, const runtime::IoOptions& io,
                        const Reporter& log, TimedEdges& out) {
  const std::optional<Duration> window = duration_of(within);
  if (!window) {
    return log.error(Status::Usage, fmt::format("`--within {}` is no duration", within),
                     "such as `1d`, `90m` or `3600`, with ns, us, ms, s, m, h, d or w");
  }
  Wanted wanted;
  wanted.directed = true;
  wanted.edge_columns.emplace(std::string(), SourceLoc{});
  Table table;
  const SourceManager sources;
  const Status status = read_table(wanted, sources, bind, io, log, table);
  if (status != Status::Ok) return status;
  const Column& times = table.edges.at(std::string());
  if (!times.is_null && times.type != Column::Type::Int) {
    return log.error(Status::Input, fmt::format("{}: the times are neither whole numbers nor dates", bind.graph),
                     times.note.empty() ? "`--time COLUMN` names their column" : "the column " + times.note);
  }
  const std::uint64_t per_second = times.per_second != 0 ? times.per_second : table.time_per_second;
  const auto ns_of_unit = static_cast<__int128>(kNsOfSecond / per_second);
  const __int128 number = window->number;
  const __int128 ns = window->maybe_ns        ? number * *window->maybe_ns
                      : times.per_second != 0 ? number * kNsOfSecond
                                              : number * ns_of_unit;
  if (times.per_second == 0 && ns % ns_of_unit != 0) {
    return log.error(Status::Usage, fmt::format("`--within {}` is no whole number in the unit of the times", within),
                     "`--time COLUMN:ms` says the unit of a column of numbers");
  }
  if (static_cast<__int128>(times.most) - times.least > kMostSpan) {
    return log.error(Status::Input, fmt::format("{}: the times are more than 2^61 apart", bind.graph), "");
  }
  out.window = static_cast<std::int64_t>(std::min<__int128>(ns / ns_of_unit, kMostSpan));
  out.vertices = table.universe->size();
  std::map<std::string, GivenList> lists;
  put_lists(table, times, out, lists);
  const std::string_view unit = per_second == 1           ? "s"
                                : per_second == 1'000     ? "ms"
                                : per_second == 1'000'000 ? "us"
                                                          : "ns";
  out.table = fmt::format("{}; times in {}{}", table.description(true, false), unit,
                          out.edges == table.rows ? "" : fmt::format("; dropped {} without", table.rows - out.edges));
  runtime::Result<ResidentGraph::Shared> graph = without_edges(out.vertices);
  if (graph) graph = (*graph)->with_lists(std::move(lists));
  if (!graph) return log.error(graph.error());
  out.graph = std::move(*graph);
  return Status::Ok;
}

}  // namespace matcha::session::ledger
