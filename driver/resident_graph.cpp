#include "driver/resident_graph.h"

#include "driver/borrowed_rows.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace matcha::driver {

namespace {

using Arc = std::pair<std::uint32_t, std::uint32_t>;

runtime::Error out_of_memory() {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Resource;
  error.message = "out of memory";
  return error;
}

/// Ranks of the ends, both directions unless `directed`, sorted, without loops and repeats.
std::vector<Arc> arcs_of_pairs(const runtime::Universe& universe, const std::int64_t* sources,
                               const std::int64_t* targets, std::uint64_t count, bool directed) {
  std::vector<std::uint32_t> from(count), to(count);
  universe.ranks(sources, count, from.data());
  universe.ranks(targets, count, to.data());
  std::vector<Arc> arcs;
  arcs.reserve(directed ? count : 2 * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (from[i] == to[i]) continue;
    arcs.emplace_back(from[i], to[i]);
    if (!directed) arcs.emplace_back(to[i], from[i]);
  }
  std::sort(arcs.begin(), arcs.end());
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  return arcs;
}

runtime::Graph graph_of_arcs(std::shared_ptr<const runtime::Universe> universe, const std::vector<Arc>& arcs,
                             bool directed) {
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(universe->size() + 1);
  arrays.neighbors = runtime::Buffer<std::uint32_t>(arcs.size());
  std::uint64_t at = 0;
  for (std::uint64_t rank = 0; rank < universe->size(); ++rank) {
    arrays.offsets.data()[rank] = at;
    for (; at < arcs.size() && arcs[at].first == rank; ++at) arrays.neighbors.data()[at] = arcs[at].second;
  }
  arrays.offsets.data()[universe->size()] = at;
  runtime::GraphFacts facts;
  facts.directed = directed;
  return runtime::Graph::from_arrays(std::move(universe), std::move(arrays), facts);
}

}  // namespace

runtime::Result<ResidentGraph::Shared> ResidentGraph::read(const std::string& path, const std::string& labels_path,
                                                           bool directed, const std::atomic<bool>* maybe_cancel) {
  runtime::GraphSpec spec;
  spec.name = "G";
  spec.path = path;
  spec.labels_path = labels_path;
  spec.directed = directed;
  spec.simple = true;
  runtime::IoOptions options;
  options.cancel = maybe_cancel;
  runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(spec, options);
  if (!loaded) return loaded.error();
  Shared made(new ResidentGraph(std::move(loaded->graph)));
  made->report_ = std::move(loaded->report);
  return made;
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::from_edges(const std::int64_t* sources,
                                                                 const std::int64_t* targets, std::uint64_t count,
                                                                 bool directed) {
  try {
    runtime::Result<runtime::Universe> ids = runtime::Universe::from_ids({{sources, count}, {targets, count}}, {});
    if (!ids) return ids.error();
    auto universe = std::make_shared<const runtime::Universe>(std::move(*ids));
    const std::vector<Arc> arcs = arcs_of_pairs(*universe, sources, targets, count, directed);
    runtime::Graph graph = graph_of_arcs(universe, arcs, directed);
    graph.set_dictionary(std::make_shared<const runtime::LabelDictionary>());
    const runtime::Status halved = runtime::ensure_split_offsets(graph);
    if (!halved) return halved.error();
    return Shared(new ResidentGraph(std::move(graph)));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

runtime::Result<ResidentGraph::Shared> ResidentGraph::from_csr(const BorrowedInts& offsets, const BorrowedInts& targets,
                                                               bool directed, std::shared_ptr<const void> owner) {
  try {
    runtime::Result<std::shared_ptr<const BorrowedRows>> rows =
        borrow_rows(offsets, targets, directed, std::move(owner));
    if (!rows) return rows.error();
    runtime::GraphView view{};
    view.vertex_count = (*rows)->vertices;
    view.universe = (*rows)->vertices;
    view.arc_count = (*rows)->arcs;
    view.offsets = (*rows)->offsets;
    view.neighbors = (*rows)->targets;
    runtime::GraphFacts facts;
    facts.directed = directed;
    auto universe = std::make_shared<const runtime::Universe>(runtime::Universe::identity(view.universe));
    runtime::Graph graph = runtime::Graph::from_view(std::move(universe), view, facts, std::move(*rows));
    graph.set_dictionary(std::make_shared<const runtime::LabelDictionary>());
    const runtime::Status halved = runtime::ensure_split_offsets(graph);
    if (!halved) return halved.error();
    return Shared(new ResidentGraph(std::move(graph)));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

runtime::Result<runtime::Graph> ResidentGraph::view_of(const runtime::Graph& graph) const {
  try {
    runtime::Graph view = runtime::Graph::from_view(graph.shared_universe(), graph.view(), graph.facts(),
                                                    std::shared_ptr<const void>(shared_from_this()));
    view.set_dictionary(std::shared_ptr<const runtime::LabelDictionary>(shared_from_this(), &graph_.dictionary()));
    view.set_device_copies(device_copies_);
    const runtime::Status halved = runtime::ensure_split_offsets(view);
    if (!halved) return halved.error();
    return view;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

runtime::Result<runtime::Graph> ResidentGraph::ranked(runtime::Halves halves) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = ranked_.find(halves);
  if (found == ranked_.end()) {
    runtime::Result<runtime::Graph> ordered = runtime::ordered_by_degree(graph_, halves);
    if (!ordered) return ordered.error();
    found = ranked_.emplace(halves, std::move(*ordered)).first;
  }
  return view_of(found->second);
}

}  // namespace matcha::driver
