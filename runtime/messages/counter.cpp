#include "runtime/messages/counter.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "runtime/graph/detail/source.h"
#include "runtime/messages/forest.h"
#include "runtime/messages/gatherer.h"
#include "runtime/motif/sum.h"

namespace matcha::runtime::messages {

namespace {

/// Counts for one image of the top after the other; belongs to a thread.
class Worker {
 public:
  explicit Worker(const Forest& forest) : forest_(&forest), gatherer_(forest) {}

  void visit(std::uint32_t image) {
    const Node& top = forest_->top();
    if (!forest_->may_be(top, image)) return;
    std::uint64_t all = 1;
    for (const int child : top.pendants) {
      all = forest_->product(all, forest_->sum(forest_->node(child), image));
      if (all == 0) return;
    }
    for (const int root : top.strands) {
      gatherer_.gather(forest_->node(root), image);
      std::uint64_t maps = 0;
      for (const std::uint64_t each : gatherer_.of(root).maps) maps = forest_->added(maps, each);
      all = forest_->product(all, maps);
      if (all == 0) return;
    }
    sum_.add(static_cast<__int128>(all));
  }
  const motif::Sum& sum() const { return sum_; }

 private:
  const Forest* forest_;
  Gatherer gatherer_;
  motif::Sum sum_;
};

/// A query whose shared label is this one.
MapQuery with_label(const MapQuery& query, std::int64_t label) {
  MapQuery bound = query;
  for (MapQuery::Arc& arc : bound.arcs) {
    if (arc.is_shared) arc.labels = {label};
    arc.is_shared = false;
  }
  return bound;
}

/// Adds the maps of a query without a shared label.
void add_maps(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan,
              const MapRequest& request, motif::Sum& sum, MapOutcome& outcome) {
  auto begin = std::chrono::steady_clock::now();
  const Forest forest(graph, table, query, plan, Sums::Exact);
  outcome.index_ms += match::ms_since(begin);
  begin = std::chrono::steady_clock::now();
  const Ranks all = forest.candidates();
  const std::uint64_t first = all.size() * request.part / request.parts;
  const std::uint64_t last = all.size() * (request.part + 1) / request.parts;
  tbb::enumerable_thread_specific<Worker> workers([&] { return Worker(forest); });
  motif::VertexLoop loop(last - first, request.threads, request.stops);
  loop(workers, [&](Worker& worker, std::uint64_t at) { worker.visit(all[first + at]); });
  outcome.end = loop.end();
  outcome.positions += last - first;
  for (const Worker& worker : workers) sum.add(worker.sum());
  outcome.overflow = outcome.overflow || forest.overflowed() || sum.overflow();
  outcome.count_ms += match::ms_since(begin);
}

}  // namespace

Result<MapOutcome> count_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const MapRequest& request) {
  try {
    MapOutcome outcome;
    if (query.is_impossible) return outcome;
    const Result<LabelTable> table = graph.label_slices().table(graph);
    if (!table) return table.error();
    motif::Sum sum;
    if (std::ranges::any_of(query.arcs, &MapQuery::Arc::is_shared)) {
      for (const LabelEntry& entry : table->labels) {
        add_maps(graph, *table, with_label(query, entry.label), plan, request, sum, outcome);
        if (outcome.end != motif::End::Complete) break;
      }
    } else {
      add_maps(graph, *table, query, plan, request, sum, outcome);
    }
    outcome.maps = sum.value();
    return outcome;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime::messages
