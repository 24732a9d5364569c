#include "engines/search/match_index.h"

#include <algorithm>
#include <new>
#include <utility>

namespace matcha::runtime::match {

int Query::side(const Side& wanted) {
  const auto known = std::ranges::find(sides, wanted);
  if (known != sides.end()) return static_cast<int>(known - sides.begin());
  sides.push_back(wanted);
  return static_cast<int>(sides.size()) - 1;
}

MatchIndex::MatchIndex(const GraphView& graph) : MatchIndex(graph, nullptr) {}

MatchIndex::MatchIndex(const Graph& graph) : MatchIndex(graph.view(), &graph) {}

MatchIndex::MatchIndex(const GraphView& graph, const Graph* maybe_graph) : graph_(graph), maybe_graph_(maybe_graph) {
  if (graph.labels == nullptr) return;
  const bool takes_all = maybe_graph == nullptr || (!maybe_graph->facts().directed && maybe_graph->facts().simple &&
                                                    maybe_graph->facts().info == InfoKind::None);
  by_label_ = LabelIndex(graph, takes_all);
}

std::unique_ptr<Neighbors> MatchIndex::made(const Side& side) const {
  const bool directed = maybe_graph_ != nullptr && maybe_graph_->facts().directed;
  if (side.label) {
    // A graph without arcs needs no labels.
    const Result<LabelTable> table = maybe_graph_->label_slices().table(*maybe_graph_);
    if (!table) throw std::bad_alloc();
    const ArcSide arcs = side.backwards ? ArcSide::Sources : ArcSide::Targets;
    return std::make_unique<Neighbors>(part_of(*table, directed, arcs, *side.label), graph_.universe);
  }
  if (!directed || !side.backwards) return std::make_unique<Neighbors>(graph_);
  Result<std::shared_ptr<const Graph>> turned = maybe_graph_->label_slices().backwards(*maybe_graph_);
  if (!turned) throw std::bad_alloc();
  const GraphView view = (*turned)->view();
  return std::make_unique<Neighbors>(view, std::move(*turned));
}

const Neighbors& MatchIndex::neighbors(const Side& side) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Neighbors>& kept = neighbors_[side];
  if (kept == nullptr) kept = made(side);
  return *kept;
}

std::unique_ptr<RankArrays> MatchIndex::take_arrays() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<RankArrays> arrays = std::move(spare_.back());
      spare_.pop_back();
      return arrays;
    }
  }
  return std::make_unique<RankArrays>(graph_.universe);
}

void MatchIndex::give_back(std::unique_ptr<RankArrays> arrays) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(arrays));
}

}  // namespace matcha::runtime::match
