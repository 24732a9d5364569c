#include "session/given_list.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace matcha::session {

namespace {

std::string kind_name(runtime::ColumnKind kind) {
  switch (kind) {
    case runtime::ColumnKind::Vertex: return "vertices";
    case runtime::ColumnKind::Float: return "floats";
    case runtime::ColumnKind::Int:
    case runtime::ColumnKind::Label:
    case runtime::ColumnKind::Text: break;
  }
  return "ints";
}

/// The vertices that the items of a column are. Stops at one that is none: then there are fewer.
std::vector<std::uint32_t> ranks_of(const GivenList& list, std::size_t column, const runtime::Universe& universe) {
  std::vector<std::uint32_t> ranks;
  const auto take = [&](std::optional<std::uint64_t> rank) {
    if (rank) ranks.push_back(static_cast<std::uint32_t>(*rank));
    return rank.has_value();
  };
  const auto find = [&](std::string_view id) {
    std::optional<std::uint64_t> place;
    if (universe.names() != nullptr) place = universe.names()->find(id);
    return place;
  };
  if (const auto* names = std::get_if<std::vector<std::string>>(&list.columns[column])) {
    for (const std::string& name : *names) {
      if (!take(find(name))) break;
    }
  } else if (const auto* ids = std::get_if<std::vector<std::int64_t>>(&list.columns[column])) {
    const bool are_names = universe.names() != nullptr && !list.has_places;
    for (const std::int64_t id : *ids) {
      if (!take(are_names ? find(std::to_string(id)) : std::optional<std::uint64_t>(universe.rank(id)))) break;
    }
  }
  return ranks;
}

std::string item_text(const GivenList::Column& column, std::size_t at) {
  if (const auto* names = std::get_if<std::vector<std::string>>(&column)) return fmt::format("`{}`", (*names)[at]);
  if (const auto* ids = std::get_if<std::vector<std::int64_t>>(&column)) return std::to_string((*ids)[at]);
  return fmt::format("{}", std::get<std::vector<double>>(column)[at]);
}

/// Numbers of the kind. Nothing where the items cannot be of it.
std::optional<runtime::InputColumn> numbers_of(const GivenList::Column& given, runtime::ColumnKind kind) {
  runtime::InputColumn column;
  column.kind = kind;
  const auto* ints = std::get_if<std::vector<std::int64_t>>(&given);
  const auto* floats = std::get_if<std::vector<double>>(&given);
  if (kind == runtime::ColumnKind::Int && ints != nullptr) {
    column.ints = *ints;
  } else if (kind == runtime::ColumnKind::Float && floats != nullptr) {
    column.floats = *floats;
  } else if (kind == runtime::ColumnKind::Float && ints != nullptr) {
    column.floats.assign(ints->begin(), ints->end());
  } else {
    return std::nullopt;
  }
  return column;
}

}  // namespace

Status take_list(const GivenList& given, const std::string& name, const std::vector<runtime::ColumnSpec>& wanted,
                 const runtime::Universe& universe, const Reporter& log, runtime::InputList& list) {
  if (given.columns.size() != wanted.size()) {
    return log.error(Status::Usage,
                     fmt::format("the list `{}` has {} column{}, and the parameter takes {}", name,
                                 given.columns.size(), given.columns.size() == 1 ? "" : "s", wanted.size()));
  }
  list.size = given.size;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const std::string place = wanted.size() == 1 ? "" : fmt::format(", column {}", at);
    if (wanted[at].kind == runtime::ColumnKind::Vertex) {
      runtime::InputColumn& column = list.columns.emplace_back();
      column.ranks = ranks_of(given, at, universe);
      const std::size_t known = column.ranks.size();
      if (known == given.size) continue;
      return log.error(Status::Input,
                       fmt::format("the list `{}`{}, item {}: no graph has the vertex {}", name, place, known,
                                   item_text(given.columns[at], known)),
                       "give it to the graph as a vertex without edges, or leave it out");
    }
    std::optional<runtime::InputColumn> column = numbers_of(given.columns[at], wanted[at].kind);
    if (!column) {
      return log.error(Status::Usage, fmt::format("the list `{}`{} has no {}, and the parameter takes them", name,
                                                  place, kind_name(wanted[at].kind)));
    }
    list.columns.push_back(std::move(*column));
  }
  return Status::Ok;
}

}  // namespace matcha::session
