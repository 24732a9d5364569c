#include "planner/delta.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "planner/prices.h"
#include "question/requirements.h"
#include "question/symmetry.h"

namespace matcha::pattern {

namespace price = planner::price;

namespace {

/// Up to this number of vertices, all orders are tried.
constexpr int kMostTried = 11;

class Planner {
 public:
  Planner(const Pattern& pattern, Induced induced, DeltaAnswer answer, const DeltaStatistics& statistics)
      : pattern_(pattern),
        requirements_(pattern, induced),
        symmetry_(pattern),
        answer_(answer),
        statistics_(statistics) {
    for (int u = 0; u < pattern.size(); ++u) {
      Mask& same = alike_.emplace_back(0);
      for (int v = 0; v < pattern.size(); ++v) {
        same |= alike(u, v) ? bit(v) : 0;
        reads_.push_back(reads_of(u, v));
      }
    }
  }

  DeltaProgram plan();

 private:
  struct Route {
    double cost = std::numeric_limits<double>::infinity();
    double matches = 0;
    int last = -1;
    Mask before = 0;
  };

  /// Vertices that v's candidates depend on in whatever way but bounds.
  Mask any(int v) const {
    Mask found = requirements_.any(v);
    return found;
  }
  bool linked(int u, int v) const { return has(any(u), v) || has(any(v), u); }
  /// The items of a placed vertex's row that are read for the candidates of another vertex.
  struct Read {
    double items = 0;
    double chance = 1;  ///< That another candidate is among them.
  };
  std::vector<Read> reads_of(int u, int v) const;
  const std::vector<Read>& reads(int u, int v) const { return reads_[at(u * pattern_.size() + v)]; }
  double candidates(int v, Mask placed) const;
  double step_cost(int newest, Mask placed) const;
  bool may_be_counted(Mask rest, Mask placed) const;
  bool alike(int u, int v) const;
  bool may_coincide(int u, int v) const;
  std::vector<int> best_order(int a, int b, double& cost) const;
  std::vector<int> greedy_order(int a, int b) const;
  void break_symmetry(DeltaTerm& term);
  void add_place(int a, int b, const std::string& label, int sign, DeltaProgram& program);
  bool exchanged(int a, int b) const;

  const Pattern& pattern_;
  Requirements requirements_;
  Symmetry symmetry_;
  DeltaAnswer answer_;
  const DeltaStatistics& statistics_;
  std::vector<Mask> alike_;               ///< Item v: the vertices with the same neighbours.
  std::vector<std::vector<Read>> reads_;  ///< By the placed vertex, then the other one.
};

/// The labels that an edge must have; an empty one: any.
std::vector<std::string> wanted_labels(const Pattern& pattern, int u, int v) {
  const std::vector<std::string>& labels = pattern.labels_of(u, v);
  return labels.empty() ? std::vector<std::string>(1) : labels;
}

/// One for each edge that is wanted between them; none: they must not be adjacent, or may be.
std::vector<Planner::Read> Planner::reads_of(int u, int v) const {
  const double all = std::max(1.0, statistics_.vertices(pattern_.label(v)));
  std::vector<Read> found;
  const auto add = [&](const std::string& label, bool backwards) {
    const double items = statistics_.degree(pattern_.label(u), pattern_.label(v), {label, backwards});
    found.push_back({items, std::min(1.0, std::max(items / all, statistics_.closing(label)))});
  };
  if (has(requirements_.in_after[at(v)], u)) {
    for (const std::string& label : wanted_labels(pattern_, u, v)) add(label, false);
  }
  if (has(requirements_.in_before[at(v)], u)) {
    for (const std::string& label : wanted_labels(pattern_, v, u)) add(label, true);
  }
  return found;
}

/// The expected number of candidates of a vertex of which some neighbour is placed.
double Planner::candidates(int v, Mask placed) const {
  double least = std::numeric_limits<double>::infinity(), product = 1, first = 1;
  for_each(requirements_.wanted(v) & placed, [&](int u) {
    for (const Read& read : reads(u, v)) {
      product *= read.chance;
      if (read.items >= least) continue;
      least = read.items;
      first = read.chance;
    }
  });
  return first == 0 ? 0 : product / first * least;
}

/// The cost of the sets that one match makes once `newest`, the last vertex of `placed`, is placed.
double Planner::step_cost(int newest, Mask placed) const {
  double cost = 0;
  const auto items = [&](int v) {
    double sum = 0;
    for (const Read& read : reads(newest, v)) sum += read.items;
    return reads(newest, v).empty() ? statistics_.degree(pattern_.label(newest), pattern_.label(v), {}) : sum;
  };
  for_each(pattern_.all() & ~placed, [&](int v) {
    if (!has(any(v), newest)) return;
    const Mask before = placed & ~bit(newest);
    cost += price::delta_step;
    if ((requirements_.wanted(v) & before) != 0) {
      cost += price::delta_merged * (candidates(v, before) + items(v));
    }
  });
  return cost;
}

bool Planner::alike(int u, int v) const {
  const auto i = at(u), j = at(v);
  for (int w = 0; w < pattern_.size() && pattern_.edge_labelled(); ++w) {
    if (pattern_.labels_of(u, w) != pattern_.labels_of(v, w)) return false;
    if (pattern_.labels_of(w, u) != pattern_.labels_of(w, v)) return false;
  }
  return pattern_.label(u) == pattern_.label(v) && requirements_.in_after[i] == requirements_.in_after[j] &&
         requirements_.in_before[i] == requirements_.in_before[j] &&
         requirements_.off_after[i] == requirements_.off_after[j] &&
         requirements_.off_before[i] == requirements_.off_before[j];
}

bool Planner::may_coincide(int u, int v) const {
  return pattern_.label(u).empty() || pattern_.label(v).empty() || pattern_.label(u) == pattern_.label(v);
}

/// Whether the number of ways to place `rest` is a sum of few products once all others are placed.
bool Planner::may_be_counted(Mask rest, Mask placed) const {
  bool fits = true;
  for_each(rest, [&](int v) {
    fits = fits && (requirements_.wanted(v) & placed) != 0 && (any(v) & rest) == 0;
    Mask group = bit(v), seen = 0;
    while (group != seen) {
      seen = group;
      for_each(rest, [&](int w) {
        for_each(seen, [&](int u) {
          if (may_coincide(u, w)) group |= bit(w);
        });
      });
    }
    bool same = false;
    same = (group & ~alike_[at(v)]) == 0;
    fits = fits && count(group) <= (same ? kMostAlike : kMostCounted);
  });
  return fits;
}

/// The cheapest order: over all sets of placed vertices, which of them was the last.
std::vector<int> Planner::best_order(int a, int b, double& cost) const {
  const Mask start = bit(a) | bit(b);
  std::unordered_map<Mask, Route> routes;
  std::vector<Mask> level = {start};
  routes[start] = {step_cost(a, start) + step_cost(b, start), 1, -1, 0};
  Mask best = 0;
  cost = std::numeric_limits<double>::infinity();
  while (!level.empty()) {
    std::vector<Mask> next;
    for (const Mask placed : level) {
      const Route route = routes.at(placed);
      const Mask rest = pattern_.all() & ~placed;
      if (rest == 0 || (answer_ == DeltaAnswer::Count && may_be_counted(rest, placed))) {
        const double whole = route.cost + route.matches * price::delta_item * (1 + count(rest));
        if (whole < cost) {
          cost = whole;
          best = placed;
        }
      }
      for_each(rest, [&](int v) {
        if ((requirements_.wanted(v) & placed) == 0) return;
        const double matches = route.matches * candidates(v, placed);
        const Mask now = placed | bit(v);
        const double more =
            route.cost + matches * (price::delta_item + step_cost(v, now)) + price::delta_item * route.matches;
        Route& known = routes[now];
        if (known.last < 0) next.push_back(now);
        if (more < known.cost) known = {more, matches, v, placed};
      });
    }
    level = std::move(next);
  }
  std::vector<int> order;
  for (Mask placed = best; placed != start; placed = routes.at(placed).before) order.push_back(routes.at(placed).last);
  std::reverse(order.begin(), order.end());
  order.insert(order.begin(), {a, b});
  return order;
}

/// For large patterns: the vertex with fewest candidates, of those the one with most neighbours.
std::vector<int> Planner::greedy_order(int a, int b) const {
  std::vector<int> order = {a, b};
  Mask placed = bit(a) | bit(b);
  while (true) {
    const Mask rest = pattern_.all() & ~placed;
    if (rest == 0 || (answer_ == DeltaAnswer::Count && may_be_counted(rest, placed))) return order;
    int best = -1;
    double fewest = 0;
    for_each(rest, [&](int v) {
      if ((requirements_.wanted(v) & placed) == 0) return;
      const double found = candidates(v, placed) / (1 + count(pattern_.near(v)));
      if (best < 0 || found < fewest) {
        best = v;
        fewest = found;
      }
    });
    order.push_back(best);
    placed |= bit(best);
  }
}

/// Each match is found once, not once for each automorphism that leaves the place alone: the first vertex of the order
/// that one of them moves has the largest id of its orbit, and is then fixed.
void Planner::break_symmetry(DeltaTerm& term) {
  Mask fixed = bit(term.vertices[0]) | bit(term.vertices[1]);
  std::vector<int> position(at(pattern_.size()), -1);
  for (std::size_t i = 0; i < term.vertices.size(); ++i) position[at(term.vertices[i])] = static_cast<int>(i);
  term.larger.assign(term.vertices.size(), 0);
  if (answer_ == DeltaAnswer::Embeddings) return;
  for (std::size_t i = 2; i < term.walked; ++i) {
    const int v = term.vertices[i];
    for_each(symmetry_.orbits(fixed)[at(v)] & ~bit(v),
             [&](int w) { term.larger[at(position[at(w)])] |= bit(static_cast<int>(i)) | term.larger[i]; });
    fixed |= bit(v);
  }
  term.divisor = symmetry_.order(fixed).value_or(1);
}

/// Whether an automorphism exchanges two vertices.
bool Planner::exchanged(int a, int b) const {
  if (pattern_.label(a) != pattern_.label(b)) return false;
  const auto marked = [&](int first, int second) {
    Pattern copy = pattern_;
    copy.labels.resize(at(copy.size()));
    copy.labels[at(first)] += "\x01";
    copy.labels[at(second)] += "\x02";
    return canonical_key(copy);
  };
  return marked(a, b) == marked(b, a);
}

void Planner::add_place(int a, int b, const std::string& label, int sign, DeltaProgram& program) {
  DeltaTerm term;
  term.label = label;
  term.sign = sign;
  if (pattern_.size() <= kMostTried) {
    term.vertices = best_order(a, b, term.cost);
  } else {
    term.vertices = greedy_order(a, b);
  }
  term.walked = term.vertices.size();
  for (int v = 0; v < pattern_.size(); ++v) {
    if (std::find(term.vertices.begin(), term.vertices.end(), v) == term.vertices.end()) term.vertices.push_back(v);
  }
  break_symmetry(term);
  term.swappable = !pattern_.directed && answer_ == DeltaAnswer::Count && exchanged(a, b);
  term.pattern = renumbered(pattern_, term.vertices);
  const auto moved = [&](const std::vector<Mask>& masks) {
    std::vector<Mask> result;
    for (const int v : term.vertices) {
      Mask mask = 0;
      for (std::size_t i = 0; i < term.vertices.size(); ++i) {
        if (has(masks[at(v)], term.vertices[i])) mask |= bit(static_cast<int>(i));
      }
      result.push_back(mask);
    }
    return result;
  };
  term.in_after = moved(requirements_.in_after);
  term.in_before = moved(requirements_.in_before);
  term.off_after = moved(requirements_.off_after);
  term.off_before = moved(requirements_.off_before);
  program.terms.push_back(std::move(term));
}

DeltaProgram Planner::plan() {
  DeltaProgram program;
  program.automorphisms = symmetry_.order().value_or(1);
  const bool every = answer_ == DeltaAnswer::Embeddings;
  for (int a = 0; a < pattern_.size(); ++a) {
    if (!every && lowest(symmetry_.orbits(0)[at(a)]) != a) continue;
    for (int b = 0; b < pattern_.size(); ++b) {
      if (b == a || (!every && lowest(symmetry_.orbits(bit(a))[at(b)]) != b)) continue;
      if (has(requirements_.in_after[at(b)], a)) {
        for (const std::string& label : wanted_labels(pattern_, a, b)) add_place(a, b, label, 1, program);
      }
      if (has(requirements_.off_after[at(b)], a)) add_place(a, b, "", -1, program);
    }
  }
  return program;
}

}  // namespace

DeltaStatistics typical_statistics() {
  DeltaStatistics typical;
  typical.vertices = [](const std::string& label) { return label.empty() ? 1e6 : 1e5; };
  constexpr double kOfLabel = 0.2;
  typical.degree = [](const std::string&, const std::string& to, const DeltaLink& link) {
    return (to.empty() ? 40.0 : 10.0) * (link.label.empty() ? 1 : kOfLabel);
  };
  typical.closing = [](const std::string& edge) { return edge.empty() ? 0.1 : 0.1 * kOfLabel; };
  return typical;
}

bool has_delta(const Pattern& pattern, std::string& why) {
  why.clear();
  if (pattern.counts_edges()) why = "edges of the pattern have any label, or one of several";
  const auto several = [](const std::string& label) { return alternatives(label).size() > 1; };
  if (pattern.has_loops() || pattern.has_constants() || std::ranges::any_of(pattern.labels, several)) {
    why = "the pattern has loops, vertices of the graph or one of several labels";
  }
  if (!pattern.connected()) why = "the pattern is not connected";
  if (pattern.size() < 2) why = "the pattern has no edge";
  if (why.empty() && !Symmetry(pattern).order()) why = "the pattern has too many automorphisms";
  return why.empty();
}

std::optional<DeltaProgram> plan_delta(const Pattern& pattern, Induced induced, DeltaAnswer answer,
                                       const DeltaStatistics& statistics, std::string& why) {
  if (!has_delta(pattern, why)) return std::nullopt;
  const Pattern own = normal(pattern, induced);
  return Planner(own, induced, answer, statistics).plan();
}

}  // namespace matcha::pattern
