#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/errors.h"
#include "api/handles.h"
#include "api/matcha_graph.h"
#include "runtime/graph/generate.h"
#include "session/graph_info.h"
#include "session/graph_output.h"
#include "session/message_log.h"
#include "session/whole_graph.h"

/// The contents of a graph: its edges, degrees, neighbours and labels, and its files.

namespace {

using matcha::runtime::Buffer;
using matcha::runtime::Graph;
using matcha::runtime::GraphView;
using matcha::runtime::IdNames;
using matcha::runtime::InfoKind;
using matcha::runtime::Result;
using matcha::runtime::Universe;
using matcha::session::WholeGraph;

std::uint64_t rank_at(const GraphView& view, std::uint64_t at) {
  return view.vertices != nullptr ? view.vertices[at] : at;
}

/// The arcs of a vertex that are edges from it: undirected edges are in the row of the smaller end.
matcha::runtime::ArcRange edges_from(const Graph& graph, std::uint64_t rank) {
  const GraphView view = graph.view();
  matcha::runtime::ArcRange arcs = arcs_of(view, rank);
  if (graph.facts().directed) return arcs;
  const std::uint32_t* const first =
      std::lower_bound(view.neighbors + arcs.begin, view.neighbors + arcs.end, static_cast<std::uint32_t>(rank));
  arcs.begin = static_cast<std::uint64_t>(first - view.neighbors);
  return arcs;
}

/// Writes the edges into the arrays of `edges` and sets `count`; without arrays it only counts them.
void list_edges(const Graph& graph, matcha_edge_list& edges) {
  const GraphView view = graph.view();
  const bool copies_info = edges.info != nullptr && WholeGraph::has_info(graph);
  std::size_t next = 0;
  for (std::uint64_t at = 0; at < graph.vertex_count(); ++at) {
    const std::uint64_t rank = rank_at(view, at);
    const auto [first, end] = edges_from(graph, rank);
    if (edges.sources == nullptr || edges.targets == nullptr) {
      next += end - first;
      continue;
    }
    if (copies_info) {
      std::memcpy(static_cast<std::int64_t*>(edges.info) + next,
                  static_cast<const std::int64_t*>(view.edge_info) + first, (end - first) * sizeof(std::int64_t));
    }
    const std::int64_t source = graph.universe().id(rank);
    for (std::uint64_t arc = first; arc < end; ++arc, ++next) {
      edges.sources[next] = source;
      edges.targets[next] = graph.universe().id(view.neighbors[arc]);
    }
  }
  edges.count = next;
}

/// The graph with names instead of its ids 0, 1, …. Empty: they are not a name each, not empty and ascending.
std::optional<Graph> with_names(const Graph& graph, const char* const* names, std::size_t count) {
  const Universe& ids = graph.universe();
  const bool is_numbered = ids.names() == nullptr && ids.lower_rank(0) == 0 &&
                           ids.lower_rank(static_cast<std::int64_t>(ids.size())) == ids.size();
  const std::shared_ptr<const IdNames> texts = matcha::api::names_of(names, count);
  if (texts == nullptr || count != ids.size() || !is_numbered) return std::nullopt;
  Graph made = Graph::alias(graph, nullptr);
  made.share_universe(std::make_shared<const Universe>(Universe::named(texts)));
  return made;
}

matcha_status write_file(const Graph& graph, const char* path, const char* labels_path, matcha_error** error) {
  matcha::session::GraphOutput output;
  output.path = path;
  output.labels_out = labels_path != nullptr ? labels_path : "";
  output.edge_labels = WholeGraph::has_info(graph) && graph.facts().info == InfoKind::Int;
  matcha::session::MessageLog log;
  const std::optional<matcha::session::GraphTarget> target = matcha::session::choose_target(output, log);
  if (!target) return matcha::api::fail(MATCHA_ERROR_USAGE, log.text(), error);
  const matcha::session::Status written = matcha::session::write_graph(graph, *target, output, {}, log);
  if (written == matcha::session::Status::Ok) return MATCHA_OK;
  return matcha::api::fail(matcha::api::status_of(written), log.text(), error);
}

}  // namespace

extern "C" {

int matcha_graph_facts(const matcha_graph* graph) {
  const Graph& made = graph->graph->graph();
  int facts = made.facts().directed ? MATCHA_GRAPH_DIRECTED : 0;
  if (made.view().labels != nullptr) facts |= MATCHA_GRAPH_VERTEX_LABELS;
  const Graph* const informed = graph->graph->maybe_informed();
  if (informed == nullptr || !WholeGraph::has_info(*informed)) return facts;
  return facts | (informed->facts().info == InfoKind::Float ? MATCHA_GRAPH_EDGE_FLOATS : MATCHA_GRAPH_EDGE_LABELS);
}

matcha_status matcha_graph_report(const matcha_graph* graph, char** json, matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *json = nullptr;
    if (graph == nullptr) return usage("the graph is NULL", error);
    nlohmann::ordered_json facts;
    if (const auto& report = graph->graph->report()) {
      facts = matcha::session::graph_facts(*report);
      facts["graphs"] = report->graphs;
      facts["guessed_size"] = report->guessed_size;
      facts["note"] = report->note;
      facts["text"] = report->render();
    }
    *json = copy_of(facts.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return MATCHA_OK;
  });
}

matcha_status matcha_graph_edge_list(const matcha_graph* graph, matcha_edge_list* edges, matcha_error** error) {
  return matcha::api::call(error, [&] {
    if (graph == nullptr || edges == nullptr) return matcha::api::usage("the graph or the edges are NULL", error);
    const Result<WholeGraph> whole = WholeGraph::of(*graph->graph);
    if (!whole) return matcha::api::report(whole.error(), error);
    list_edges(**whole, *edges);
    return MATCHA_OK;
  });
}

void matcha_graph_degrees(const matcha_graph* graph, int64_t* degrees) {
  const Graph& made = graph->graph->graph();
  const GraphView view = made.view();
  for (std::uint64_t at = 0; at < made.vertex_count(); ++at) {
    const matcha::runtime::ArcRange arcs = arcs_of(view, rank_at(view, at));
    degrees[at] = static_cast<std::int64_t>(arcs.end - arcs.begin);
  }
}

void matcha_graph_vertex_labels(const matcha_graph* graph, int64_t* labels) {
  const Graph& made = graph->graph->graph();
  const GraphView view = made.view();
  for (std::uint64_t at = 0; at < made.vertex_count(); ++at) {
    labels[at] = view.labels != nullptr ? view.labels[rank_at(view, at)] : matcha::runtime::kNoLabel;
  }
}

int64_t matcha_graph_neighbors(const matcha_graph* graph, int64_t vertex, int64_t* ids, size_t room) {
  const Graph& made = graph->graph->graph();
  const GraphView view = made.view();
  const std::optional<std::uint32_t> rank = made.universe().rank(vertex);
  const bool is_there =
      rank && (view.vertices == nullptr || std::binary_search(view.vertices, view.vertices + view.vertex_count, *rank));
  if (!is_there) return -1;
  // The graph is simple: its rows have no repeats.
  const matcha::runtime::ArcRange arcs = arcs_of(view, *rank);
  const std::uint64_t count = arcs.end - arcs.begin;
  for (std::uint64_t at = 0; at < std::min<std::uint64_t>(room, count); ++at) {
    ids[at] = made.universe().id(view.neighbors[arcs.begin + at]);
  }
  return static_cast<int64_t>(count);
}

matcha_status matcha_graph_rewired(const matcha_graph* graph, uint64_t seed, matcha_graph** made,
                                   matcha_error** error) {
  return matcha::api::call(error, [&] {
    *made = nullptr;
    if (graph == nullptr) return matcha::api::usage("the graph is NULL", error);
    const Result<WholeGraph> whole = WholeGraph::of(*graph->graph);
    if (!whole) return matcha::api::take_graph(whole.error(), made, error);
    Result<Graph> drawn = matcha::runtime::rewired(**whole, seed);
    if (!drawn) return matcha::api::take_graph(drawn.error(), made, error);
    using matcha::session::ResidentGraph;
    return matcha::api::take_graph(ResidentGraph::from_graph(std::move(*drawn)), made, error);
  });
}

matcha_status matcha_graph_write(const matcha_graph* graph, const char* path, const char* labels_path,
                                 matcha_error** error) {
  return matcha::api::call(error, [&] {
    if (graph == nullptr || path == nullptr) return matcha::api::usage("the graph or the path is NULL", error);
    const Result<WholeGraph> whole = WholeGraph::of(*graph->graph);
    if (!whole) return matcha::api::report(whole.error(), error);
    return write_file(**whole, path, labels_path, error);
  });
}

matcha_status matcha_graph_write_named(const matcha_graph* graph, const char* const* names, size_t count,
                                       const char* path, const char* labels_path, matcha_error** error) {
  return matcha::api::call(error, [&] {
    if (graph == nullptr || path == nullptr) return matcha::api::usage("the graph or the path is NULL", error);
    const Result<WholeGraph> whole = WholeGraph::of(*graph->graph);
    if (!whole) return matcha::api::report(whole.error(), error);
    const std::optional<Graph> named = with_names(**whole, names, count);
    if (!named)
      return matcha::api::usage("the ids are not 0, 1, …, or the names are not one each, not empty and ascending",
                                error);
    return write_file(*named, path, labels_path, error);
  });
}

}  // extern "C"
