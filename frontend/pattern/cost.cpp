#include "frontend/pattern/cost.h"

#include <algorithm>
#include <cmath>

namespace matcha::frontend::pattern {

namespace {

std::size_t at(int v) { return static_cast<std::size_t>(v); }

/// Connected parts of `vertices` under `near`.
template <typename Near>
int parts(Mask vertices, Near near) {
  int found = 0;
  for (; vertices != 0; ++found) {
    Mask part = vertices & (~vertices + 1);
    for (Mask last = 0; part != last;) {
      last = part;
      for_each(last, [&](int v) { part |= near(v) & vertices; });
    }
    vertices &= ~part;
  }
  return found;
}

constexpr double kLabelsOfTypicalGraph = 10, kEdgeLabelsOfTypicalGraph = 10;

}  // namespace

GraphSketch typical_graph() {
  // Degrees 1 to 3000 with weights d^-2.1: 10 edges a vertex of either end, and hubs.
  constexpr int kMostDegree = 3000;
  constexpr double kVertices = 1e6, kExponent = -2.1, kClustering = 0.1;
  GraphSketch sketch;
  sketch.moments.assign(kMostMoment + 1, 0);
  double weights = 0;
  for (int d = 1; d <= kMostDegree; ++d) weights += std::pow(d, kExponent);
  for (int d = 1; d <= kMostDegree; ++d) {
    double term = kVertices * std::pow(d, kExponent) / weights;
    for (double& moment : sketch.moments) {
      moment += term;
      term *= d;
    }
  }
  sketch.vertices = static_cast<std::uint64_t>(kVertices);
  sketch.edges = static_cast<std::uint64_t>(sketch.moments[1] / 2);
  sketch.max_degree = kMostDegree;
  sketch.triangles = kClustering * (sketch.moments[2] - sketch.moments[1]) / 6;
  return sketch;
}

CostModel::CostModel(const Pattern& pattern, Induced induced, const GraphSketch& sketch)
    : pattern_(pattern), sketch_(sketch), requirements_(pattern, induced) {
  static const std::vector<double> kNothing(kMostMoment + 1, 1e-3);
  const std::size_t n = pattern.ids.size();
  const double arcs = std::max(sketch.moments[1], 1.0);
  for (int v = 0; v < pattern.size(); ++v) {
    const auto found = sketch.labels.find(pattern.label(v));
    moments_.push_back(pattern.label(v).empty() || sketch.labels.empty() ? &sketch.moments
                       : found == sketch.labels.end()                    ? &kNothing
                                                                         : &found->second.moments);
  }
  edge_factor_.assign(n, std::vector<double>(n, 1 / arcs));
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      if (pattern.labels[u].empty() || pattern.labels[v].empty() || sketch.labels.empty()) continue;
      const auto found = sketch.label_arcs.find({pattern.labels[u], pattern.labels[v]});
      const double between = found == sketch.label_arcs.end() ? 1e-3 : found->second;
      edge_factor_[u][v] = between / (std::max((*moments_[u])[1], 1.0) * std::max((*moments_[v])[1], 1.0));
    }
  }
  for (std::size_t u = 0; u < n && pattern.edge_labelled(); ++u) {
    for (std::size_t v = 0; v < n; ++v) edge_factor_[u][v] *= edge_share(static_cast<int>(u), static_cast<int>(v));
  }
  const double chance = std::pow(sketch.moments[2], 3) / std::pow(arcs, 3) / 6;
  constexpr double kLeast = 0.05, kMost = 1000;
  if (chance > 0 && sketch.triangles > 0) closing_ = std::clamp(sketch.triangles / chance, kLeast, kMost);
}

double CostModel::moment(int v, int power) const {
  return (*moments_[at(v)])[at(std::min(power, kMostMoment))] *
         (sketch_.labels.empty() && !pattern_.label(v).empty() ? 1 / kLabelsOfTypicalGraph : 1);
}

double CostModel::matches(Mask part) const {
  double product = 1;
  Mask in_triangles = 0;
  int closed_edges = 0;
  const auto near = [&](int v) { return pattern_.near(v) & part; };
  const auto near_in_triangle = [&](int v) {
    Mask found = 0;
    for_each(near(v), [&](int w) {
      if ((near(v) & near(w)) != 0) found |= bit(w);
    });
    return found;
  };
  for_each(part, [&](int v) {
    product *= moment(v, count(near(v)));
    for_each(near(v) & ~first_vertices(v + 1), [&](int w) { product *= edge_factor_[at(v)][at(w)]; });
    const Mask closed = near_in_triangle(v);
    if (closed != 0) in_triangles |= bit(v);
    closed_edges += count(closed);
  });
  const int cycles = closed_edges / 2 - count(in_triangles) + parts(in_triangles, near_in_triangle);
  return product * std::pow(closing_, cycles);
}

double CostModel::common(Mask bound, Mask wanted) const {
  const double arcs = std::max(sketch_.moments[1], 1.0);
  double size = sketch_.moments[at(std::min(count(wanted), kMostMoment))];
  double smallest = static_cast<double>(std::max<std::uint64_t>(sketch_.max_degree, 1));
  for_each(wanted, [&](int u) {
    const int degree = count(pattern_.near(u) & bound);
    const double list = moment(u, degree + 1) / std::max(moment(u, degree), 1e-9);
    smallest = std::min(smallest, list);
    size *= list / arcs;
  });
  const auto near = [&](int v) { return pattern_.near(v) & wanted; };
  size *= std::pow(closing_, count(wanted) - parts(wanted, near));
  return std::min(size, smallest);
}

double CostModel::common(Mask bound, Mask wanted, int v) const {
  double share = 1;
  for_each(wanted, [&](int u) { share *= edge_share(u, v); });
  return share * common(bound, wanted);
}

/// The share of edges that have the labels of those from u to v, and from v to u.
double CostModel::edge_share(int u, int v) const {
  double share = 1;
  const auto ask = [&](const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      const auto found = sketch_.edge_labels.find(label);
      share *= sketch_.edge_labels.empty()          ? 1 / kEdgeLabelsOfTypicalGraph
               : found == sketch_.edge_labels.end() ? 1e-6
                                                    : found->second;
    }
  };
  ask(pattern_.labels_of(u, v));
  if (pattern_.directed) ask(pattern_.labels_of(v, u));
  return share;
}

double CostModel::label_share(int v) const {
  if (pattern_.label(v).empty()) return 1;
  if (sketch_.labels.empty()) return 1 / kLabelsOfTypicalGraph;
  return std::min(1.0, moment(v, 1) / std::max(sketch_.moments[1], 1.0));
}

double CostModel::set_operation(double left, double right) {
  constexpr double kCall = 8, kMerge = 0.5, kSearch = 3;
  const double small = std::min(left, right), large = std::max(left, right);
  return kCall + std::min(kMerge * (small + large), kSearch * small * std::log2(2 + large / std::max(small, 1.0)));
}

}  // namespace matcha::frontend::pattern
