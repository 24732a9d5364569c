#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/columns.h"
#include "api/errors.h"
#include "api/handles.h"
#include "session/message_log.h"

/// Graphs from the caller's columns.

namespace matcha::api {

matcha_status report(const runtime::Error& found, matcha_error** error) {
  const session::MessageLog log;
  const session::Status status = log.error(found);
  return fail(status_of(status), log.text(), error);
}

matcha_status take_graph(runtime::Result<session::ResidentGraph::Shared> made, matcha_graph** graph,
                         matcha_error** error) {
  if (!made) return report(made.error(), error);
  *graph = new matcha_graph{std::move(*made)};
  return MATCHA_OK;
}

using runtime::IntColumn;

namespace {

bool is_int(int type) { return type >= MATCHA_INT32 && type <= MATCHA_UINT64; }
bool is_wide(int type) { return type == MATCHA_INT64 || type == MATCHA_UINT64 || type == MATCHA_FLOAT64; }

}  // namespace

std::string column_problem(const matcha_column& column, size_t count, const char* name) {
  if (column.items == nullptr) return count == 0 ? std::string() : fmt::format("the {} are NULL", name);
  if (!is_int(column.type)) return fmt::format("the {} are no ints", name);
  const int64_t size = is_wide(column.type) ? 8 : 4;
  const bool is_aligned = reinterpret_cast<uintptr_t>(column.items) % static_cast<uintptr_t>(size) == 0;
  if (!is_aligned || column.stride % size != 0) return fmt::format("the {} are not aligned", name);
  return {};
}

IntColumn ints_of(const matcha_column& column, size_t count) {
  IntColumn made;
  made.items = column.items;
  made.count = column.items != nullptr ? count : 0;
  made.kind = is_int(column.type) ? static_cast<IntColumn::Kind>(column.type - MATCHA_INT32) : IntColumn::Kind::Int64;
  made.stride = column.stride != 0 ? column.stride : is_wide(column.type) ? 8 : 4;
  return made;
}

std::shared_ptr<const runtime::IdNames> names_of(const char* const* names, size_t count) {
  if (names == nullptr) return nullptr;
  runtime::Buffer<std::uint64_t> ends(count);
  std::string text;
  for (size_t at = 0; at < count; ++at) {
    const std::string_view before = at == 0 ? "" : names[at - 1];
    if (names[at] == nullptr || before >= names[at]) return nullptr;
    ends[at] = text.append(names[at]).size();
  }
  runtime::Buffer<char> bytes(text.size());
  std::copy(text.begin(), text.end(), bytes.begin());
  return std::make_shared<const runtime::IdNames>(runtime::IdNames::text_ids(std::move(ends), std::move(bytes)));
}

namespace {

/// False if a word is NULL.
bool take_labels(const matcha_column& codes, size_t count, const char* const* words, size_t word_count,
                 runtime::LabelColumn& labels) {
  labels.codes = ints_of(codes, count);
  for (size_t at = 0; at < word_count; ++at) {
    if (words == nullptr || words[at] == nullptr) return false;
    labels.words.emplace_back(words[at]);
  }
  return true;
}

/// Copies a column; returns the reason why it cannot be read, or an empty text.
std::string take_list_column(const matcha_column& column, size_t count, const char* name, session::GivenList& list) {
  if (column.type == MATCHA_FLOAT64) {
    if (column.items == nullptr && count != 0) return fmt::format("the {} are NULL", name);
    const runtime::StridedItems<double> items{static_cast<const char*>(column.items),
                                              column.stride != 0 ? column.stride : std::int64_t{sizeof(double)}};
    std::vector<double>& floats = std::get<1>(list.columns.emplace_back(std::vector<double>()));
    for (size_t at = 0; at < count; ++at) floats.push_back(items[at]);
    return {};
  }
  std::string problem = column_problem(column, count, name);
  if (!problem.empty()) return problem;
  std::vector<std::int64_t>& ints = std::get<0>(list.columns.emplace_back(std::vector<std::int64_t>()));
  std::optional<size_t> large;
  runtime::with_items(ints_of(column, count), [&](const auto& items) {
    for (size_t at = 0; at < count; ++at) {
      ints.push_back(static_cast<std::int64_t>(items[at]));
      if (column.type == MATCHA_UINT64 && ints.back() < 0 && !large) large = at;
    }
  });
  if (large) return fmt::format("the {} have 2^63 or more at {}", name, *large);
  return {};
}

matcha_status make_graph(const matcha_table& given, const matcha_options* options, matcha_graph** graph,
                         matcha_error** error) {
  runtime::ColumnInput input;
  const bool has_floats = given.edge_info.items != nullptr && given.edge_info.type == MATCHA_FLOAT64;
  std::string problem = column_problem(given.sources, given.edge_count, "sources");
  if (problem.empty()) problem = column_problem(given.targets, given.edge_count, "targets");
  if (problem.empty()) problem = column_problem(given.vertices, given.vertex_count, "vertices");
  if (problem.empty() && given.edge_info.items != nullptr && !has_floats) {
    problem = column_problem(given.edge_info, given.edge_count, "labels of edges");
  }
  if (problem.empty() && given.vertex_labels.items != nullptr) {
    problem = column_problem(given.vertex_labels, given.vertex_count, "labels of vertices");
  }
  if (has_floats && given.edge_info.stride != 0 && given.edge_info.stride != sizeof(double)) {
    problem = "floats of edges must lie side by side";
  }
  input.sources = ints_of(given.sources, given.edge_count);
  input.targets = ints_of(given.targets, given.edge_count);
  input.vertices = ints_of(given.vertices, given.vertex_count);
  input.directed = options != nullptr && options->directed;
  input.keep_loops = options != nullptr && options->keep_loops;
  if (input.keep_loops && !input.directed) problem = "`keep-loops` needs `directed`";
  if (has_floats) input.edge_floats = static_cast<const double*>(given.edge_info.items);
  const bool read = (has_floats || take_labels(given.edge_info, given.edge_count, given.edge_words,
                                               given.edge_word_count, input.edge_labels)) &&
                    take_labels(given.vertex_labels, given.vertex_count, given.vertex_words, given.vertex_word_count,
                                input.vertex_labels);
  if (problem.empty() && !read) problem = "a word is NULL";
  input.name_count = given.name_count;
  if (given.names != nullptr) input.maybe_names = names_of(given.names, given.name_count);
  if (problem.empty() && given.names != nullptr && input.maybe_names == nullptr) {
    problem = "a name is NULL or empty, or the names do not ascend by bytes";
  }
  if (!problem.empty()) return usage(problem, error);
  const CancelToken* const canceller = options != nullptr ? options->maybe_cancel_token.get() : nullptr;
  runtime::Result<session::ResidentGraph::Shared> made =
      session::ResidentGraph::from_columns(input, canceller != nullptr ? &canceller->requested : nullptr);
  if (!made && canceller != nullptr && canceller->requested) return MATCHA_CANCELLED;
  return take_graph(std::move(made), graph, error);
}

}  // namespace

}  // namespace matcha::api

matcha_status matcha_graph_from_table(const matcha_table* table, const matcha_options* options, matcha_graph** graph,
                                      matcha_error** error) {
  return matcha::api::call(error, [&] {
    *graph = nullptr;
    if (table == nullptr) return matcha::api::usage("the table is NULL", error);
    // Callers that were compiled before `names` have a shorter table.
    if (table->size != sizeof(matcha_table) && table->size != offsetof(matcha_table, names)) {
      return matcha::api::usage("the table has not the size of a matcha_table", error);
    }
    matcha_table given = {};
    std::memcpy(&given, table, table->size);
    return matcha::api::make_graph(given, options, graph, error);
  });
}

matcha_status matcha_graph_from_edges(const int64_t* sources, const int64_t* targets, size_t count,
                                      const matcha_options* options, matcha_graph** graph, matcha_error** error) {
  matcha_table table = {};
  table.size = sizeof(table);
  table.edge_count = count;
  table.sources = {sources, MATCHA_INT64, 0};
  table.targets = {targets, MATCHA_INT64, 0};
  return matcha_graph_from_table(&table, options, graph, error);
}

matcha_status matcha_graph_with_list(const matcha_graph* graph, const char* name, const matcha_column* columns,
                                     size_t column_count, size_t count, matcha_graph** made, matcha_error** error) {
  return matcha::api::call(error, [&] {
    *made = nullptr;
    if (graph == nullptr || name == nullptr || *name == '\0' || columns == nullptr || column_count == 0) {
      return matcha::api::usage("the graph, the name or the columns are NULL", error);
    }
    if (graph->graph->list(name) != nullptr || graph->graph->find(name) != nullptr) {
      return matcha::api::usage(fmt::format("there is a `{}` already", name), error);
    }
    matcha::session::GivenList list;
    list.size = count;
    list.has_places = true;
    for (size_t at = 0; at < column_count; ++at) {
      const std::string called = fmt::format("items of column {} of the list `{}`", at, name);
      const std::string problem = matcha::api::take_list_column(columns[at], count, called.c_str(), list);
      if (!problem.empty()) return matcha::api::usage(problem, error);
    }
    return matcha::api::take_graph(graph->graph->with_lists({{name, std::move(list)}}), made, error);
  });
}

void matcha_graph_ids(const matcha_graph* graph, int64_t* ids) {
  const matcha::runtime::Graph& made = graph->graph->graph();
  const matcha::runtime::GraphView view = made.view();
  for (uint64_t at = 0; at < made.vertex_count(); ++at) {
    ids[at] = made.universe().id(view.vertices != nullptr ? view.vertices[at] : at);
  }
}

matcha_status matcha_graph_join(const char* const* names, matcha_graph* const* graphs, const int64_t* const* ids,
                                size_t count, matcha_graph** joined, matcha_error** error) {
  return matcha::api::call(error, [&] {
    using matcha::session::ResidentGraph;
    *joined = nullptr;
    if (names == nullptr || graphs == nullptr || count == 0) return matcha::api::usage("there is no graph", error);
    std::vector<ResidentGraph::Named> members;
    for (size_t at = 0; at < count; ++at) {
      if (names[at] == nullptr || *names[at] == '\0' || graphs[at] == nullptr) {
        return matcha::api::usage("a name or a graph is NULL", error);
      }
      if (std::ranges::find(members, names[at], &ResidentGraph::Named::name) != members.end()) {
        return matcha::api::usage(fmt::format("two graphs are called `{}`", names[at]), error);
      }
      if (graphs[at]->graph->is_joined()) {
        return matcha::api::usage(fmt::format("`{}` was joined already", names[at]), error);
      }
      if (graphs[at]->graph->has_lists()) {
        return matcha::api::usage(fmt::format("`{}` has lists", names[at]), error);
      }
      members.push_back({names[at], graphs[at]->graph, ids != nullptr ? ids[at] : nullptr});
    }
    if (ids != nullptr && std::ranges::any_of(members, [](const auto& each) { return each.maybe_ids == nullptr; })) {
      return matcha::api::usage("`ids` are of all graphs or of none", error);
    }
    return matcha::api::take_graph(ResidentGraph::join(members), joined, error);
  });
}
