#include "question/requirements.h"

#include <algorithm>
#include <string>

namespace matcha::pattern {

namespace {

struct Edge {
  int u, v;
  const std::vector<std::string>* labels;
};

/// Arcs, or undirected edges once.
std::vector<Edge> edges_of(const Pattern& pattern) {
  static const std::vector<std::string> kNone;
  std::vector<Edge> edges;
  for (int u = 0; u < pattern.size(); ++u) {
    for_each(pattern.out[at(u)], [&](int v) {
      if (pattern.directed || u < v) edges.push_back({u, v, &pattern.labels_of(u, v)});
    });
    const std::vector<std::string>& loops = pattern.loops[at(u)];
    if (!loops.empty()) edges.push_back({u, u, pattern.edge_labelled() ? &loops : &kNone});
  }
  return edges;
}

bool never_meet(const Pattern& pattern, int u, int v, bool loops) {
  if (!loops && has(pattern.near(u), v)) return true;
  return labels_differ(pattern, u, v);
}

/// True if one edge of the graph can be the image of both. Edges without labels stand for pairs of vertices; those of
/// variables are chosen among the remaining edges.
bool share_label(const Edge& a, const Edge& b) {
  if (a.labels->empty() && b.labels->empty()) return true;
  return std::ranges::any_of(*a.labels, [&](const std::string& label) {
    return !is_variable(label) && std::ranges::find(*b.labels, label) != b.labels->end();
  });
}

/// Adds the condition under which the two edges are different when mapped end to end; adds nothing if they always are.
void add_apart(const Pattern& pattern, bool loops, int a, int b, int c, int d, std::vector<Apart>& all) {
  Apart one;
  for (const auto& [x, y] : {std::pair(a, c), std::pair(b, d)}) {
    if (x == y) continue;
    if (never_meet(pattern, x, y, loops)) return;
    const std::pair<int, int> pair = std::minmax(x, y);
    if (std::ranges::find(one, pair) == one.end()) one.push_back(pair);
  }
  std::ranges::sort(one);
  if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

Requirements::Requirements(const Pattern& pattern, const Semantics& semantics)
    : in_after(pattern.in),
      off_after(pattern.anti),
      in_before(pattern.ids.size(), 0),
      off_before(pattern.ids.size(), 0),
      match(semantics.match),
      injective(semantics.match == Match::Iso),
      loops(semantics.loops) {
  if (pattern.directed) {
    in_before = pattern.out;
    off_before = pattern.anti;
  }
  if (semantics.match == Match::Edge) {
    const std::vector<Edge> edges = edges_of(pattern);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Edge& a = edges[i];
        const Edge& b = edges[j];
        if (!share_label(a, b)) continue;
        add_apart(pattern, loops, a.u, a.v, b.u, b.v, apart);
        if (!pattern.directed) add_apart(pattern, loops, a.u, a.v, b.v, b.u, apart);
      }
    }
  }
  for (const std::pair<int, int>& pair : pattern.different) {
    // A vertex cannot differ from itself.
    const bool same = pair.first == pair.second;
    if (same || (!injective && !never_meet(pattern, pair.first, pair.second, loops))) apart.push_back({pair});
  }
  if (semantics.induced == Induced::Edge) return;
  for (int v = 0; v < pattern.size(); ++v) {
    const Mask others = pattern.all() & ~bit(v);
    off_after[index(v)] = others & ~in_after[index(v)];
    if (pattern.directed) off_before[index(v)] = others & ~in_before[index(v)];
  }
}

bool Requirements::distinct(int u, int v, Mask bound) const {
  if (!loops && has(wanted(v), u)) return true;
  const Mask others = bound & ~bit(u) & ~bit(v);
  const Mask apart = (in_after[index(u)] & off_after[index(v)]) | (off_after[index(u)] & in_after[index(v)]) |
                     (in_before[index(u)] & off_before[index(v)]) | (off_before[index(u)] & in_before[index(v)]);
  return (apart & others) != 0;
}

bool always_injective(const Pattern& pattern, bool loops) {
  for (int v = 0; v < pattern.size(); ++v) {
    for (int u = 0; u < v; ++u) {
      if (!never_meet(pattern, u, v, loops)) return false;
    }
  }
  return true;
}

}  // namespace matcha::pattern
