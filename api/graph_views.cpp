#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "api/errors.h"
#include "api/handles.h"
#include "api/matcha_graph.h"
#include "runtime/graph/generate.h"
#include "session/graph_output.h"
#include "session/message_log.h"

/// What a graph holds: its edges, degrees, neighbours and labels, and its files.

namespace {

using matcha::runtime::Graph;
using matcha::runtime::GraphView;
using matcha::runtime::InfoKind;

bool has_info(const Graph& graph) { return graph.view().edge_info != nullptr && !graph.facts().blank_info; }

std::uint64_t rank_at(const GraphView& view, std::uint64_t at) {
  return view.vertices != nullptr ? view.vertices[at] : at;
}

/// The position in the rows of the first edge that `rank` is the source of: undirected edges are in the row of the
/// smaller end.
std::uint64_t first_edge(const Graph& graph, std::uint64_t rank) {
  const GraphView view = graph.view();
  const std::uint32_t* const row = view.neighbors + view.offsets[rank];
  const std::uint32_t* const end = view.neighbors + view.offsets[rank + 1];
  const std::uint32_t* const first = graph.facts().directed ? row : std::lower_bound(row, end, rank);
  return static_cast<std::uint64_t>(first - view.neighbors);
}

/// Counts the edges if there is no place for them, else writes them.
void list_edges(const Graph& graph, matcha_edge_list& edges) {
  const GraphView view = graph.view();
  const bool copies_info = edges.info != nullptr && has_info(graph);
  std::size_t next = 0;
  for (std::uint64_t at = 0; at < graph.vertex_count(); ++at) {
    const std::uint64_t rank = rank_at(view, at);
    const std::uint64_t first = first_edge(graph, rank), end = view.offsets[rank + 1];
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

}  // namespace

extern "C" {

int matcha_graph_facts(const matcha_graph* graph) {
  const Graph& made = graph->graph->graph();
  int facts = made.facts().directed ? MATCHA_GRAPH_DIRECTED : 0;
  if (made.view().labels != nullptr) facts |= MATCHA_GRAPH_VERTEX_LABELS;
  const Graph* const informed = graph->graph->maybe_informed();
  if (informed == nullptr || !has_info(*informed)) return facts;
  return facts | (informed->facts().info == InfoKind::Float ? MATCHA_GRAPH_EDGE_FLOATS : MATCHA_GRAPH_EDGE_LABELS);
}

matcha_status matcha_graph_edge_list(const matcha_graph* graph, matcha_edge_list* edges, matcha_error** error) {
  return matcha::api::call(error, [&] {
    if (graph == nullptr || edges == nullptr) return matcha::api::usage("the graph or the edges are NULL", error);
    const Graph* whole = graph->graph->maybe_informed();
    matcha::session::ResidentGraph::Shared looped;
    if (whole == nullptr && graph->graph->has_loops()) {
      matcha::runtime::Result<matcha::session::ResidentGraph::Shared> made = graph->graph->looped();
      if (!made) return matcha::api::fail(MATCHA_ERROR_RESOURCE, made.error().message, error);
      looped = std::move(*made);
      whole = looped->maybe_informed() != nullptr ? looped->maybe_informed() : &looped->graph();
    }
    list_edges(whole != nullptr ? *whole : graph->graph->graph(), *edges);
    return MATCHA_OK;
  });
}

void matcha_graph_degrees(const matcha_graph* graph, int64_t* degrees) {
  const Graph& made = graph->graph->graph();
  const GraphView view = made.view();
  for (std::uint64_t at = 0; at < made.vertex_count(); ++at) {
    const std::uint64_t rank = rank_at(view, at);
    degrees[at] = static_cast<std::int64_t>(view.offsets[rank + 1] - view.offsets[rank]);
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
  std::size_t found = 0;
  const std::uint32_t* const end = view.neighbors + view.offsets[*rank + 1];
  for (const std::uint32_t* at = view.neighbors + view.offsets[*rank]; at != end; ++at) {
    if (found != 0 && at[-1] == *at) continue;
    if (found < room) ids[found] = made.universe().id(*at);
    ++found;
  }
  return static_cast<int64_t>(found);
}

matcha_status matcha_graph_rewired(const matcha_graph* graph, uint64_t seed, matcha_graph** made,
                                   matcha_error** error) {
  return matcha::api::call(error, [&] {
    *made = nullptr;
    if (graph == nullptr) return matcha::api::usage("the graph is NULL", error);
    using matcha::session::ResidentGraph;
    const Graph* const informed = graph->graph->maybe_informed();
    if (graph->graph->has_loops() || (informed != nullptr && has_info(*informed))) {
      const matcha::runtime::Error refused{matcha::runtime::ErrorKind::Input,
                                           "graphs with loops, or with labels or numbers of edges, are not rewired", "",
                                           0, "make the graph without them"};
      return matcha::api::take_graph(refused, made, error);
    }
    matcha::runtime::Result<Graph> drawn = matcha::runtime::rewired(graph->graph->graph(), seed);
    if (!drawn) return matcha::api::take_graph(drawn.error(), made, error);
    return matcha::api::take_graph(ResidentGraph::from_graph(std::move(*drawn)), made, error);
  });
}

matcha_status matcha_graph_write(const matcha_graph* graph, const char* path, const char* labels_path,
                                 matcha_error** error) {
  return matcha::api::call(error, [&] {
    if (graph == nullptr || path == nullptr) return matcha::api::usage("the graph or the path is NULL", error);
    matcha::session::GraphOutput output;
    output.path = path;
    output.labels_out = labels_path != nullptr ? labels_path : "";
    matcha::session::MessageLog log;
    const std::optional<matcha::session::GraphTarget> target = matcha::session::choose_target(output, log);
    if (!target) return matcha::api::fail(MATCHA_ERROR_USAGE, log.text(), error);
    const Graph* const informed = graph->graph->maybe_informed();
    const Graph& made = informed != nullptr ? *informed : graph->graph->graph();
    output.edge_labels = has_info(made) && made.facts().info == InfoKind::Int;
    const matcha::session::Status written = matcha::session::write_graph(made, *target, output, {}, log);
    if (written == matcha::session::Status::Ok) return MATCHA_OK;
    return matcha::api::fail(matcha::api::status_of(written), log.text(), error);
  });
}

}  // extern "C"
