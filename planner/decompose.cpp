#include "planner/decompose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "ir/support/stop_scope.h"
#include "planner/vertex_names.h"

namespace matcha::pattern {

namespace {

constexpr std::size_t kMostCounts = 40, kMostTerms = 80;
constexpr std::size_t kMostCutsets = 48;
constexpr int kMostVerticesOfDecomposed = 10;
constexpr double kMostBits = 58;
/// At least this number of alike vertices is chosen by binomial coefficients.
constexpr std::size_t kFewestChosen = 5;
constexpr double kMostBitsOfChosen = 62;
constexpr int kMostVerticesOfChosen = 12;
/// Matches of a cutset that restrictions may leave one of.
constexpr double kMostShared = 24;
/// The first vertices of a cutset with matches that other groups may process.
constexpr int kMostOfTask = 2;

/// Vertices of a part; each is a set of vertices of the pattern with the same image.
using Part = std::vector<Mask>;

/// The vertices of `rest` that must be placed together with its first one: edges or anti-edges join them.
Mask part_of(const Pattern& pattern, Mask rest) {
  Mask part = rest & (~rest + 1);
  for (Mask last = 0; part != last;) {
    last = part;
    for_each(last, [&](int v) { part |= (pattern.near(v) | pattern.anti[at(v)]) & rest; });
  }
  return part;
}

/// A part with the cutset, on its way to a local count.
struct Hanging {
  LocalCount count;
  Pattern coloured;  ///< The same pattern; its labels tell the vertices of the cutset apart, and bounds.
  Restrictions larger;
  std::optional<CostModel> model;  ///< Once it has an order.
};

/// Takes a pattern apart around one cutset. Vertices are renumbered: the cutset first, in its order.
class Decomposer {
 public:
  Decomposer(const CostModel& model, Symmetry& symmetry, const std::vector<std::string>& names,
             const std::vector<int>& cutset, std::uint64_t times, double at_most)
      : pattern_(model.pattern()),
        sketch_(model.sketch()),
        semantics_(model.semantics()),
        symmetry_(symmetry),
        names_(names),
        cutset_(cutset),
        times_(times),
        at_most_(at_most) {}

  /// Nothing if there are too many terms, or it costs too much.
  std::optional<Decomposition> run() {
    Mask fixed = 0;
    larger_.assign(pattern_.ids.size(), 0);
    result_.semantics = semantics_;
    for (int v : cutset_) {
      if (injective())
        for_each(symmetry_.orbits(fixed)[at(v)] & ~bit(v), [&](int w) { larger_[at(w)] |= bit(v) | larger_[at(v)]; });
      fixed |= bit(v);
    }
    const std::optional<std::uint64_t> symmetric = injective() ? symmetry_.order(fixed) : 1;
    if (!symmetric) return std::nullopt;
    result_.symmetric = *symmetric;
    std::vector<Part> parts = parts_of(pattern_.all() & ~fixed);
    if (parts.size() < 2) return std::nullopt;
    if (const std::size_t vertex = alike(parts); vertex != kNever) return chosen(vertex, parts.size());
    if (pattern_.size() > kMostVerticesOfDecomposed) return std::nullopt;
    // The products of the placements of the parts must fit 64 bits with the factors.
    if (placement_bits(pattern_, sketch_, fixed) > kMostBits) return std::nullopt;
    place_cutset();
    if (result_.cost > at_most_) return std::nullopt;
    // Parts without common vertices come first: their cost may already exceed the limit.
    std::vector<std::size_t> alone;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) alone.push_back(local(*part));
    std::erase(alone, kNever);
    if (failed_ || !find_orders(alone)) return std::nullopt;
    place(parts, {}, 1);
    if (failed_) return std::nullopt;
    const std::vector<std::size_t> used = number_terms();
    if (result_.terms.empty() || result_.terms.size() > kMostTerms || !find_orders(used)) return std::nullopt;
    finish(used);
    return std::move(result_);
  }

 private:
  bool injective() const { return semantics_.match == Match::Iso; }

  /// The count of each of these parts, if they are single vertices that are alike; else kNever.
  std::size_t alike(const std::vector<Part>& parts) {
    if (!injective()) return kNever;
    double permutations = 1;
    for (std::size_t i = 2; i <= parts.size(); ++i) permutations *= static_cast<double>(i);
    if (parts.size() < kFewestChosen || static_cast<double>(result_.symmetric) != permutations) return kNever;
    if (std::ranges::any_of(parts, [](const Part& part) { return part.size() > 1; })) return kNever;
    const std::size_t first = local(parts.front());
    return std::ranges::all_of(parts, [&](const Part& part) { return local(part) == first; }) ? first : kNever;
  }

  /// Of the placements of one vertex `number` are chosen.
  std::optional<Decomposition> chosen(std::size_t vertex, std::size_t number) {
    // Each step of the product is a binomial coefficient times the number that it is divided by next.
    double bits = std::log2(static_cast<double>(std::max<std::uint64_t>(number, times_)));
    for (std::size_t i = 0; i < number; ++i) {
      const double left = std::max(static_cast<double>(sketch_.max_degree) - static_cast<double>(i), 1.0);
      bits += std::log2(left / static_cast<double>(i + 1));
    }
    if (bits > kMostBitsOfChosen) return std::nullopt;
    place_cutset();
    if (result_.cost > at_most_ || !find_orders({vertex})) return std::nullopt;
    result_.chosen = number;
    finish({vertex});
    return std::move(result_);
  }

  /// Fills in the terms that are left, long products first; the numbers of the counts that they use, as they are
  /// numbered there.
  std::vector<std::size_t> number_terms() {
    std::vector<std::size_t> number(hanging_.size(), kNever), used;
    for (const auto& [counts, factor] : sum_) {
      if (factor == 0) continue;
      Term term{factor, {}};
      for (std::size_t count : counts) {
        if (number[count] == kNever) {
          number[count] = used.size();
          used.push_back(count);
        }
        term.counts.push_back(number[count]);
      }
      result_.terms.push_back(std::move(term));
    }
    std::stable_sort(result_.terms.begin(), result_.terms.end(),
                     [](const Term& a, const Term& b) { return a.counts.size() > b.counts.size(); });
    return used;
  }

  std::vector<Part> parts_of(Mask rest) const {
    std::vector<Part> parts;
    while (rest != 0) {
      const Mask part = part_of(pattern_, rest);
      rest &= ~part;
      parts.emplace_back();
      for_each(part, [&](int v) { parts.back().push_back(bit(v)); });
    }
    // Large parts first, so that small ones are merged into them.
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.size() > b.size(); });
    return parts;
  }

  /// Adds `factor` times the counts `fixed` times the injective placements of `parts`.
  void place(const std::vector<Part>& parts, std::vector<std::size_t> fixed, std::int64_t factor) {
    if (failed_) return;
    look_for_stop();
    const std::size_t last = local(parts.back());
    if (last == kNever || failed_) return;
    std::vector<std::size_t> with_last = fixed;
    with_last.push_back(last);
    if (parts.size() == 1) {
      std::sort(with_last.begin(), with_last.end());
      sum_[with_last] += factor;
      return;
    }
    place({parts.begin(), parts.end() - 1}, with_last, factor);
    // Every way in which the last part meets the others.
    if (injective()) meet(parts, 0, std::vector<int>(parts.back().size(), -1), fixed, factor);
  }

  /// `met[i]`: the vertex, numbered through all other parts, that vertex i of the last part is merged with; -1: none.
  void meet(const std::vector<Part>& parts, std::size_t next, std::vector<int> met,
            const std::vector<std::size_t>& fixed, std::int64_t factor) {
    if (failed_) return;
    if (next < met.size()) {
      meet(parts, next + 1, met, fixed, factor);
      int total = 0;
      for (std::size_t p = 0; p + 1 < parts.size(); ++p) total += static_cast<int>(parts[p].size());
      for (int target = 0; target < total; ++target) {
        if (std::find(met.begin(), met.begin() + static_cast<std::ptrdiff_t>(next), target) !=
            met.begin() + static_cast<std::ptrdiff_t>(next)) {
          continue;
        }
        met[next] = target;
        meet(parts, next + 1, met, fixed, factor);
        met[next] = -1;
      }
      return;
    }
    if (std::all_of(met.begin(), met.end(), [](int target) { return target < 0; })) return;
    std::vector<Part> left;
    Part merged;
    int number = 0;
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      Part part = parts[p];
      bool touched = false;
      for (Mask& vertex : part) {
        for (std::size_t i = 0; i < met.size(); ++i) {
          if (met[i] != number) continue;
          vertex |= parts.back()[i];
          touched = true;
        }
        ++number;
      }
      if (touched) {
        merged.insert(merged.end(), part.begin(), part.end());
      } else {
        left.push_back(std::move(part));
      }
    }
    for (std::size_t i = 0; i < met.size(); ++i) {
      if (met[i] < 0) merged.push_back(parts.back()[i]);
    }
    left.push_back(std::move(merged));
    place(left, fixed, -factor);
  }

  /// The cutset and the vertices of a part as a pattern; nothing if no map has them, because labels differ or a pair
  /// must and must not be adjacent.
  std::optional<Pattern> quotient(const Part& part) const {
    std::vector<Mask> vertices;
    for (int v : cutset_) vertices.push_back(bit(v));
    vertices.insert(vertices.end(), part.begin(), part.end());
    Pattern made = Pattern::empty(static_cast<int>(vertices.size()));
    made.directed = pattern_.directed;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      bool possible = true;
      for_each(vertices[i], [&](int u) {
        std::string& label = made.labels[i];
        if (!label.empty() && !pattern_.label(u).empty() && label != pattern_.label(u)) possible = false;
        if (label.empty()) label = pattern_.label(u);
        std::string& constant = made.constants[i];
        const std::string& other = pattern_.constants[at(u)];
        if (!constant.empty() && !other.empty() && constant != other) possible = false;
        if (constant.empty()) constant = other;
        if (made.bound[i].empty()) made.bound[i] = pattern_.bound[at(u)];
        for (const std::string& loop : pattern_.loops[at(u)]) {
          if (std::ranges::find(made.loops[i], loop) == made.loops[i].end()) made.loops[i].push_back(loop);
        }
        for (std::size_t j = 0; j < vertices.size(); ++j) {
          if ((pattern_.out[at(u)] & vertices[j]) != 0) made.add_arc(static_cast<int>(i), static_cast<int>(j));
          for_each(pattern_.out[at(u)] & vertices[j], [&](int w) {
            for (const std::string& edge : pattern_.labels_of(u, w)) {
              made.add_edge_label(static_cast<int>(i), static_cast<int>(j), edge);
            }
          });
          if ((pattern_.anti[at(u)] & vertices[j]) != 0) {
            made.anti[i] |= bit(static_cast<int>(j));
            made.anti[j] |= bit(static_cast<int>(i));
          }
        }
      });
      if (!possible) return std::nullopt;
    }
    for (int v = 0; v < made.size(); ++v) {
      if ((made.near(v) & made.anti[at(v)]) != 0 || has(made.near(v), v)) return std::nullopt;
    }
    return made;
  }

  static constexpr std::size_t kNever = SIZE_MAX;

  /// The cost of a count for all matches of the cutset.
  double count_cost(const Pattern& counted, const CostModel& model, Order order) const {
    const int k = static_cast<int>(cutset_.size());
    estimate(counted, model, order, k);
    if (model.prices().alone <= 1) return order.cost;
    // One group counts the parts that hang on one match of the first vertices.
    double share = model.largest_share(counted.all(), first_vertices(std::min(k, kMostOfTask)));
    // The last vertex is counted without a loop.
    if (k == 1) share = std::max(share, model.hub_share(0, counted.all() & ~bit(order.vertices.back())));
    return order.cost * std::max(1.0, share * model.prices().alone);
  }

  /// Gives each of these counts its order, if it has none; the largest first, which are most likely too much. False
  /// once they are.
  bool find_orders(std::vector<std::size_t> counts) {
    const auto larger = [&](std::size_t a, std::size_t b) {
      return hanging_[a].coloured.size() > hanging_[b].coloured.size();
    };
    std::stable_sort(counts.begin(), counts.end(), larger);
    return std::all_of(counts.begin(), counts.end(), [&](std::size_t count) { return find_order(hanging_[count]); });
  }

  bool find_order(Hanging& hanging) {
    if (hanging.model) return true;
    LocalCount& count = hanging.count;
    const CostModel& model = hanging.model.emplace(count.pattern, semantics_, sketch_);
    Symmetry symmetry(hanging.coloured);
    OrderSearch search;
    for (int v = 0; v < static_cast<int>(cutset_.size()); ++v) search.given.push_back(v);
    search.larger = hanging.larger;
    search.break_symmetry = injective();
    constexpr double kRounding = 1e-9;
    search.at_most = (at_most_ - result_.cost - spent_) * (1 + kRounding);
    std::vector<Order> orders = best_orders(count.pattern, model, symmetry, search);
    if (orders.empty()) return false;
    count.order = std::move(orders.front());
    count.cost = count_cost(count.pattern, model, count.order);
    count.factor = injective() ? symmetry.order().value_or(1) : 1;
    spent_ += count.cost;
    return result_.cost + spent_ <= at_most_;
  }

  /// The number of the local count of a part, which may be one that is isomorphic to it; kNever: it is always 0.
  std::size_t local(const Part& part) {
    // The same vertices meet in many ways.
    Part sorted = part;
    std::sort(sorted.begin(), sorted.end());
    const auto known = by_part_.find(sorted);
    if (known != by_part_.end()) return known->second;
    return by_part_.emplace(std::move(sorted), number_of(part)).first->second;
  }

  /// The same for a part that is new.
  std::size_t number_of(const Part& part) {
    std::optional<Pattern> made = quotient(part);
    if (!made) return kNever;
    const int k = static_cast<int>(cutset_.size());
    std::vector<Mask> larger(made->ids.size(), 0);
    for (int v = 0; v < made->size(); ++v) {
      Mask above = v < k ? larger_[at(cutset_[at(v)])] : 0;
      if (v >= k) for_each(part[at(v - k)], [&](int w) { above |= larger_[at(w)]; });
      for (int u = 0; u < k; ++u) larger[at(v)] |= has(above, cutset_[at(u)]) ? bit(u) : 0;
    }
    // Fixed vertices and bounds, as labels, so that automorphisms keep them.
    Pattern coloured = *made;
    for (int v = 0; v < made->size(); ++v) {
      coloured.labels[at(v)] = v < k ? fmt::format("#{}", v) : fmt::format("{} {:x}", made->label(v), larger[at(v)]);
    }
    const auto [known, fresh] = by_key_.try_emplace(canonical_key(coloured), hanging_.size());
    if (!fresh) return known->second;
    if (hanging_.size() >= kMostCounts) {
      failed_ = true;
      return kNever;
    }
    LocalCount count;
    for (int v : cutset_) count.names.push_back(names_[at(v)]);
    for (Mask vertex : part) {
      std::string name;
      for_each(vertex, [&](int w) { name += name.empty() ? names_[at(w)] : "_" + stem(names_[at(w)]); });
      count.names.push_back(name);
    }
    count.pattern = std::move(*made);
    hanging_.push_back({std::move(count), std::move(coloured), std::move(larger), std::nullopt});
    return hanging_.size() - 1;
  }

  /// The cutset's own order, and its cost.
  void place_cutset() {
    const int k = static_cast<int>(cutset_.size());
    result_.cutset = *quotient({});
    result_.cutset_vertices = cutset_;
    result_.larger = larger_;
    result_.cutset_order.larger.assign(at(k), 0);
    for (int v = 0; v < k; ++v) {
      result_.cutset_order.vertices.push_back(v);
      for (int u = 0; u < k; ++u) {
        if (has(larger_[at(cutset_[at(v)])], cutset_[at(u)])) result_.cutset_order.larger[at(v)] |= bit(u);
      }
      result_.cutset_names.push_back(names_[at(cutset_[at(v)])]);
    }
    const CostModel model(result_.cutset, semantics_, sketch_);
    estimate(result_.cutset, model, result_.cutset_order);
    result_.cost = result_.cutset_order.cost + result_.cutset_order.matches.back() * model.prices().iteration;
  }

  /// Adds the counts with these numbers and the cost of all of it: sets of the cutset's vertices are made once for all
  /// of the counts.
  void finish(const std::vector<std::size_t>& used) {
    const int k = static_cast<int>(cutset_.size());
    std::set<SeenSet> seen;
    for (std::size_t number : used) {
      LocalCount& count = hanging_[number].count;
      result_.cost += count.cost;
      Mask bound = 0;
      for (int v = 0; v < k; ++v) {
        bound |= bit(v);
        const Mask users = count.pattern.all() & ~first_vertices(k);
        result_.cost += result_.cutset_order.matches[at(v)] *
                        set_work(*hanging_[number].model, count.order, bound, v, users, at(k), &seen);
      }
      result_.counts.push_back(std::move(count));
    }
  }

  const Pattern& pattern_;
  const GraphSketch& sketch_;
  const Semantics semantics_;
  Symmetry& symmetry_;
  const std::vector<std::string>& names_;
  const std::vector<int>& cutset_;
  const std::uint64_t times_;
  const double at_most_;
  double spent_ = 0;  ///< By the counts so far.
  std::vector<Mask> larger_;
  Decomposition result_;
  std::deque<Hanging> hanging_;
  std::map<Part, std::size_t> by_part_;
  std::map<std::string, std::size_t> by_key_;
  std::map<std::vector<std::size_t>, std::int64_t> sum_;
  bool failed_ = false;
};

/// An estimate of the partial matches that are enumerated to count everything around a cutset: those of the cutset, or
/// of it and all of a part but the last vertex.
double most_matches(const CostModel& model, Mask cutset) {
  double most = model.matches(cutset);
  for (Mask rest = model.pattern().all() & ~cutset; rest != 0;) {
    const Mask part = part_of(model.pattern(), rest);
    rest &= ~part;
    if (count(part) == 1) continue;
    double fewest = std::numeric_limits<double>::infinity();
    for_each(part, [&](int last) { fewest = std::min(fewest, model.matches(cutset | (part & ~bit(last)))); });
    most = std::max(most, fewest);
  }
  return most;
}

/// Whether automorphisms move none of these vertices, so that restrictions leave all of their matches.
bool is_fixed(Symmetry& symmetry, Mask vertices) {
  const std::vector<Mask>& orbits = symmetry.orbits(0);
  bool fixed = true;
  for_each(vertices, [&](int v) { fixed = fixed && count(orbits[at(v)]) == 1; });
  return fixed;
}

/// The cheapest orders of cutsets by themselves, looked for once for all that are alike.
class CutsetOrders {
 public:
  CutsetOrders(const Pattern& pattern, const GraphSketch& sketch) : pattern_(pattern), sketch_(sketch) {}

  /// The vertices of the cutset in that order.
  std::vector<int> of(Mask cutset) {
    const Pattern part = restricted(pattern_, cutset);
    const auto [known, fresh] = orders_.try_emplace({part.out, part.in, part.anti, part.labels, part.edge_labels});
    if (fresh) {
      const CostModel model(part, Induced::Edge, sketch_);
      Symmetry symmetry(part);
      known->second = best_orders(part, model, symmetry, {}).front().vertices;
    }
    std::vector<int> vertices, order;
    for_each(cutset, [&](int v) { vertices.push_back(v); });
    for (int v : known->second) order.push_back(vertices[at(v)]);
    return order;
  }

 private:
  using Key = std::tuple<std::vector<Mask>, std::vector<Mask>, std::vector<Mask>, std::vector<std::string>,
                         decltype(Pattern::edge_labels)>;

  const Pattern& pattern_;
  const GraphSketch& sketch_;
  std::map<Key, std::vector<int>> orders_;
};

/// `n * (n - 1) / 2 * (n - 2) / 3`: every division leaves nothing over.
std::string chosen_text(const std::string& name, std::size_t number) {
  std::string text = name;
  for (std::size_t i = 1; i < number; ++i) text += fmt::format(" * ({} - {}) / {}", name, i, i + 1);
  return text;
}

/// True if no two of the vertices have to be placed together.
bool all_single(const Pattern& pattern, Mask vertices) {
  bool single = true;
  for_each(vertices, [&](int v) { single = single && ((pattern.near(v) | pattern.anti[at(v)]) & vertices) == 0; });
  return single;
}

/// `2 * n1 * n2 - n3`
std::string sum_text(const std::vector<Term>& terms, const std::vector<std::string>& names) {
  std::string text;
  for (const Term& term : terms) {
    const std::int64_t size = term.factor < 0 ? -term.factor : term.factor;
    std::string product = size == 1 ? "" : fmt::format("{}", size);
    for (std::size_t count : term.counts) product += (product.empty() ? "" : " * ") + names[count];
    if (text.empty()) {
      text = (term.factor < 0 ? "-" : "") + product;
    } else {
      text += (term.factor < 0 ? " - " : " + ") + product;
    }
  }
  return text;
}

}  // namespace

std::optional<Decomposition> best_decomposition(const CostModel& model, Symmetry& symmetry,
                                                const std::vector<std::string>& names, std::uint64_t times,
                                                double at_most) {
  const Pattern& pattern = model.pattern();
  const GraphSketch& sketch = model.sketch();
  if (pattern.size() < 3 || !pattern.connected() || model.semantics().match == Match::Edge) return std::nullopt;
  // Common labels are not searched for when vertices meet.
  const auto several = [](const std::string& label) { return alternatives(label).size() > 1; };
  if (pattern.counts_edges() || !pattern.different.empty() || std::ranges::any_of(pattern.labels, several))
    return std::nullopt;
  const bool large = pattern.size() > kMostVerticesOfDecomposed;
  if (large && pattern.size() > kMostVerticesOfChosen) return std::nullopt;
  std::vector<std::pair<double, Mask>> cutsets;
  for (Mask cutset = 1; cutset < pattern.all(); ++cutset) {
    const Mask rest = pattern.all() & ~cutset;
    if (large && !all_single(pattern, rest)) continue;
    if (part_of(pattern, rest) == rest || !restricted(pattern, cutset).connected()) continue;
    cutsets.emplace_back(most_matches(model, cutset), cutset);
  }
  std::sort(cutsets.begin(), cutsets.end());
  std::optional<Decomposition> best;
  CutsetOrders cutset_orders(pattern, sketch);
  std::size_t tried = 0;
  for (const auto& [most, cutset] : cutsets) {
    if (tried >= kMostCutsets) break;
    look_for_stop();
    const bool whole = model.semantics().match != Match::Iso || is_fixed(symmetry, cutset);
    const double shared = whole ? 1 : kMostShared;
    if (model.matches(cutset) * model.prices().iteration / shared > at_most) continue;
    const std::vector<int> order = cutset_orders.of(cutset);
    std::optional<Decomposition> found = Decomposer(model, symmetry, names, order, times, at_most).run();
    if (!found) continue;
    ++tried;
    if (found->cost > at_most) continue;
    at_most = found->cost;
    best = std::move(found);
  }
  return best;
}

void write_decomposition(const Decomposition& d, const Relations& relations, std::uint64_t times, Text& out) {
  const std::vector<std::string> no_bases;
  const std::size_t k = d.cutset_order.vertices.size();
  const Requirements requirements(d.cutset, d.semantics);
  Nest cutset(d.cutset, requirements, relations, d.cutset_order, d.cutset_names, no_bases, Answer::Count, out);
  // All that hangs on the first vertex has to be there.
  for (const LocalCount& count : d.counts) {
    const std::string start = Relations::all(count.pattern, d.cutset_order.vertices[0]);
    if (start != "vertices(G)") cutset.set_start(start);
  }
  std::vector<Requirements> of_counts;
  for (const LocalCount& count : d.counts) of_counts.emplace_back(count.pattern, d.semantics);
  std::vector<Nest> nests;
  for (std::size_t i = 0; i < d.counts.size(); ++i) {
    const LocalCount& count = d.counts[i];
    nests.emplace_back(count.pattern, of_counts[i], relations, count.order, count.names, no_bases, Answer::Count, out,
                       k);
  }
  std::vector<std::string> functions;
  for (std::size_t level = 0; level < k; ++level) {
    functions.push_back(out.fresh("at_" + d.cutset_names[level]));
    out.open(fmt::format("def {}({}):", functions.back(), d.cutset_names[level]));
    cutset.define(level);
    for (Nest& nest : nests) nest.define(level);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nests.size(); ++i) {
    const LocalCount& count = d.counts[i];
    const std::string value = nests[i].rest(k);
    std::string wanted = "n" + stem(count.names[k]);
    for (std::size_t v = k + 1; v < count.names.size(); ++v) wanted = with_stem(wanted, count.names[v]);
    names.push_back(out.fresh(wanted));
    out.line(
        fmt::format("{} = {}", names.back(), count.factor == 1 ? value : fmt::format("{} * {}", count.factor, value)));
  }
  const std::uint64_t shared = std::gcd(times, d.symmetric);
  const std::uint64_t multiply = d.chosen != 0 ? times : times / shared;
  const std::uint64_t divide = d.chosen != 0 ? 1 : d.symmetric / shared;
  std::string whole = d.chosen != 0 ? chosen_text(names.front(), d.chosen) : sum_text(d.terms, names);
  if ((multiply != 1 || divide != 1) && d.terms.size() != 1) whole = fmt::format("({})", whole);
  if (multiply != 1) whole = fmt::format("{} * {}", multiply, whole);
  if (divide != 1) whole = fmt::format("{} / {}", whole, divide);
  out.line("return " + whole);
  for (std::size_t level = k; level-- > 0;) {
    out.close();
    out.line("return " + cutset.walk(level, functions[level]));
  }
}

}  // namespace matcha::pattern
