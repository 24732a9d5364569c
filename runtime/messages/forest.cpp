#include "runtime/messages/forest.h"

#include <algorithm>

namespace matcha::runtime::messages {

Forest::Forest(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan, Sums sums)
    : view_(graph.view()), table_(table), query_(query), cut_(plan.cut), sums_(sums) {
  nodes_.resize(static_cast<std::size_t>(query.size));
  for (int v = 0; v < query.size; ++v) {
    Node& node = nodes_[static_cast<std::size_t>(v)];
    node.vertex = v;
    node.label = query.labels[static_cast<std::size_t>(v)];
    node.image = query.images[static_cast<std::size_t>(v)];
  }
  top_ = cut_ >= 0 ? cut_ : plan.roots[0];
  require_edges(top_);
  if (cut_ < 0) {
    hang(top_, -1, false);
    return;
  }
  Node& top = nodes_[static_cast<std::size_t>(top_)];
  const std::optional<std::vector<std::vector<int>>> trees = trees_without(query, cut_);
  for (const std::vector<int>& tree : *trees) {
    std::vector<int> tied;
    for (const int v : tree) {
      if (has_edge(cut_, v)) tied.push_back(v);
    }
    if (tied.size() == 1) {
      // It hangs on the cut as a tree.
      hang(tied[0], cut_, false);
      top.pendants.push_back(tied[0]);
      continue;
    }
    for (const int v : tied) {
      Node& node = nodes_[static_cast<std::size_t>(v)];
      node.is_tied = true;
      node.tie = side_of(cut_, v);
    }
    const auto root = std::ranges::find_if(plan.roots, [&](int v) { return std::ranges::find(tree, v) != tree.end(); });
    hang(*root, -1, true);
    top.strands.push_back(*root);
  }
}

const PartIndex* Forest::index(std::int64_t label, ArcSide side) {
  const auto found = indices_.find({side, label});
  if (found != indices_.end()) return &found->second;
  const LabelPart part = part_of(table_, true, side, label);
  return &indices_.emplace(std::pair(side, label), PartIndex(part, view_.universe)).first->second;
}

EdgeSide Forest::side_of(int from, int to) {
  EdgeSide side;
  for (const MapQuery::Arc& arc : query_.arcs) {
    if (arc.from == from && arc.to == to) side.push_back(index(arc.label, ArcSide::Targets));
    if (arc.from == to && arc.to == from) side.push_back(index(arc.label, ArcSide::Sources));
  }
  std::ranges::sort(side, {}, [](const PartIndex* one) { return one->part().items.size(); });
  return side;
}

bool Forest::is_tied_below(int vertex) const {
  const Node& one = node(vertex);
  return one.is_tied || !one.strands.empty();
}

bool Forest::has_edge(int u, int v) const {
  return std::ranges::any_of(query_.arcs, [&](const MapQuery::Arc& arc) {
    return (arc.from == u && arc.to == v) || (arc.from == v && arc.to == u);
  });
}

void Forest::require_edges(int vertex) {
  EdgeSide& required = nodes_[static_cast<std::size_t>(vertex)].required;
  for (int other = 0; other < query_.size; ++other) {
    const EdgeSide side = side_of(vertex, other);
    required.insert(required.end(), side.begin(), side.end());
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
    if (other == parent || other == cut_ || other == vertex || !has_edge(vertex, other)) continue;
    hang(other, vertex, is_tied);
    (is_tied_below(other) ? node.strands : node.pendants).push_back(other);
  }
  node.is_counted = node.pendants.empty() && !node.label && !node.image && node.down.size() == 1;
  if (!node.pendants.empty()) node.weights = Zeros<std::uint64_t>(view_.universe);
}

Ranks Forest::rows_of(int vertex) const {
  std::optional<Ranks> fewest;
  for (const MapQuery::Arc& arc : query_.arcs) {
    if (arc.from != vertex && arc.to != vertex) continue;
    const ArcSide side = arc.from == vertex ? ArcSide::Targets : ArcSide::Sources;
    const Ranks rows = part_of(table_, true, side, arc.label).rows;
    if (!fewest || rows.size() < fewest->size()) fewest = rows;
  }
  return *fewest;
}

Ranks Forest::candidates() const {
  const Node& node = top();
  return node.image ? Ranks(&*node.image, 1) : rows_of(node.vertex);
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
  if (child.is_counted) return child.down[0]->of(parent_image).size();
  if (sums_ == Sums::Some) {
    const auto leads_nowhere = [&](std::uint32_t image) { return weight(child, image) == 0; };
    return walk_while(child.down, parent_image, leads_nowhere) ? 0 : 1;
  }
  std::uint64_t all = 0;
  walk(child.down, parent_image, [&](std::uint32_t image) { all = added(all, weight(child, image)); });
  return all;
}

}  // namespace matcha::runtime::messages
