#include "engines/messages/counter.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <vector>

#include "engines/identities/sum.h"
#include "engines/messages/forest.h"
#include "engines/messages/gatherer.h"
#include "runtime/graph/detail/source.h"

namespace matcha::runtime::messages {

namespace {

/// Counts the maps for one image of the top after the other; used by one thread.
template <typename Number>
class Worker {
 public:
  Worker(const Forest& forest, std::atomic<bool>& overflow)
      : forest_(&forest), gatherer_(forest), overflow_(&overflow) {}

  /// Does nothing after an overflow.
  void visit(std::uint32_t image) {
    if (overflow_->load(std::memory_order_relaxed)) return;
    const Node& top = forest_->top();
    if (!forest_->may_be(top, image)) return;
    cuts_[0] = image;
    Number all = gatherer_.maps_below(top, image, cuts_);
    if (all != 0 && forest_->maybe_second() != nullptr) all = product(all, maps_of_second());
    if (all == kTooLarge<Number>) return overflow_->store(true, std::memory_order_relaxed);
    sum_.add(static_cast<__int128>(all));
  }
  const motif::Sum& sum() const { return sum_; }

 private:
  /// The number of maps of everything except the top's own subtrees, for its image.
  Number maps_of_second() {
    Number sum = 0;
    const Node& second = *forest_->maybe_second();
    forest_->walk_second_while(cuts_[0], [&](std::uint32_t image) {
      if (!forest_->may_be(second, image)) return true;
      cuts_[1] = image;
      Number maps = maps_alone(second, image);
      for (const int root : forest_->shared_strands()) {
        if (maps == 0) break;
        maps = product(maps, of_all(forest_->node(root), gatherer_.gather_maps(root, cuts_)));
      }
      sum = added(sum, maps);
      return true;
    });
    return sum;
  }

  /// The number of maps of the second cut's own subtrees, which is independent of the first cut and computed once.
  Number maps_alone(const Node& second, std::uint32_t image) {
    if (second.pendants.empty() && second.blocks.empty()) return 1;
    if (!alone_) alone_ = Zeros<Number>(forest_->universe());
    Number& more = alone_.get()[image];
    if (more == 0) more = gatherer_.maps_below(second, image, cuts_) + 1;
    return more - 1;
  }

  const Forest* forest_;
  GathererOf<Number> gatherer_;
  std::atomic<bool>* overflow_;
  CutImages cuts_ = {};
  Zeros<Number> alone_;  ///< `maps_alone` + 1; 0: not computed so far.
  motif::Sum sum_;
};

/// Adds the maps of a query without a shared label. False: intermediate numbers overflow `Number`, and nothing is
/// added.
template <typename Number>
bool add_maps_as(const Forest& forest, const MapRequest& request, motif::Sum& sum, MapOutcome& outcome) {
  const Ranks all = forest.candidates();
  const std::uint64_t first = all.size() * request.part / request.parts;
  const std::uint64_t last = all.size() * (request.part + 1) / request.parts;
  std::atomic<bool> overflow{false};
  tbb::enumerable_thread_specific<Worker<Number>> workers([&] { return Worker<Number>(forest, overflow); });
  motif::VertexLoop loop(last - first, request.threads, request.stops);
  loop(workers, [&](Worker<Number>& worker, std::uint64_t at) { worker.visit(all[first + at]); });
  if (overflow) return false;
  outcome.end = loop.end();
  outcome.positions += last - first;
  for (const Worker<Number>& worker : workers) sum.add(worker.sum());
  return true;
}

/// The same, in 128 bits if 64 are too few.
void add_maps(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan,
              const MapRequest& request, motif::Sum& sum, MapOutcome& outcome) {
  const auto add = [&]<typename Number>(Sums sums) {
    auto begin = std::chrono::steady_clock::now();
    const Forest forest(graph, table, query, plan, sums);
    outcome.index_ms += match::ms_since(begin);
    begin = std::chrono::steady_clock::now();
    const bool fits = add_maps_as<Number>(forest, request, sum, outcome);
    outcome.count_ms += match::ms_since(begin);
    return fits;
  };
  const bool fits =
      add.template operator()<std::uint64_t>(Sums::Exact) || add.template operator()<WideNumber>(Sums::Wide);
  outcome.overflow = outcome.overflow || !fits || sum.overflow();
}

}  // namespace

Result<MapOutcome> count_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const MapRequest& request) {
  try {
    MapOutcome outcome;
    if (query.is_impossible) return outcome;
    const LabelTable table = MATCHA_TRY(graph.label_slices().table(graph));
    motif::Sum sum;
    std::vector<std::int64_t> labels;
    for (const LabelEntry& entry : table.labels) labels.push_back(entry.label);
    bind_shared(query, labels, [&](const MapQuery& bound) {
      add_maps(graph, table, bound, plan, request, sum, outcome);
      return outcome.end == motif::End::Complete;
    });
    outcome.maps = sum.value();
    return outcome;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime::messages
