#include "session/query/match_planner.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace matcha::session::statement {

using query::NodePattern;
using query::PathPattern;
using query::RelationshipPattern;
using query::Term;

void add_slots(const query::MatchClause& clause, std::set<std::size_t>& into) {
  std::set<std::size_t> all;
  for (const PathPattern& path : clause.paths) {
    for (const NodePattern& node : path.nodes) all.insert(node.slot);
    for (const RelationshipPattern& one : path.relationships) {
      all.insert(one.slot);
      for (const Term& term : one.each) add_slots(term, all);
    }
  }
  for (const Term& term : clause.conditions) add_slots(term, all);
  if (clause.maybe_list) add_slots(*clause.maybe_list, all);
  for (const std::size_t slot : clause.new_slots) all.erase(slot);
  into.insert(all.begin(), all.end());
}

void add_slots(const Term& term, std::set<std::size_t>& into) {
  if (term.kind == Term::Kind::Variable) into.insert(term.slot);
  if (term.pattern != nullptr) add_slots(*term.pattern, into);
  for (const Term& part : term.parts) add_slots(part, into);
}

MatchPlanner::MatchPlanner(Matcher& matcher, Store& store, const std::set<std::size_t>& bound,
                           const std::set<std::size_t>& needed)
    : matcher_(matcher), store_(store), bound_(bound), needed_(needed) {}

void MatchPlanner::run() {
  collect();
  group();
  // Parts that depend on the row before, or are read behind the clause, are walked for each row.
  std::set<std::size_t> rest, free;
  for (const auto& [slot, part] : part_of_) (is_independent(part) ? free : rest).insert(part);
  std::vector<Matcher::Step> steps = steps_of(rest, true);
  for (const std::size_t part : free) {
    Matcher::Step& step = matcher_.steps_.emplace_back();
    step.kind = Matcher::Step::Kind::Independent;
    step.part = matcher_.parts_.size();
    matcher_.parts_.push_back({steps_of({part}, false), {}});
  }
  std::ranges::move(steps, std::back_inserter(matcher_.steps_));
}

void MatchPlanner::collect() {
  for (const PathPattern& path : matcher_.clause_.paths) {
    for (const NodePattern& node : path.nodes) {
      std::vector<std::size_t>& tests = nodes_[node.slot];
      if (!node.labels.empty()) tests.push_back(store_.add_test(node.labels));
      if (bound_.contains(node.slot)) give(node.slot, Value::Kind::Node);
    }
    for (std::size_t i = 0; i < path.relationships.size(); ++i) {
      const RelationshipPattern& one = path.relationships[i];
      Walk walk{&one, path.nodes[i].slot, path.nodes[i + 1].slot};
      walk.is_given = bound_.contains(one.slot);
      walk.keeps_list = one.is_trail && (one.is_named || path.maybe_slot) && !walk.is_given;
      walk.types = store_.types_of(one.types);
      if (walk.is_given) give(one.slot, one.is_trail ? Value::Kind::List : Value::Kind::Relationship);
      walks_.push_back(std::move(walk));
    }
    if (path.maybe_slot) paths_.push_back(&path);
  }
  for (const Term& term : matcher_.clause_.conditions) {
    Condition& one = conditions_.emplace_back();
    one.term = &term;
    add_slots(term, one.slots);
  }
}

void MatchPlanner::give(std::size_t slot, Value::Kind kind) {
  const std::pair one(slot, kind);
  if (std::ranges::find(matcher_.given_, one) == matcher_.given_.end()) matcher_.given_.push_back(one);
}

/// Groups the parts of the clause that share a slot without a value, directly or through others.
void MatchPlanner::group() {
  const auto join = [this](const std::vector<std::size_t>& slots) {
    std::optional<std::size_t> into;
    for (const std::size_t slot : slots) {
      if (bound_.contains(slot)) continue;
      const auto [found, is_new] = part_of_.emplace(slot, slot);
      if (!into) into = found->second;
      if (found->second == *into) continue;
      const std::size_t from = found->second;
      for (auto& [other, part] : part_of_) {
        if (part == from) part = *into;
      }
    }
  };
  for (const auto& [slot, tests] : nodes_) join({slot});
  for (const Walk& walk : walks_) {
    std::set<std::size_t> all = {walk.from, walk.to, walk.pattern->slot};
    for (const Term& term : walk.pattern->each) add_slots(term, all);
    if (walk.pattern->is_trail) all.erase(walk.pattern->one);
    join({all.begin(), all.end()});
  }
  for (const PathPattern* const path : paths_) {
    std::vector<std::size_t> all = {*path->maybe_slot};
    for (const NodePattern& node : path->nodes) all.push_back(node.slot);
    for (const RelationshipPattern& one : path->relationships) all.push_back(one.slot);
    join(all);
  }
  for (const Condition& condition : conditions_) join({condition.slots.begin(), condition.slots.end()});
}

std::optional<std::size_t> MatchPlanner::part_of(const std::set<std::size_t>& slots) const {
  for (const std::size_t slot : slots) {
    if (const auto found = part_of_.find(slot); found != part_of_.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<std::size_t> MatchPlanner::part_of(const Walk& walk) const {
  return part_of(std::set<std::size_t>{walk.from, walk.to, walk.pattern->slot});
}

/// Its matches are the same for each row, and only their number is read.
bool MatchPlanner::is_independent(std::size_t part) const {
  const auto touches = [this](const std::set<std::size_t>& slots) {
    return std::ranges::any_of(slots, [this](std::size_t slot) { return bound_.contains(slot); });
  };
  for (const auto& [slot, of] : part_of_) {
    if (of == part && needed_.contains(slot)) return false;
  }
  for (const Condition& condition : conditions_) {
    if (part_of(condition.slots) == part && touches(condition.slots)) return false;
  }
  for (const Walk& walk : walks_) {
    const bool is_mine = part_of(walk) == part;
    std::set<std::size_t> slots = {walk.from, walk.to, walk.pattern->slot};
    for (const Term& term : walk.pattern->each) add_slots(term, slots);
    if (is_mine && touches(slots)) return false;
    if (!is_mine) continue;
    // No relationship is in two parts of a match.
    for (const Walk& other : walks_) {
      if (part_of(other) == part) continue;
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(walk.types, other.types, std::back_inserter(both));
      if (walk.pattern->types.empty() || other.pattern->types.empty() || !both.empty()) return false;
    }
  }
  return true;
}

std::vector<Matcher::Step> MatchPlanner::steps_of(const std::set<std::size_t>& parts, bool with_given) {
  there_ = bound_;
  steps_.clear();
  const auto is_mine = [&](std::optional<std::size_t> part) { return part ? parts.contains(*part) : with_given; };
  if (with_given) {
    for (const auto& [slot, tests] : nodes_) {
      if (!bound_.contains(slot) || tests.empty()) continue;
      Matcher::Step& step = add(Matcher::Step::Kind::Check);
      step.to = slot;
      step.tests = tests;
    }
    add(Matcher::Step::Kind::Test);
  }
  std::vector<Walk*> walks;
  for (Walk& walk : walks_) {
    if (is_mine(part_of(walk))) walks.push_back(&walk);
  }
  std::set<std::size_t> open;
  for (const auto& [slot, tests] : nodes_) {
    if (!bound_.contains(slot) && is_mine(part_of({slot}))) open.insert(slot);
  }
  add_paths(is_mine);
  place_conditions();
  while (!walks.empty() || !open.empty()) {
    const auto best = std::ranges::min_element(walks, {}, [this](const Walk* walk) { return cost(*walk); });
    if (best != walks.end() && std::get<0>(cost(**best)) != kNoEndThere) {
      walk(**best);
      walks.erase(best);
    } else {
      Matcher::Step& step = add(Matcher::Step::Kind::Scan);
      step.to = *std::ranges::min_element(open, {}, [this](std::size_t slot) { return nodes_to_scan(slot); });
      step.tests = nodes_.at(step.to);
      find_key(step);
      there_.insert(step.to);
    }
    std::erase_if(open, [this](std::size_t slot) { return there_.contains(slot); });
    add_paths(is_mine);
    place_conditions();
  }
  return std::move(steps_);
}

/// Named paths that are complete have a value from here on.
template <class IsMine>
void MatchPlanner::add_paths(const IsMine& is_mine) {
  const auto is_there = [this](const auto& one) { return there_.contains(one.slot); };
  for (const PathPattern* const path : paths_) {
    if (!is_mine(part_of({*path->maybe_slot})) || there_.contains(*path->maybe_slot)) continue;
    if (!std::ranges::all_of(path->nodes, is_there) || !std::ranges::all_of(path->relationships, is_there)) continue;
    place_conditions();
    add(Matcher::Step::Kind::Path).maybe_path = path;
    there_.insert(*path->maybe_slot);
  }
}

Matcher::Step& MatchPlanner::add(Matcher::Step::Kind kind) {
  Matcher::Step& step = steps_.emplace_back();
  step.kind = kind;
  return step;
}

/// Cheap steps come first: relationships that are given, those between nodes that are there, those with few others
/// beside them, and trails at the end.
MatchPlanner::Cost MatchPlanner::cost(const Walk& walk) const {
  const bool from = there_.contains(walk.from), to = there_.contains(walk.to);
  if (walk.is_given && !walk.pattern->is_trail) return {0, 0};
  if (!from && !to && !walk.is_given) return {kNoEndThere, 0};
  // The conditions of a trail hold for each of its relationships: slots that they read come first.
  std::set<std::size_t> read;
  for (const Term& term : walk.pattern->each) add_slots(term, read);
  read.erase(walk.pattern->one);
  if (!std::ranges::includes(there_, read)) return {kNoEndThere, 0};
  if (walk.is_given) return {1, 0};
  const int both = from && to ? 0 : 1;
  const double share = walk.pattern->types.empty() ? 1 : static_cast<double>(walk.types.size());
  constexpr int kTrails = 4, kBetween = 2;
  return {(walk.pattern->is_trail ? kTrails : kBetween) + both, share};
}

void MatchPlanner::walk(const Walk& walk) {
  Matcher::Step& step =
      add(walk.pattern->is_trail ? walk.is_given ? Matcher::Step::Kind::GivenTrail : Matcher::Step::Kind::Trail
          : walk.is_given        ? Matcher::Step::Kind::Given
                                 : Matcher::Step::Kind::Expand);
  step.maybe_relationship = walk.pattern;
  step.keeps_list = walk.keeps_list;
  step.any_type = walk.pattern->types.empty();
  step.types = walk.types;
  step.is_turned = step.kind != Matcher::Step::Kind::Given && !there_.contains(walk.from) && there_.contains(walk.to);
  step.from = step.is_turned ? walk.to : walk.from;
  step.to = step.is_turned ? walk.from : walk.to;
  step.has_from = there_.contains(step.from);
  step.has_to = there_.contains(step.to) || step.from == step.to;
  step.tests = nodes_.at(step.to);
  step.from_tests = nodes_.at(step.from);
  // Lists of one type are in the order of the other end.
  constexpr std::size_t kFewTypes = 16;
  step.closes =
      step.kind == Matcher::Step::Kind::Expand && step.has_to && (!step.any_type || store_.type_count() <= kFewTypes);
  if (step.closes && step.any_type && store_.type_count() > 1) {
    step.any_type = false;
    step.types.resize(store_.type_count());
    std::iota(step.types.begin(), step.types.end(), 0U);
  }
  there_.insert({walk.from, walk.to, walk.pattern->slot});
}

/// About how many nodes are left of a scan.
double MatchPlanner::nodes_to_scan(std::size_t slot) const {
  double all = static_cast<double>(store_.nodes());
  for (const std::size_t test : nodes_.at(slot)) {
    all = std::min(all, static_cast<double>(store_.passing(test).size()));
  }
  constexpr double kEqual = .01, kOther = .5;
  for (const Condition& condition : conditions_) {
    if (condition.is_placed || !condition.slots.contains(slot)) continue;
    const bool is_alone = std::ranges::all_of(
        condition.slots, [&](std::size_t other) { return other == slot || there_.contains(other); });
    if (is_alone) all *= condition.term->kind == Term::Kind::Equal ? kEqual : kOther;
  }
  return all;
}

/// A condition such as `a.name = b.name`, `a = endNode(r)` or `a IN nodes(p)` finds the nodes of a scan.
void MatchPlanner::find_key(Matcher::Step& step) {
  for (const Condition& condition : conditions_) {
    if (condition.is_placed || condition.term->kind != Term::Kind::Equal) continue;
    for (const std::size_t side : {0U, 1U}) {
      const Term &column = condition.term->parts[side], &key = condition.term->parts[1 - side];
      const bool is_property = column.kind == Term::Kind::Property;
      const Term& node = is_property ? column.parts[0] : column;
      const bool is_mine = node.kind == Term::Kind::Variable && node.slot == step.to;
      std::set<std::size_t> slots;
      add_slots(key, slots);
      const bool is_there = std::ranges::all_of(slots, [this](std::size_t slot) { return there_.contains(slot); });
      if (!is_mine || !is_there) continue;
      step.maybe_key = &key;
      step.column = is_property ? std::optional(static_cast<std::size_t>(column.integer)) : std::nullopt;
      return;
    }
  }
  for (Condition& condition : conditions_) {
    if (condition.is_placed || condition.term->kind != Term::Kind::In) continue;
    const Term& node = condition.term->parts[0];
    std::set<std::size_t> slots;
    add_slots(condition.term->parts[1], slots);
    if (node.kind != Term::Kind::Variable || node.slot != step.to || !std::ranges::includes(there_, slots)) continue;
    step.maybe_list = condition.term;
    condition.is_placed = true;
    return;
  }
}

/// Conditions whose slots have a value now belong to the last step.
void MatchPlanner::place_conditions() {
  for (Condition& condition : conditions_) {
    const bool is_ready =
        std::ranges::all_of(condition.slots, [this](std::size_t slot) { return there_.contains(slot); });
    if (condition.is_placed || !is_ready) continue;
    condition.is_placed = true;
    steps_.back().conditions.push_back(condition.term);
  }
}

Matcher::Matcher(const query::MatchClause& clause, const std::set<std::size_t>& bound,
                 const std::set<std::size_t>& needed, Store& store, const Evaluator& evaluator, Progress& progress)
    : clause_(clause), store_(store), evaluator_(evaluator), progress_(progress) {
  MatchPlanner(*this, store, bound, needed).run();
}

}  // namespace matcha::session::statement
