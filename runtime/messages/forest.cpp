#include "runtime/messages/forest.h"

#include <algorithm>

namespace matcha::runtime::messages {

Forest::Forest(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan, Sums sums)
    : graph_(graph),
      view_(graph.view()),
      table_(table),
      query_(query),
      cut_(plan.cut),
      second_(plan.second),
      sums_(sums) {
  nodes_.resize(static_cast<std::size_t>(query.size));
  for (int v = 0; v < query.size; ++v) {
    Node& node = nodes_[static_cast<std::size_t>(v)];
    node.vertex = v;
    node.label = query.labels[static_cast<std::size_t>(v)];
    node.image = query.images[static_cast<std::size_t>(v)];
  }
  top_ = cut_ >= 0 ? cut_ : plan.roots[0];
  require_edges(top_);
  candidates_ = candidates_of(top_);
  if (cut_ < 0) {
    hang(top_, -1, false);
    return;
  }
  if (second_ >= 0) {
    require_edges(second_);
    Node& second = nodes_[static_cast<std::size_t>(second_)];
    if (has_edge(cut_, second_)) {
      second.down = side_of(cut_, second_);
    } else {
      second_candidates_ = candidates_of(second_);
    }
  }
  const std::optional<std::vector<std::vector<int>>> trees = trees_without(query, cut_, second_);
  for (const std::vector<int>& tree : *trees) add_tree(tree, plan);
}

void Forest::add_tree(const std::vector<int>& tree, const MapPlan& plan) {
  const std::array<int, 2> cuts = {cut_, second_};
  std::array<std::vector<int>, 2> tied;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (const int v : tree) {
      if (cuts[i] >= 0 && has_edge(cuts[i], v)) tied[i].push_back(v);
    }
  }
  if (tied[0].size() + tied[1].size() == 1) {
    // It hangs on the cut as a tree.
    const std::size_t i = tied[0].empty() ? 1 : 0;
    hang(tied[i][0], cuts[i], false);
    nodes_[static_cast<std::size_t>(cuts[i])].pendants.push_back(tied[i][0]);
    return;
  }
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (const int v : tied[i]) nodes_[static_cast<std::size_t>(v)].ties.push_back({i, side_of(cuts[i], v)});
  }
  const int root = *std::ranges::find_if(plan.roots, [&](int v) { return std::ranges::find(tree, v) != tree.end(); });
  hang(root, -1, true);
  if (!tied[0].empty() && !tied[1].empty()) {
    shared_strands_.push_back(root);
  } else {
    nodes_[static_cast<std::size_t>(cuts[tied[0].empty() ? 1 : 0])].strands.push_back(root);
  }
}

const PartIndex* Forest::index(const std::vector<std::int64_t>& labels, ArcSide side) {
  const auto [found, fresh] = indices_.try_emplace({side, labels});
  Index& index = found->second;
  if (fresh) {
    const LabelPart part = labels.empty()       ? part_of_any(side, index)
                           : labels.size() == 1 ? part_of(table_, true, side, labels[0])
                                                : part_of_several(labels, side, index);
    index.index.emplace(part, view_.universe);
  }
  return &*index.index;
}

LabelPart Forest::part_of_any(ArcSide side, Index& index) const {
  GraphView view = view_;
  if (side == ArcSide::Sources) {
    const Result<std::shared_ptr<const Graph>> backwards = graph_.label_slices().backwards(graph_);
    if (!backwards) throw std::bad_alloc();
    view = (*backwards)->view();  // The slices keep it.
  }
  for (std::uint64_t v = 0; v < view.universe; ++v) {
    if (view.offsets[v] == view.offsets[v + 1]) continue;
    index.rows.push_back(static_cast<std::uint32_t>(v));
    index.ends.push_back(static_cast<std::uint32_t>(view.offsets[v + 1]));
  }
  return {index.rows, index.ends, {view.neighbors, static_cast<std::size_t>(view.arc_count)}};
}

LabelPart Forest::part_of_several(const std::vector<std::int64_t>& labels, ArcSide side, Index& index) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const std::int64_t label : labels) {
    const LabelPart part = part_of(table_, true, side, label);
    std::uint32_t item = 0;
    for (std::size_t row = 0; row < part.rows.size(); ++row) {
      for (; item < part.ends[row]; ++item) arcs.emplace_back(part.rows[row], part.items[item]);
    }
  }
  std::ranges::sort(arcs);
  for (const auto& [row, item] : arcs) {
    if (index.rows.empty() || index.rows.back() != row) {
      index.rows.push_back(row);
      index.ends.push_back(0);
    }
    index.items.push_back(item);
    index.ends.back() = static_cast<std::uint32_t>(index.items.size());
  }
  return {index.rows, index.ends, index.items};
}

EdgeSide Forest::side_of(int from, int to) {
  EdgeSide side;
  for (const MapQuery::Arc& arc : query_.arcs) {
    const bool leaves = arc.from == from && arc.to == to, comes = arc.from == to && arc.to == from;
    if (!leaves && !comes) continue;
    side.indices.push_back(index(arc.labels, leaves ? ArcSide::Targets : ArcSide::Sources));
    side.repeats = side.repeats || arc.labels.size() != 1;
  }
  std::ranges::sort(side.indices, {}, [](const PartIndex* one) { return one->part().items.size(); });
  return side;
}

bool Forest::is_tied_below(int vertex) const {
  const Node& one = node(vertex);
  return !one.ties.empty() || !one.strands.empty();
}

bool Forest::has_edge(int u, int v) const {
  return std::ranges::any_of(query_.arcs, [&](const MapQuery::Arc& arc) {
    return (arc.from == u && arc.to == v) || (arc.from == v && arc.to == u);
  });
}

void Forest::require_edges(int vertex) {
  std::vector<const PartIndex*>& required = nodes_[static_cast<std::size_t>(vertex)].required;
  for (const MapQuery::Arc& arc : query_.arcs) {
    // Most vertices have some arc.
    if (arc.labels.empty()) continue;
    if (arc.from == vertex) required.push_back(index(arc.labels, ArcSide::Targets));
    if (arc.to == vertex) required.push_back(index(arc.labels, ArcSide::Sources));
  }
  std::ranges::sort(required);
  required.erase(std::unique(required.begin(), required.end()), required.end());
}

void Forest::hang(int vertex, int parent, bool is_tied) {
  Node& node = nodes_[static_cast<std::size_t>(vertex)];
  if (parent >= 0) node.down = side_of(parent, vertex);
  if (parent >= 0 && is_tied) node.up = side_of(vertex, parent);
  if (is_tied) require_edges(vertex);
  for (int other = 0; other < query_.size; ++other) {
    if (other == parent || is_cut(other) || other == vertex || !has_edge(vertex, other)) continue;
    hang(other, vertex, is_tied);
    (is_tied_below(other) ? node.strands : node.pendants).push_back(other);
  }
  node.is_counted = node.pendants.empty() && !node.label && !node.image && node.down.indices.size() == 1;
  if (!node.pendants.empty()) node.weights = Zeros<std::uint64_t>(view_.universe);
}

Ranks Forest::candidates_of(int vertex) {
  const Node& one = node(vertex);
  return one.image ? Ranks(&*one.image, 1) : rows_of(vertex);
}

Ranks Forest::rows_of(int vertex) {
  std::optional<Ranks> fewest;
  // Arcs of any label are asked where there is no other, those that come to it last: they have to be turned first.
  const auto ask = [&](bool any, ArcSide side) {
    for (const MapQuery::Arc& arc : query_.arcs) {
      if ((side == ArcSide::Targets ? arc.from : arc.to) != vertex || arc.labels.empty() != any) continue;
      const Ranks rows = index(arc.labels, side)->part().rows;
      if (!fewest || rows.size() < fewest->size()) fewest = rows;
    }
  };
  ask(false, ArcSide::Targets);
  ask(false, ArcSide::Sources);
  if (!fewest) ask(true, ArcSide::Targets);
  if (!fewest) ask(true, ArcSide::Sources);
  return *fewest;
}

std::uint64_t Forest::weight(const Node& node, std::uint32_t image) const {
  if (!fits(node, image)) return 0;
  if (node.pendants.empty()) return 1;
  // Who comes second finds the same number.
  const std::atomic_ref<std::uint64_t> known(node.weights.get()[image]);
  if (const std::uint64_t more = known.load(std::memory_order_relaxed); more != 0) return more - 1;
  std::uint64_t all = 1;
  for (const int child : node.pendants) {
    all = product(all, sum(this->node(child), image));
    if (all == 0) break;
  }
  known.store(all + 1, std::memory_order_relaxed);
  return all;
}

std::uint64_t Forest::sum(const Node& child, std::uint32_t parent_image) const {
  if (child.is_counted) return child.down.row(parent_image).size();
  if (sums_ == Sums::Some) {
    const auto leads_nowhere = [&](std::uint32_t image) { return weight(child, image) == 0; };
    return walk_while(child.down, parent_image, leads_nowhere) ? 0 : 1;
  }
  std::uint64_t all = 0;
  walk(child.down, parent_image, [&](std::uint32_t image) { all = added(all, weight(child, image)); });
  return all;
}

}  // namespace matcha::runtime::messages
