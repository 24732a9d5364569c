#include "engines/messages/forest.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/graph/device_copies.h"

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
    node.labels = query.labels[static_cast<std::size_t>(v)];
    node.image = query.images[static_cast<std::size_t>(v)];
  }
  top_ = cut_ >= 0 ? cut_ : plan.roots[0];
  require_edges(top_);
  candidates_ = candidates_of(top_);
  if (second_ < 0) {
    const Vertices all = ~Vertices{0} >> (64 - query.size);
    for (const Vertices part : parts_on(query, all & ~(Vertices{1} << top_))) attach(top_, part, plan);
    if (!is_for_some()) fold(top_);
    return;
  }
  require_edges(second_);
  Node& second = nodes_[static_cast<std::size_t>(second_)];
  if (has_edge(cut_, second_)) {
    second.down = side_of(cut_, second_);
  } else {
    second_candidates_ = candidates_of(second_);
  }
  const std::optional<std::vector<std::vector<int>>> trees = trees_without(query, cut_, second_);
  for (const std::vector<int>& tree : *trees) add_tree(tree, plan);
  // Every vertex has an image in a row.
  if (is_for_some()) return;
  std::string all;
  fold(top_);
  fold(second_);
  fold(shared_strands_, all);
}

namespace {

void add_side(const EdgeSide& side, std::string& key) {
  std::vector<const PartIndex*> indices = side.indices;
  std::ranges::sort(indices);
  for (const PartIndex* const index : indices) key += std::to_string(reinterpret_cast<std::uintptr_t>(index)) + ",";
  key += ";";
}

}  // namespace

std::string Forest::fold(int vertex) {
  Node& node = nodes_[static_cast<std::size_t>(vertex)];
  std::string key = "(";
  for (const std::int64_t label : node.labels) key += std::to_string(label) + ",";
  key += "@" + (node.image ? std::to_string(*node.image) : "");
  add_side(node.down, key);
  add_side(node.up, key);
  for (const Tie& tie : node.ties) {
    key += std::to_string(tie.cut) + ":";
    add_side(tie.side, key);
  }
  for (std::vector<int>* const siblings : {&node.pendants, &node.strands, &node.blocks}) fold(*siblings, key);
  return key + ")";
}

void Forest::fold(std::vector<int>& siblings, std::string& key) {
  std::map<std::string, int> known;
  std::vector<int> kept;
  for (const int sibling : siblings) {
    const auto [first, fresh] = known.try_emplace(fold(sibling), sibling);
    if (fresh) {
      kept.push_back(sibling);
    } else {
      ++nodes_[static_cast<std::size_t>(first->second)].times;
    }
  }
  siblings = std::move(kept);
  for (const auto& [one, sibling] : known) key += one + "*" + std::to_string(node(sibling).times);
  key += "|";
}

void Forest::attach(int vertex, Vertices part, const MapPlan& plan) {
  Node& node = nodes_[static_cast<std::size_t>(vertex)];
  const Vertices tied = near(query_, vertex) & part;
  if (std::popcount(tied) == 1) {
    const int child = std::countr_zero(tied);
    nodes_[static_cast<std::size_t>(child)].down = side_of(vertex, child);
    for (const Vertices below : parts_on(query_, part & ~tied)) attach(child, below, plan);
    finish(nodes_[static_cast<std::size_t>(child)], is_for_some() || !is_met_once(child, vertex));
    node.pendants.push_back(child);
    return;
  }
  const Vertices tree = on_cycles(query_, vertex, part);
  for (const Vertices below : parts_on(query_, part & ~tree)) attach(holder_of(query_, tree, below), below, plan);
  for (Vertices left = tied; left != 0; left &= left - 1) {
    const int v = std::countr_zero(left);
    nodes_[static_cast<std::size_t>(v)].ties.push_back({0, side_of(vertex, v)});
  }
  const auto planned = std::ranges::find_if(plan.roots, [&](int v) { return (tree >> v & 1) != 0; });
  const int root = planned != plan.roots.end() ? *planned : std::countr_zero(tree);
  hang(root, -1, true, tree);
  node.blocks.push_back(root);
}

bool Forest::is_met_once(int child, int parent) const {
  std::size_t images = 0, arcs = 0, edges = 0;
  for (const MapQuery::Arc& arc : query_.arcs) {
    const bool leaves = arc.from == child && arc.to == parent, enters = arc.from == parent && arc.to == child;
    if (!leaves && !enters) continue;
    if (arc.labels.size() != 1) return false;
    const LabelPart part = part_of(table_, true, leaves ? ArcSide::Targets : ArcSide::Sources, arc.labels[0]);
    images = part.rows.size();
    arcs = part.items.size();
    ++edges;
  }
  return edges == 1 && arcs <= images + images / 4;
}

void Forest::finish(Node& node, bool is_kept) const {
  const bool is_leaf = node.pendants.empty() && node.blocks.empty();
  node.is_counted = is_leaf && node.labels.empty() && !node.image && node.down.indices.size() == 1;
  const std::uint64_t words = sums_ == Sums::Wide ? KeptWeight<WideNumber>::kWords : KeptWeight<std::uint64_t>::kWords;
  if (!is_leaf && is_kept) node.weights = Zeros<std::uint64_t>(words * view_.universe);
}

void Forest::add_tree(const std::vector<int>& tree, const MapPlan& plan) {
  const std::array<int, 2> cuts = {cut_, second_};
  Vertices within = 0;
  for (const int v : tree) within |= Vertices{1} << v;
  std::array<std::vector<int>, 2> tied;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (const int v : tree) {
      if (has_edge(cuts[i], v)) tied[i].push_back(v);
    }
  }
  if (tied[0].size() + tied[1].size() == 1) {
    // It is attached to the cut as a tree.
    const std::size_t i = tied[0].empty() ? 1 : 0;
    hang(tied[i][0], cuts[i], false, within);
    nodes_[static_cast<std::size_t>(cuts[i])].pendants.push_back(tied[i][0]);
    return;
  }
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (const int v : tied[i]) nodes_[static_cast<std::size_t>(v)].ties.push_back({i, side_of(cuts[i], v)});
  }
  const int root = *std::ranges::find_if(plan.roots, [&](int v) { return std::ranges::find(tree, v) != tree.end(); });
  hang(root, -1, true, within);
  if (!tied[0].empty() && !tied[1].empty()) {
    shared_strands_.push_back(root);
  } else {
    nodes_[static_cast<std::size_t>(cuts[tied[0].empty() ? 1 : 0])].blocks.push_back(root);
  }
}

const PartIndex* Forest::index(const std::vector<std::int64_t>& labels, ArcSide side) {
  const auto [found, fresh] = indices_.try_emplace({side, labels});
  Index& index = found->second;
  if (fresh) {
    if (labels.size() == 1) {
      index.index = kept_index(part_of(table_, true, side, labels[0]));
    } else {
      const LabelPart part = labels.empty() ? part_of_any(side, index) : part_of_several(labels, side, index);
      index.index = std::make_shared<const PartIndex>(part, view_.universe);
    }
  }
  return index.index.get();
}

/// The index of one label, cached with the graph if it keeps copies.
std::shared_ptr<const PartIndex> Forest::kept_index(const LabelPart& part) const {
  // A number that no device has.
  constexpr int kHost = -2;
  const auto make = [&] { return std::make_shared<PartIndex>(part, view_.universe); };
  DeviceCopies* const maybe_copies = graph_.device_copies().get();
  if (maybe_copies == nullptr || part.rows.empty()) return make();
  return maybe_copies->get<PartIndex>({part.rows.data(), kHost, 0, view_.universe}, make);
}

LabelPart Forest::part_of_any(ArcSide side, Index& index) const {
  GraphView view = view_;
  if (side == ArcSide::Sources) {
    const Result<std::shared_ptr<const Graph>> backwards = graph_.label_slices().backwards(graph_);
    if (!backwards) throw std::bad_alloc();
    view = (*backwards)->view();  // The slices keep it alive.
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
    const bool leaves = arc.from == from && arc.to == to, enters = arc.from == to && arc.to == from;
    if (!leaves && !enters) continue;
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

void Forest::hang(int vertex, int parent, bool is_tied, Vertices within) {
  Node& node = nodes_[static_cast<std::size_t>(vertex)];
  if (parent >= 0) node.down = side_of(parent, vertex);
  if (parent >= 0 && is_tied) node.up = side_of(vertex, parent);
  if (is_tied) require_edges(vertex);
  for (Vertices left = near(query_, vertex) & within; left != 0; left &= left - 1) {
    const int other = std::countr_zero(left);
    if (other == parent) continue;
    hang(other, vertex, is_tied, within);
    (is_tied_below(other) ? node.strands : node.pendants).push_back(other);
  }
  finish(node, true);
}

Ranks Forest::candidates_of(int vertex) {
  const Node& one = node(vertex);
  return one.image ? Ranks(&*one.image, 1) : rows_of(vertex);
}

Ranks Forest::rows_of(int vertex) {
  std::optional<Ranks> fewest;
  // Arcs of any label are used if there is no other choice; incoming ones last: they must be reversed first.
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

}  // namespace matcha::runtime::messages
