#include "session/query/matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace matcha::session::statement {

namespace {

constexpr const char* kTooMany = "the number of matches leaves 64 bits";

}  // namespace

bool Matcher::run(Value* row, const OnMatch& on_match) {
  for (const auto& [slot, kind] : given_) {
    if (row[slot].is(Value::Kind::Null)) return true;
    if (row[slot].is(kind)) continue;
    progress_.fail(clause_.loc, fmt::format("this is {}, and {} is wanted", name_of(row[slot].kind), name_of(kind)));
    return false;
  }
  if (used_.empty()) used_.resize(store_.relationships());
  row_ = row;
  on_match_ = &on_match;
  running_ = &steps_;
  ways_ = 1;
  return step(0);
}

bool Matcher::found() {
  if (!is_counting_) return (*on_match_)(ways_);
  if (!__builtin_add_overflow(counted_, ways_, &counted_)) return true;
  progress_.fail(clause_.loc, kTooMany);
  return false;
}

bool Matcher::step(std::size_t at) {
  if (progress_.is_over()) return false;
  if (at == running_->size()) return found();
  const Step& step = (*running_)[at];
  switch (step.kind) {
    case Step::Kind::Test: return next(step, at);
    case Step::Kind::Scan: return scan(step, at);
    case Step::Kind::Check: return !passes(step.tests, node(step.to)) || next(step, at);
    case Step::Kind::Expand: return expand(step, at);
    case Step::Kind::Trail: return trail(step, at);
    case Step::Kind::Given: return given(step, at);
    case Step::Kind::GivenTrail: return given_trail(step, at);
    case Step::Kind::Path: return path(step, at);
    case Step::Kind::Independent: return independent(step, at);
  }
  return true;
}

bool Matcher::next(const Step& step, std::size_t at) {
  for (const query::Term* const condition : step.conditions) {
    const bool holds = evaluator_.holds(*condition, row_);
    if (progress_.failure) return false;
    if (!holds) return true;
  }
  return this->step(at + 1);
}

bool Matcher::passes(const std::vector<std::size_t>& tests, std::uint32_t node) const {
  return std::ranges::all_of(tests, [&](std::size_t test) { return store_.passes(test, node); });
}

bool Matcher::scanned(const Step& step, std::size_t at, std::uint32_t node) {
  if (progress_.is_over()) return false;
  if (!passes(step.tests, node)) return true;
  row_[step.to] = Value::of(Value::Kind::Node, node);
  return next(step, at);
}

bool Matcher::scan_list(const Step& step, std::size_t at) {
  const Value list = evaluator_.value(step.maybe_list->parts[1], row_);
  if (!list.is(Value::Kind::List)) {
    // Null, or an error, which the condition reports.
    evaluator_.holds(*step.maybe_list, row_);
    return !progress_.failure;
  }
  std::vector<std::uint32_t> nodes;
  for (const Value& item : *list.items) {
    if (item.is(Value::Kind::Node)) nodes.push_back(static_cast<std::uint32_t>(item.integer));
  }
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return std::ranges::all_of(nodes, [&](std::uint32_t node) { return scanned(step, at, node); });
}

bool Matcher::scan(const Step& step, std::size_t at) {
  if (step.maybe_list != nullptr) return scan_list(step, at);
  if (step.maybe_key != nullptr) {
    const Value key = evaluator_.value(*step.maybe_key, row_);
    if (progress_.failure) return false;
    if (!step.column) return !key.is(Value::Kind::Node) || scanned(step, at, static_cast<std::uint32_t>(key.integer));
    if (const auto some = store_.nodes_with(*step.column, key)) {
      return std::ranges::all_of(*some, [&](std::uint32_t node) { return scanned(step, at, node); });
    }
  }
  if (!step.tests.empty()) {
    const auto size = [this](std::size_t test) { return store_.passing(test).size(); };
    return std::ranges::all_of(store_.passing(*std::ranges::min_element(step.tests, {}, size)),
                               [&](std::uint32_t node) { return scanned(step, at, node); });
  }
  for (std::uint32_t node = 0; node < store_.nodes(); ++node) {
    if (!scanned(step, at, node)) return false;
  }
  return true;
}

bool Matcher::arrive(const Step& step, std::size_t at, std::uint32_t node) {
  if (step.has_to) return this->node(step.to) != node || next(step, at);
  if (!passes(step.tests, node)) return true;
  row_[step.to] = Value::of(Value::Kind::Node, node);
  return next(step, at);
}

/// Whether a step goes along relationships that leave a node, or those that come to it.
bool Matcher::goes(const Step& step, bool is_out) {
  const query::RelationshipPattern& one = *step.maybe_relationship;
  return one.is_either || (one.is_backwards == step.is_turned) == is_out;
}

bool Matcher::has_type(const Step& step, std::uint32_t relationship) const {
  return step.any_type || std::ranges::binary_search(step.types, store_.type(relationship));
}

std::span<const std::uint32_t> Matcher::list(const Step& step, std::uint32_t node, std::size_t number,
                                             bool& is_out) const {
  const std::size_t types = step.any_type ? 1 : step.types.size();
  is_out = goes(step, true) && number < types;
  const std::span<const std::uint32_t> all = is_out ? store_.out(node) : store_.in(node);
  const std::span<const std::uint32_t> typed = step.any_type ? all : store_.typed(all, step.types[number % types]);
  return step.closes ? store_.between(typed, is_out, this->node(step.to)) : typed;
}

std::optional<Matcher::Hop> Matcher::hop(const Step& step, Cursor& cursor) const {
  const std::size_t types = step.any_type ? 1 : step.types.size();
  const std::size_t lists = types * (step.maybe_relationship->is_either ? 2 : 1);
  for (; cursor.list < lists; ++cursor.list, cursor.at = 0) {
    bool is_out = false;
    const std::span<const std::uint32_t> all = list(step, cursor.node, cursor.list, is_out);
    while (cursor.at < all.size()) {
      const std::uint32_t one = all[cursor.at++];
      const std::uint32_t to = is_out ? store_.target(one) : store_.source(one);
      // A loop that may lie either way is met once.
      if (!is_out && to == cursor.node && step.maybe_relationship->is_either) continue;
      return Hop{one, to};
    }
  }
  return std::nullopt;
}

bool Matcher::expand(const Step& step, std::size_t at) {
  const std::size_t slot = step.maybe_relationship->slot;
  Cursor cursor{node(step.from)};
  while (const std::optional<Hop> one = hop(step, cursor)) {
    if (progress_.is_over()) return false;
    if (used_[one->relationship]) continue;
    row_[slot] = Value::of(Value::Kind::Relationship, one->relationship);
    used_[one->relationship] = true;
    const bool goes_on = arrive(step, at, one->to);
    used_[one->relationship] = false;
    if (!goes_on) return false;
  }
  return true;
}

/// Whether a relationship may be in the list of a step.
bool Matcher::fits(const Step& step, std::uint32_t relationship) {
  const query::RelationshipPattern& pattern = *step.maybe_relationship;
  if (used_[relationship] || !has_type(step, relationship)) return false;
  if (pattern.each.empty()) return true;
  row_[pattern.one] = Value::of(Value::Kind::Relationship, relationship);
  return std::ranges::all_of(pattern.each, [&](const query::Term& term) { return evaluator_.holds(term, row_); });
}

bool Matcher::end_trail(const Step& step, std::size_t at, std::uint32_t node, const std::vector<Hop>& hops) {
  if (step.has_to && this->node(step.to) != node) return true;
  if (step.keeps_list) {
    std::vector<Value> list;
    for (const Hop& hop : hops) list.push_back(Value::of(Value::Kind::Relationship, hop.relationship));
    if (step.is_turned) std::ranges::reverse(list);
    row_[step.maybe_relationship->slot] = Value::of_list(std::move(list));
  }
  return arrive(step, at, node);
}

bool Matcher::trail(const Step& step, std::size_t at) {
  const query::RelationshipPattern& pattern = *step.maybe_relationship;
  std::vector<Hop> hops;
  std::vector<Cursor> cursors;
  const std::uint32_t begin = node(step.from);
  bool goes_on = pattern.least != 0 || pattern.most < pattern.least || end_trail(step, at, begin, hops);
  if (goes_on && pattern.most != 0 && pattern.least <= pattern.most) cursors.push_back({begin});
  while (goes_on && !cursors.empty()) {
    goes_on = !progress_.is_over();
    const std::optional<Hop> one = hop(step, cursors.back());
    if (!one) {
      cursors.pop_back();
      if (hops.empty()) continue;
      used_[hops.back().relationship] = false;
      hops.pop_back();
      continue;
    }
    if (!fits(step, one->relationship)) continue;
    used_[one->relationship] = true;
    hops.push_back(*one);
    cursors.push_back({one->to});
    if (goes_on && hops.size() >= pattern.least) goes_on = end_trail(step, at, one->to, hops);
    if (hops.size() < pattern.most) continue;
    cursors.pop_back();
    used_[hops.back().relationship] = false;
    hops.pop_back();
  }
  for (const Hop& hop : hops) used_[hop.relationship] = false;
  return goes_on && !progress_.failure;
}

bool Matcher::given(const Step& step, std::size_t at) {
  const query::RelationshipPattern& pattern = *step.maybe_relationship;
  const std::uint32_t one = static_cast<std::uint32_t>(row_[pattern.slot].integer);
  if (!fits(step, one)) return true;
  const std::uint32_t source = store_.source(one), target = store_.target(one);
  used_[one] = true;
  bool goes_on = true;
  for (const bool is_backwards : {false, true}) {
    if (!pattern.is_either && is_backwards != pattern.is_backwards) continue;
    if (is_backwards && pattern.is_either && source == target) continue;
    const std::uint32_t left = is_backwards ? target : source, right = is_backwards ? source : target;
    if (step.has_from ? node(step.from) != left : !passes(step.from_tests, left)) continue;
    row_[step.from] = Value::of(Value::Kind::Node, left);
    goes_on = arrive(step, at, right);
    if (!goes_on) break;
  }
  used_[one] = false;
  return goes_on;
}

bool Matcher::given_trail(const Step& step, std::size_t at) {
  const query::RelationshipPattern& pattern = *step.maybe_relationship;
  std::vector<Value> list = *row_[pattern.slot].items;
  if (list.size() < pattern.least || list.size() > pattern.most) return true;
  for (const Value& item : list) {
    if (item.is(Value::Kind::Null)) return true;
    if (item.is(Value::Kind::Relationship)) continue;
    progress_.fail(pattern.loc, fmt::format("the list has {}, and relationships are wanted", name_of(item.kind)));
    return false;
  }
  if (step.is_turned) std::ranges::reverse(list);
  if (step.has_from) return follow(step, at, node(step.from), list);
  const auto begin = [&](std::uint32_t from) {
    if (progress_.is_over()) return false;
    if (!passes(step.from_tests, from)) return true;
    row_[step.from] = Value::of(Value::Kind::Node, from);
    return follow(step, at, from, list);
  };
  if (list.empty()) return std::ranges::all_of(std::views::iota(std::uint32_t{0}, store_.nodes()), begin);
  // The first relationship has the node at the begin.
  const std::uint32_t first = static_cast<std::uint32_t>(list.front().integer);
  const std::uint32_t source = store_.source(first), target = store_.target(first);
  if (goes(step, true) && !begin(source)) return false;
  return !goes(step, false) || (goes(step, true) && source == target) || begin(target);
}

/// Walks along a list of relationships.
bool Matcher::follow(const Step& step, std::size_t at, std::uint32_t from, const std::vector<Value>& list) {
  std::size_t walked = 0;
  for (; walked < list.size(); ++walked) {
    const std::uint32_t one = static_cast<std::uint32_t>(list[walked].integer);
    const bool leaves = store_.source(one) == from && goes(step, true);
    const bool enters = store_.target(one) == from && goes(step, false);
    if ((!leaves && !enters) || !fits(step, one)) break;
    used_[one] = true;
    from = leaves ? store_.target(one) : store_.source(one);
  }
  const bool goes_on = walked < list.size() || arrive(step, at, from);
  for (std::size_t i = 0; i < walked; ++i) used_[static_cast<std::size_t>(list[i].integer)] = false;
  return goes_on && !progress_.failure;
}

bool Matcher::path(const Step& step, std::size_t at) {
  const query::PathPattern& pattern = *step.maybe_path;
  std::vector<Value> items = {row_[pattern.nodes.front().slot]};
  for (std::size_t i = 0; i < pattern.relationships.size(); ++i) {
    const query::RelationshipPattern& one = pattern.relationships[i];
    if (!one.is_trail) {
      items.push_back(row_[one.slot]);
      items.push_back(row_[pattern.nodes[i + 1].slot]);
      continue;
    }
    for (const Value& hop : *row_[one.slot].items) {
      const std::uint32_t number = static_cast<std::uint32_t>(hop.integer);
      const bool leaves = store_.source(number) == static_cast<std::uint32_t>(items.back().integer);
      items.push_back(hop);
      items.push_back(Value::of(Value::Kind::Node, leaves ? store_.target(number) : store_.source(number)));
    }
  }
  row_[*pattern.maybe_slot] = Value::of_list(std::move(items), Value::Kind::Path);
  return next(step, at);
}

/// Counts the matches of a part; false after an error.
bool Matcher::count(Part& part, SourceLoc loc) {
  const std::vector<Step>* const outer = std::exchange(running_, &part.steps);
  const std::uint64_t ways = std::exchange(ways_, 1);
  is_counting_ = true;
  counted_ = 0;
  const bool is_done = step(0);
  is_counting_ = false;
  running_ = outer;
  ways_ = ways;
  part.count = counted_;
  if (!is_done && !progress_.is_stopped && !progress_.failure) progress_.fail(loc, kTooMany);
  return is_done;
}

bool Matcher::independent(const Step& step, std::size_t at) {
  Part& part = parts_[step.part];
  if (!part.count && !count(part, clause_.loc)) return false;
  if (*part.count == 0) return true;
  const std::uint64_t ways = ways_;
  if (__builtin_mul_overflow(ways_, *part.count, &ways_)) {
    progress_.fail(clause_.loc, kTooMany);
    return false;
  }
  const bool goes_on = next(step, at);
  ways_ = ways;
  return goes_on;
}

}  // namespace matcha::session::statement
