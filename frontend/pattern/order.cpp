#include "frontend/pattern/order.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace matcha::frontend::pattern {

namespace {

std::size_t at(int v) { return static_cast<std::size_t>(v); }

/// Orders that are followed at a time: all of those that differ for up to 8 vertices, the most promising ones beyond.
constexpr std::size_t kBeamSmall = 400, kBeamLarge = 24;
constexpr int kSmall = 12;
/// Sets of restrictions that are tried for each of the best orders.
constexpr std::size_t kOrdersWithAllSets = 6, kMostSets = 64;

/// The chance that the ids of a match of `part` satisfy the restrictions: one over the product of how many vertices of
/// `part` each is the largest of, which is exact for forests (the hook length formula).
double restricted_share(const std::vector<Mask>& larger, Mask part) {
  double share = 1;
  for_each(part, [&](int top) {
    int below = 1;
    for_each(part, [&](int v) { below += has(larger[at(v)], top) ? 1 : 0; });
    share /= below;
  });
  return share;
}

/// What placing `newest` as the last of `bound` adds, per match of `bound`.
double level_cost(const Pattern& pattern, const CostModel& model, Mask bound, int newest) {
  if (bound == pattern.all()) return 1;
  return CostModel::kIteration + set_work(model, bound, newest, pattern.all() & ~bound);
}

/// Candidates that are walked for each match of the vertices before, because nothing but a label tells them apart.
double scan_cost(const Pattern& pattern, const CostModel& model, Mask before, int newest) {
  const Mask wanted = model.requirements().wanted(newest) & before;
  if (pattern.label(newest).empty()) return 0;
  const double candidates =
      wanted == 0 ? static_cast<double>(model.sketch().vertices) : model.common(before, wanted, newest);
  return candidates * (count(wanted) > 1 ? model.label_share(newest) : 1);
}

struct State {
  Mask bound = 0;
  Order order;
  double rank = 0;
};

class Search {
 public:
  Search(const Pattern& pattern, const CostModel& model, Symmetry& symmetry, const OrderSearch& options)
      : pattern_(pattern), model_(model), symmetry_(symmetry), options_(options) {}

  std::vector<Order> run() {
    State start;
    start.order.larger = options_.larger;
    start.order.larger.resize(pattern_.ids.size(), 0);
    std::vector<State> states = {start};
    for (int level = 0; level < pattern_.size(); ++level) states = expand(states, level);
    std::vector<Order> orders;
    for (State& state : states) orders.push_back(std::move(state.order));
    if (options_.break_symmetry && options_.given.empty()) {
      for (std::size_t i = 0; i < orders.size() && i < kOrdersWithAllSets; ++i) try_other_sets(orders[i]);
      std::stable_sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) { return a.cost < b.cost; });
    }
    if (orders.size() > at(options_.most)) orders.resize(at(options_.most));
    return orders;
  }

 private:
  Mask candidates(Mask bound, int level) const {
    if (at(level) < options_.given.size()) return bit(options_.given[at(level)]);
    Mask connected = 0;
    for_each(pattern_.all() & ~bound, [&](int v) {
      if ((pattern_.near(v) & bound) != 0) connected |= bit(v);
    });
    return connected != 0 ? connected : pattern_.all() & ~bound;
  }

  std::vector<State> expand(const std::vector<State>& states, int level) {
    // Orders of the same vertices differ in what restrictions leave of their matches; first and last vertex keep
    // variety.
    std::map<std::tuple<Mask, double, int, int>, State> best;
    const bool given = at(level) < options_.given.size();
    for (const State& state : states) {
      const std::vector<Mask>& orbits = symmetry_.orbits(state.bound);
      for_each(candidates(state.bound, level), [&](int v) {
        // Vertices of one orbit lead to the same orders.
        if (!given && lowest(orbits[at(v)]) != v) return;
        State next = place(state, v, orbits[at(v)]);
        const auto [found, fresh] = best.try_emplace(
            {next.bound, restricted_share(next.order.larger, next.bound), next.order.vertices.front(), v}, next);
        if (!fresh && next.order.cost < found->second.order.cost) found->second = std::move(next);
      });
    }
    std::vector<State> kept;
    for (auto& [key, state] : best) kept.push_back(std::move(state));
    std::stable_sort(kept.begin(), kept.end(), [](const State& a, const State& b) { return a.rank < b.rank; });
    const std::size_t most = pattern_.size() <= kSmall ? kBeamSmall : kBeamLarge;
    if (kept.size() > most) kept.resize(most);
    return kept;
  }

  State place(const State& state, int v, Mask orbit) {
    State next = state;
    next.bound |= bit(v);
    next.order.vertices.push_back(v);
    if (options_.break_symmetry) {
      std::vector<Mask>& larger = next.order.larger;
      for_each(orbit & ~bit(v), [&](int w) { larger[at(w)] |= bit(v) | larger[at(v)]; });
    }
    const double matches = model_.matches(next.bound) * restricted_share(next.order.larger, next.bound);
    const double before = state.order.matches.empty() ? 1 : state.order.matches.back();
    next.order.matches.push_back(matches);
    if (next.order.vertices.size() > options_.given.size()) {
      next.order.cost +=
          before * scan_cost(pattern_, model_, state.bound, v) +
          (next.bound == pattern_.all() ? before : matches) * level_cost(pattern_, model_, next.bound, v);
    }
    // Many partial matches are work to come.
    next.rank = next.order.cost + matches * CostModel::kIteration;
    return next;
  }

  /// Replaces the restrictions by any other set from a chain of stabilizers that is cheaper.
  void try_other_sets(Order& order) {
    std::set<std::vector<Mask>> seen;
    Order best = order;
    const auto descend = [&](const auto& self, Mask fixed, const std::vector<Mask>& larger) -> void {
      if (seen.size() >= kMostSets) return;
      const std::vector<Mask> orbits = symmetry_.orbits(fixed);
      bool moved = false;
      for (int base : order.vertices) {
        if (has(fixed, base) || count(orbits[at(base)]) < 2) continue;
        moved = true;
        std::vector<Mask> next = larger;
        for_each(orbits[at(base)] & ~bit(base), [&](int w) { next[at(w)] |= bit(base); });
        self(self, fixed | bit(base), next);
      }
      if (moved) return;
      Order tried = order;
      tried.larger = closed(larger);
      if (!seen.insert(tried.larger).second) return;
      estimate(pattern_, model_, tried);
      if (tried.cost < best.cost * (1 - 1e-9)) best = tried;
    };
    descend(descend, 0, std::vector<Mask>(order.larger.size(), 0));
    order = best;
  }

  static std::vector<Mask> closed(std::vector<Mask> larger) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Mask& above : larger) {
        Mask all = above;
        for_each(above, [&](int w) { all |= larger[at(w)]; });
        changed = changed || all != above;
        above = all;
      }
    }
    return larger;
  }

  const Pattern& pattern_;
  const CostModel& model_;
  Symmetry& symmetry_;
  const OrderSearch& options_;
};

}  // namespace

std::vector<std::pair<int, int>> direct_restrictions(const std::vector<Mask>& larger) {
  std::vector<std::pair<int, int>> direct;
  for (std::size_t v = 0; v < larger.size(); ++v) {
    Mask implied = 0;
    for_each(larger[v], [&](int w) { implied |= larger[at(w)]; });
    for_each(larger[v] & ~implied, [&](int w) { direct.emplace_back(w, static_cast<int>(v)); });
  }
  std::sort(direct.begin(), direct.end());
  return direct;
}

double set_work(const CostModel& model, Mask bound, int newest, Mask users,
                std::set<std::pair<Mask, Mask>>* maybe_seen) {
  const Requirements& requirements = model.requirements();
  double work = 0;
  std::vector<std::pair<Mask, Mask>> here;
  for_each(users, [&](int w) {
    const Mask wanted = requirements.wanted(w) & bound, any = requirements.any(w) & bound;
    if (!has(any, newest) || wanted == 0 || count(any) < 2) return;
    const std::pair<Mask, Mask> set(wanted, any);
    if (std::find(here.begin(), here.end(), set) != here.end()) return;
    here.push_back(set);
    if (maybe_seen != nullptr && !maybe_seen->insert(set).second) return;
    const Mask earlier = wanted & ~bit(newest);
    const double share = count(earlier) > 1 ? model.label_share(w) : 1;
    const double list = model.common(bound, bit(newest), w);
    const double left = earlier == 0 ? list : share * model.common(bound, earlier, w);
    // The first list of neighbours of w meets all that had to wait for it.
    const int operations = earlier == 0 ? count(any) - 1 : 1;
    work += operations * CostModel::set_operation(left, list);
  });
  return work;
}

void estimate(const Pattern& pattern, const CostModel& model, Order& order, int given) {
  order.matches.clear();
  order.cost = 0;
  Mask bound = 0;
  for (std::size_t i = 0; i < order.vertices.size(); ++i) {
    const int v = order.vertices[i];
    const double before = i == 0 ? 1 : order.matches.back();
    const double scan = scan_cost(pattern, model, bound, v);
    bound |= bit(v);
    order.matches.push_back(model.matches(bound) * restricted_share(order.larger, bound));
    if (i < at(given)) continue;
    order.cost +=
        before * scan + (bound == pattern.all() ? before : order.matches.back()) * level_cost(pattern, model, bound, v);
  }
}

std::vector<Order> best_orders(const Pattern& pattern, const CostModel& model, Symmetry& symmetry,
                               const OrderSearch& search) {
  return Search(pattern, model, symmetry, search).run();
}

}  // namespace matcha::frontend::pattern
