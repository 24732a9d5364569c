#include "runtime/messages/counter.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <vector>

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
    cuts_[0] = image;
    std::uint64_t all = gatherer_.maps_below(top, image, cuts_);
    if (all != 0 && forest_->maybe_second() != nullptr) all = forest_->product(all, maps_of_second());
    sum_.add(static_cast<__int128>(all));
  }
  const motif::Sum& sum() const { return sum_; }

 private:
  /// The maps of all that is not the top's alone, for its image.
  std::uint64_t maps_of_second() {
    std::uint64_t sum = 0;
    const Node& second = *forest_->maybe_second();
    forest_->walk_second_while(cuts_[0], [&](std::uint32_t image) {
      if (!forest_->may_be(second, image)) return true;
      cuts_[1] = image;
      std::uint64_t maps = maps_alone(second, image);
      for (const int root : forest_->shared_strands()) {
        if (maps == 0) break;
        maps = forest_->product(maps, forest_->of_all(forest_->node(root), gatherer_.gather_maps(root, cuts_)));
      }
      sum = forest_->added(sum, maps);
      return true;
    });
    return sum;
  }

  /// What hangs on the second cut alone, which is the same for all images of the first and found once.
  std::uint64_t maps_alone(const Node& second, std::uint32_t image) {
    if (second.pendants.empty() && second.blocks.empty()) return 1;
    if (!alone_) alone_ = Zeros<std::uint64_t>(forest_->universe());
    std::uint64_t& more = alone_.get()[image];
    if (more == 0) more = gatherer_.maps_below(second, image, cuts_) + 1;
    return more - 1;
  }

  const Forest* forest_;
  Gatherer gatherer_;
  CutImages cuts_ = {};
  Zeros<std::uint64_t> alone_;  ///< One more than `maps_alone`; 0: not known yet.
  motif::Sum sum_;
};

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
    std::vector<std::int64_t> labels;
    for (const LabelEntry& entry : table->labels) labels.push_back(entry.label);
    bind_shared(query, labels, [&](const MapQuery& bound) {
      add_maps(graph, *table, bound, plan, request, sum, outcome);
      return outcome.end == motif::End::Complete;
    });
    outcome.maps = sum.value();
    return outcome;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime::messages
