#include "planner/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "ir/support/stop_scope.h"

namespace matcha::pattern {

namespace {

/// Orders that are followed at a time: all of those that differ for up to 8 vertices, the most promising ones beyond.
constexpr std::size_t kBeamSmall = 400, kBeamLarge = 24;
constexpr int kMostOfSmall = 12;
/// Sets of restrictions that are tried for each of the best orders.
constexpr std::size_t kOrdersWithAllSets = 6, kMostSets = 64;

/// Whether the list of candidates of `w` holds only those with its label once the first `placed` vertices are placed,
/// as `Nest` decides it: all vertices that share it by then, or did before, have that label, and it is stored or
/// iterated over more than once. The first `given` vertices are placed from separate lists.
bool labelled(const Pattern& pattern, const CostModel& model, const Order& order, std::size_t placed, int w,
              std::size_t given) {
  const Requirements& requirements = model.requirements();
  Mask bound = 0, placed_here = pattern.all();
  for (std::size_t i = 0; i < given; ++i) placed_here &= ~bit(order.vertices[i]);
  for (std::size_t i = 0; i < placed; ++i) {
    bound |= bit(order.vertices[i]);
    if (!has(requirements.any(w), order.vertices[i]) || (requirements.wanted(w) & bound) == 0) continue;
    bool one_label = true, stored = count(requirements.any(w) & bound) > 1;
    const bool own = apart(order, pattern, requirements, i, w);
    for_each(placed_here & ~bound, [&](int x) {
      const bool alike = pattern.label(x) == pattern.label(w);
      const bool shares = (requirements.wanted(x) & bound) == (requirements.wanted(w) & bound) &&
                          (requirements.any(x) & bound) == (requirements.any(w) & bound) && (alike || !own) &&
                          apart(order, pattern, requirements, i, x) == own;
      // Of vertices that have no place yet, one may be next.
      const bool next = i + 1 < order.vertices.size() ? order.vertices[i + 1] == x : bound == (pattern.all() & ~bit(x));
      one_label = one_label && (alike || !shares);
      stored = stored || (shares && !next);
    });
    if (one_label && stored) return true;
  }
  return false;
}

/// The label by which the list of candidates of `w` differs from others once the first `placed` vertices are; empty
/// where vertices of several labels share one.
std::string label_of_list(const CostModel& model, const Order& order, std::size_t placed, int w, std::size_t given) {
  const std::string& label = model.pattern().label(w);
  if (label.empty()) return {};
  const bool own = apart(order, model.pattern(), model.requirements(), placed - 1, w) ||
                   labelled(model.pattern(), model, order, placed - 1, w, given);
  return own ? label : std::string{};
}

/// The candidates of `w` in a match of `bound`.
Candidates candidates_of(const CostModel& model, const Order& order, Mask bound, int w) {
  const Requirements& requirements = model.requirements();
  const Mask wanted = requirements.wanted(w) & bound;
  Candidates found{wanted, requirements.any(w) & bound & ~wanted, order.larger[at(w)] & bound, 0};
  for_each(bound, [&](int u) {
    if (has(order.larger[at(u)], w)) found.above |= bit(u);
  });
  return found;
}

/// Whether the program iterates over that one of the last two vertices that has fewer candidates, as `Nest` decides it.
bool iterates_smaller(const Pattern& pattern, const CostModel& model, const Order& order, Mask before, int v,
                      int last) {
  const Requirements& requirements = model.requirements();
  const auto stored = [&](int w) {
    return (requirements.wanted(w) & before) != 0 &&
           (count(requirements.any(w) & before) > 1 ||
            (!pattern.label(w).empty() && labelled(pattern, model, order, at(count(before)), w, 0)));
  };
  const bool differ = (requirements.wanted(v) & before) != (requirements.wanted(last) & before) ||
                      (requirements.any(v) & before) != (requirements.any(last) & before);
  const bool free = !has(order.larger[at(v)], last) && !has(order.larger[at(last)], v);
  const bool dominated = count(pattern.near(order.vertices.front())) + 1 == pattern.size();
  return !pattern.directed && !dominated && free && differ && has(requirements.any(last), v) && stored(v) &&
         stored(last);
}

/// The cost that placing `newest` as the last of `bound` adds for each match of `bound`. The first `given` vertices are
/// placed elsewhere, at no cost.
double level_cost(const Pattern& pattern, const CostModel& model, const Order& order, Mask bound, int newest,
                  std::size_t given) {
  const Mask left = pattern.all() & ~bound, before = bound & ~bit(newest);
  if (count(left) == 1 && given == 0 && iterates_smaller(pattern, model, order, before, newest, lowest(left))) {
    const Candidates last = candidates_of(model, order, bound, lowest(left));
    const double cost = model.meeting_smaller(bound, order.larger, candidates_of(model, order, before, newest),
                                              candidates_of(model, order, before, lowest(left)),
                                              {bit(newest), 0, last.below, last.above});
    if (cost >= 0) return cost;
  }
  return model.prices().iteration + set_work(model, order, bound, newest, left, given);
}

/// The share of the neighbours of the first vertex that rows of bits stand for when all sets are made of them: every
/// set that is in several lists is in its list, and one is made below a walk over another. 0: sets are lists, as those
/// that were looked through for a label are.
double share_in_bits(const CostModel& model, const Order& order) {
  const Requirements& requirements = model.requirements();
  const int hub = order.vertices.front(), walked = order.vertices.size() > 1 ? order.vertices[1] : hub;
  const auto in_lists = [&](int w) { return w != hub && count(requirements.any(w)) > 1; };
  bool inside = true, below = true, deeper = false, filtered = false;
  for (std::size_t v = 0; v < order.larger.size(); ++v) {
    const int w = static_cast<int>(v);
    if (!in_lists(w)) continue;
    inside = inside && has(requirements.wanted(w), hub);
    below = below && has(order.larger[v], hub);
    deeper = deeper || count(requirements.any(w)) > 2;
    if (model.prices().rows_for_pairs && w != walked) {
      // Whichever of two comes later is in the list of the other.
      for_each(requirements.any(w) & ~bit(walked), [&](int u) { deeper = deeper || in_lists(u); });
    }
    filtered = filtered || (w != walked && !model.pattern().label(w).empty());
  }
  constexpr double kHalf = 0.5;
  return !inside || !deeper || filtered ? 0 : below ? kHalf : 1;
}

/// True if two vertices must be kept apart by a comparison, or by a look-up where one is counted.
bool may_coincide(const Pattern& pattern, const CostModel& model, const Order& order, int u, int v, Mask before) {
  if (!model.requirements().injective) return false;
  const bool ordered = has(order.larger[at(v)], u) || has(order.larger[at(u)], v);
  return !ordered && !labels_differ(pattern, u, v) && !model.requirements().distinct(u, v, before);
}

/// The cost of comparing the labels of the candidates for `newest`, for each match of the first `placed` vertices of
/// the order. The first `given` vertices are placed elsewhere, at no cost.
double scan_cost(const Pattern& pattern, const CostModel& model, const Order& order, std::size_t placed, int newest,
                 std::size_t given) {
  if (pattern.label(newest).empty() || labelled(pattern, model, order, placed, newest, given)) return 0;
  Mask before = 0;
  for (std::size_t i = 0; i < placed; ++i) before |= bit(order.vertices[i]);
  const Mask wanted = model.requirements().wanted(newest) & before;
  return model.prices().filtered *
         (wanted == 0 ? static_cast<double>(model.sketch().vertices) : model.common(before, wanted, newest));
}

/// The cost of counting the candidates of the last vertex, `order.matches` being complete. Each other vertex that may
/// be among them is looked up once both are known, and each cut of a list of neighbours is a search. The loop over the
/// vertex before is in the cost so far, unless it is `given`; there is no such loop if nothing depends on it.
double last_work(const Pattern& pattern, const CostModel& model, const Order& order, std::size_t given) {
  const std::size_t n = order.vertices.size();
  if (n < 2) return 0;
  const int last = order.vertices[n - 1], walked = order.vertices[n - 2];
  const Mask before = pattern.all() & ~bit(last), wanted = model.requirements().wanted(last) & before;
  const Prices& prices = model.prices();
  const bool bits = share_in_bits(model, order) > 0 && count(wanted) > 0 && has(wanted, order.vertices.front());
  bool depends = has(model.requirements().any(last), walked) || wanted == 0, conditions = false;
  for_each(before & ~bit(walked), [&](int u) {
    conditions = conditions || may_coincide(pattern, model, order, u, walked, before & ~bit(walked));
  });
  bool cuts = false;
  double work = 0;
  Mask placed = 0;
  for (std::size_t i = 0; i + 1 < n && wanted != 0; ++i) {
    const int u = order.vertices[i];
    placed |= bit(u);
    // The level at which both the list and u are there.
    std::size_t level = i;
    Mask there = placed;
    while ((wanted & ~there) != 0) there |= bit(order.vertices[++level]);
    const double times = order.matches[level];
    const bool ordered = has(order.larger[at(last)], u) || has(order.larger[at(u)], last);
    const bool same_list = (model.requirements().wanted(u) & placed) == wanted;
    if (ordered && count(wanted) == 1 && !has(wanted, u) && !same_list) {
      work += times * model.look_up(there, wanted);
      depends = depends || u == walked;
    }
    if (ordered && u == walked) {
      // Positions in one list add up to a formula.
      const bool formula = same_list && count(wanted) == 1;
      depends = depends || !formula;
    }
    cuts = cuts || ordered;
    if (!may_coincide(pattern, model, order, u, last, before)) continue;
    // Vertices that come from these lists are in them, except where the lists are cut.
    if ((wanted & ~(model.requirements().wanted(u) & placed)) == 0) {
      depends = depends || (u == walked && cuts);
      continue;
    }
    if (u == walked && !conditions && !cuts && !has(wanted, u) && n > 2) {
      // Look-ups that are added up are an intersection.
      const double left = model.common(there & ~bit(u), model.requirements().wanted(u) & placed);
      work += order.matches[n - 3] * model.set_operation(left, model.common(there & ~bit(u), wanted));
      continue;
    }
    work += times * (bits ? prices.tested : model.look_up(there, wanted));
    depends = depends || u == walked;
  }
  work += order.matches[n - 2] * scan_cost(pattern, model, order, n - 1, last, given);
  if (given + 1 >= n) return work;
  const double walks = order.matches[n - 2] * prices.iteration;
  return work + (depends ? walks / 4 : conditions ? -walks / 2 : -walks);
}

/// The cost of all wedges of 4-cycles; each arc waits for a list of neighbours.
double wedge_work(const CostModel& model, const Order& order) {
  const Mask wedge = bit(order.vertices[0]) | bit(order.vertices[1]) | bit(order.vertices[3]);
  return model.matches(wedge) * model.restricted_share(wedge, order.larger) * model.prices().wedge +
         order.matches[1] * model.prices().missed;
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
    start.order.apart_from = model_.prices().apart_from;
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
    // There is but one of each.
    for (int v = 0; v < pattern_.size(); ++v) {
      if (!pattern_.constants[at(v)].empty() && !has(bound, v)) return bit(v);
    }
    Mask connected = 0;
    for_each(pattern_.all() & ~bound, [&](int v) {
      if ((pattern_.near(v) & bound) != 0) connected |= bit(v);
    });
    return connected != 0 ? connected : pattern_.all() & ~bound;
  }

  std::vector<State> expand(const std::vector<State>& states, int level) {
    // Orders of the same vertices differ in the matches that restrictions leave; keys of the first and last vertex keep
    // variety.
    std::map<std::tuple<Mask, double, int, int>, State> best;
    const bool given = at(level) < options_.given.size();
    for (const State& state : states) {
      look_for_stop();
      const std::vector<Mask>& orbits = symmetry_.orbits(state.bound);
      for_each(candidates(state.bound, level), [&](int v) {
        // Vertices of one orbit lead to the same orders.
        if (!given && lowest(orbits[at(v)]) != v) return;
        State next = place(state, v, orbits[at(v)]);
        if (too_expensive(next)) return;
        const auto [found, fresh] = best.try_emplace(
            {next.bound, share_of_random_ids(next.order.larger, next.bound), next.order.vertices.front(), v}, next);
        if (!fresh && next.order.cost < found->second.order.cost) found->second = std::move(next);
      });
    }
    std::vector<State> kept;
    for (auto& [key, state] : best) kept.push_back(std::move(state));
    std::stable_sort(kept.begin(), kept.end(), [](const State& a, const State& b) { return a.rank < b.rank; });
    const std::size_t most = pattern_.size() <= kMostOfSmall ? kBeamSmall : kBeamLarge;
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
    const double before = state.order.matches.empty() ? 1 : state.order.matches.back();
    const auto [known, fresh] = levels_.try_emplace({next.bound, v, next.order.vertices.front(), next.order.larger});
    Level& level = known->second;
    if (fresh) level.matches = model_.matches(next.bound) * model_.restricted_share(next.bound, next.order.larger);
    next.order.matches.push_back(level.matches);
    const std::size_t given = options_.given.size();
    if (next.order.vertices.size() <= given) {
      // Something else pays.
    } else if (next.bound == pattern_.all()) {
      next.order.cost += last_work(pattern_, model_, next.order, given);
    } else {
      // Which candidates are looked through for a label depends on all of the order.
      if (fresh || pattern_.labelled()) level.cost = level_cost(pattern_, model_, next.order, next.bound, v, given);
      next.order.cost += before * scan_cost(pattern_, model_, next.order, state.order.vertices.size(), v, given) +
                         level.matches * level.cost;
    }
    if (next.bound == pattern_.all() && given == 0 && counts_wedges(pattern_, model_.requirements(), next.order))
      next.order.cost = wedge_work(model_, next.order);
    // Many partial matches are work to come.
    next.rank = next.order.cost + level.matches * model_.prices().iteration;
    return next;
  }

  /// True if no order with this beginning costs at most the limit. The loop over the last vertex but one may cost
  /// nothing in the end.
  bool too_expensive(const State& state) const {
    const std::size_t placed = state.order.vertices.size();
    if (placed <= options_.given.size()) return false;
    const bool last_but_one = placed + 1 == pattern_.ids.size();
    const double back = last_but_one ? state.order.matches.back() * model_.prices().iteration : 0;
    return state.order.cost - back > options_.at_most;
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
      look_for_stop();
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

  /// A vertex and those before it, whatever the order of these but for the first.
  struct Level {
    double matches = 0;  ///< That satisfy the restrictions.
    double cost = 0;     ///< Of the last vertex, per match.
  };
  /// The vertices, the last, the first, the restrictions.
  using LevelKey = std::tuple<Mask, int, int, Restrictions>;

  const Pattern& pattern_;
  const CostModel& model_;
  Symmetry& symmetry_;
  const OrderSearch& options_;
  std::map<LevelKey, Level> levels_;
};

/// The vertices at which the list of the newest one is cut, to be below or above them, by a separate search: where
/// its own half ends is known, and with it the bounds that follow.
Mask cuts_elsewhere(const Restrictions& larger, Mask bound, int newest, Mask below, Mask above) {
  Mask smaller = 0;
  for_each(bound, [&](int u) { smaller |= has(larger[at(u)], newest) ? bit(u) : 0; });
  const Mask implied = (has(below, newest) ? larger[at(newest)] : 0) | (has(above, newest) ? smaller : 0);
  return (below | above) & ~implied & ~bit(newest);
}

}  // namespace

bool apart(const Order& order, const Pattern& pattern, const Requirements& requirements, std::size_t level, int w) {
  if (pattern.label(w).empty()) return false;
  if (level >= order.apart_from) return true;
  const bool next = level + 1 < order.vertices.size() && order.vertices[level + 1] == w;
  return !next && count(requirements.any(w)) == 2;
}

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

double set_work(const CostModel& model, const Order& order, Mask bound, int newest, Mask users, std::size_t given,
                std::set<SeenSet>* maybe_seen) {
  const Requirements& requirements = model.requirements();
  const std::vector<Mask>& larger = order.larger;
  const double bits = count(bound) > 1 ? share_in_bits(model, order) : 0;
  const int hub = order.vertices.front();
  const double bound_share = share_of_random_ids(larger, bound);
  // Sets by the vertices that they are adjacent to and not adjacent to; their bounds are those of all their users.
  struct Used {
    int user = 0;
    double share = 0;  ///< That the bounds leave.
    Mask below = 0, above = 0;
  };
  std::map<SeenSet, Used> sets;
  const std::size_t placed = at(count(bound));
  for_each(users, [&](int w) {
    const Mask wanted = requirements.wanted(w) & bound, any = requirements.any(w) & bound;
    if (!has(any, newest) || wanted == 0 || count(any) < 2) return;
    const Candidates own = candidates_of(model, order, bound, w);
    const Used one{w, share_of_random_ids(larger, bound | bit(w)) / bound_share, own.below, own.above};
    const auto [set, fresh] = sets.try_emplace({wanted, any, label_of_list(model, order, placed, w, given)}, one);
    if (fresh) return;
    set->second.share = std::max(set->second.share, one.share);
    set->second.below &= one.below;
    set->second.above &= one.above;
  });
  double work = 0;
  // Lists that only vertices of one label use from now on are looked through for those that have it.
  std::set<SeenSet> filtered;
  for_each(users, [&](int w) {
    const Mask wanted = requirements.wanted(w) & bound, any = requirements.any(w) & bound;
    if (model.pattern().label(w).empty() || wanted == 0 || !has(any, newest)) return;
    const auto by = [&](std::size_t levels) { return labelled(model.pattern(), model, order, levels, w, given); };
    if (by(placed - 1) || !by(placed)) return;
    if (filtered.emplace(wanted, any, model.pattern().label(w)).second)
      work += model.prices().filtered * model.common(bound, wanted);
  });
  const bool counted = (bound | users) == model.pattern().all() && count(users & ~bound) == 1;
  // Lists of the first vertex's neighbours are there once its nest has begun.
  const bool far = count(bound) == 2 || !has(model.pattern().near(newest), hub);
  if (count(bound) > 1 && far && !sets.empty() &&
      (maybe_seen == nullptr || maybe_seen->emplace(bit(newest), 0, "").second)) {
    work += model.fetch(counted ? model.prices().overlapped : model.prices().missed);
  }
  // Rows are made for each item of the hub's list, whatever the restrictions of the vertices in the loops.
  const bool rows = bits > 0 && count(bound) == 2 && !model.pattern().labelled();
  if (rows && (maybe_seen == nullptr || maybe_seen->emplace(0, bound, "").second)) {
    const Restrictions held = bits < 1 ? larger : Restrictions(larger.size(), 0);
    const Mask below = bits < 1 ? bit(hub) : 0;
    work += model.meeting(bound, held, {bit(hub), 0, below, 0}, {bit(newest), 0, below, 0}, 1, bits) *
            model.restricted_share(bound, held) / model.restricted_share(bound, larger);
  }
  for (const auto& [set, used] : sets) {
    if (maybe_seen != nullptr && !maybe_seen->insert(set).second) continue;
    const auto& [wanted, any, label] = set;
    if (rows && wanted == bound) continue;
    const auto& [w, share, below, above] = used;
    const Mask earlier = wanted & ~bit(newest);
    // The first list of neighbours of w meets all that had to wait for it.
    const Mask lists = earlier == 0 ? any & ~bit(newest) : bit(newest);
    if (rows || (bits > 0 && count(bound) > 2)) {
      work += count(lists) * model.bit_operation(bound, hub, bits);
      continue;
    }
    const double label_share = labelled(model.pattern(), model, order, placed - 1, w, given) ? model.label_share(w) : 1;
    const Candidates so_far = earlier == 0 ? Candidates{bit(newest), 0, below, above}
                                           : Candidates{earlier, any & ~wanted & ~bit(newest), below, above};
    for_each(lists, [&](int u) {
      work += model.meeting(bound, larger, so_far, {bit(u), 0, below, above}, label_share, share);
      if (counted && u == lowest(lists)) work -= model.prices().operation - model.prices().batched;
    });
    if (cuts_elsewhere(larger, bound, newest, below, above) != 0) work += model.look_up(bound, bit(newest));
  }
  return work;
}

void estimate(const Pattern& pattern, const CostModel& model, Order& order, int given) {
  order.apart_from = model.prices().apart_from;
  order.matches.clear();
  order.cost = 0;
  Mask bound = 0;
  for (std::size_t i = 0; i < order.vertices.size(); ++i) {
    const int v = order.vertices[i];
    const double before = i == 0 ? 1 : order.matches.back();
    const double scan = scan_cost(pattern, model, order, i, v, at(given));
    bound |= bit(v);
    order.matches.push_back(model.matches(bound) * model.restricted_share(bound, order.larger));
    if (i < at(given)) continue;
    order.cost += bound == pattern.all()
                      ? last_work(pattern, model, order, at(given))
                      : before * scan + order.matches.back() * level_cost(pattern, model, order, bound, v, at(given));
  }
  if (given == 0 && counts_wedges(pattern, model.requirements(), order)) order.cost = wedge_work(model, order);
}

bool counts_wedges(const Pattern& pattern, const Requirements& requirements, const Order& order) {
  if (pattern.labelled() || pattern.edge_labelled() || pattern.directed || order.vertices.size() != 4) return false;
  const int largest = order.vertices[0], second = order.vertices[1], third = order.vertices[2],
            opposite = order.vertices[3];
  const Mask beside = bit(second) | bit(third);
  const bool cycle = requirements.any(largest) == beside && requirements.any(opposite) == beside &&
                     requirements.any(second) == (bit(largest) | bit(opposite)) &&
                     requirements.any(third) == (bit(largest) | bit(opposite));
  return cycle && order.larger[at(largest)] == 0 && order.larger[at(second)] == bit(largest) &&
         order.larger[at(third)] == (bit(largest) | bit(second)) && order.larger[at(opposite)] == bit(largest);
}

std::vector<Order> best_orders(const Pattern& pattern, const CostModel& model, Symmetry& symmetry,
                               const OrderSearch& search) {
  return Search(pattern, model, symmetry, search).run();
}

std::string to_text(const Order& order, const std::vector<std::string>& names) {
  std::string text;
  for (int v : order.vertices) text += (text.empty() ? "" : " ") + names[static_cast<std::size_t>(v)];
  std::string restrictions;
  for (const auto& [larger, smaller] : direct_restrictions(order.larger)) {
    restrictions += fmt::format("{}{} > {}", restrictions.empty() ? "" : ", ", names[static_cast<std::size_t>(larger)],
                                names[static_cast<std::size_t>(smaller)]);
  }
  return restrictions.empty() ? text : fmt::format("{} | {}", text, restrictions);
}

}  // namespace matcha::pattern
