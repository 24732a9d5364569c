#include "ir/analysis/vertex_order.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/analysis/built_graphs.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/nests.h"
#include "ir/analysis/resolve.h"
#include "ir/check.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

constexpr std::size_t kMostItems = 8;
constexpr std::size_t kMostShapes = 512;

/// A permutation of the items 0…k-1, or the rank of each.
using Permutation = std::array<std::uint8_t, kMostItems>;

/// Two items, the smaller one first.
using Pair = std::pair<int, int>;
Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// A nest over k different vertices, the items 0…k-1.
struct Shape {
  std::size_t size = 0;
  std::int64_t weight = Nest::kOne;
  std::array<std::array<std::int8_t, kMostItems>, kMostItems> adjacent{};  ///< 1: yes, -1: no, 0: either.
  std::array<std::string, kMostItems> colors;                              ///< The conditions on one item alone.
  /// The conditions on several items, and the value.
  std::vector<Term> others;
  std::vector<Term> order;  ///< The conditions on the order of items.
};

void collect_items(const Term& term, std::set<int>& out) {
  if (term.is(TermKind::Item)) out.insert(term.item);
  for (const Term& part : term.parts) collect_items(part, out);
}

/// Splits a nest into cases of which items are the same vertex. The first `fixed` items are given from outside.
class Splitter {
 public:
  Splitter(int item_count, std::size_t fixed, std::vector<Shape>& out, std::string& problem)
      : item_count_(item_count), fixed_(fixed), out_(out), problem_(problem) {}

  void split(const Nest& nest) {
    given_.clear();
    given_.insert(nest.items.begin(), nest.items.begin() + static_cast<std::ptrdiff_t>(fixed_));
    split(nest, {});
  }

 private:
  void split(const Nest& nest, std::set<Pair> distinct) {
    if (!problem_.empty()) return;
    if (nest.items.size() > kMostItems) return fail("a nest has more than 8 vertices");
    for (std::size_t a = 0; a < nest.items.size(); ++a) {
      for (std::size_t b = a + 1; b < nest.items.size(); ++b) {
        const Pair pair = pair_of(nest.items[a], nest.items[b]);
        if (!distinct.insert(pair).second || must_differ(nest.conditions, pair.first, pair.second)) continue;
        split(merged(nest, nest.items[a], nest.items[b]), moved(distinct, nest.items[a], nest.items[b]));
      }
    }
    add_shape(nest);
  }

  void fail(std::string_view why) {
    if (problem_.empty()) problem_ = why;
  }

  static Nest merged(const Nest& nest, int kept, int dropped) {
    Nest out = nest;
    std::erase(out.items, dropped);
    for (Term& condition : out.conditions) condition = renamed(std::move(condition), dropped, kept);
    out.value = renamed(std::move(out.value), dropped, kept);
    return out;
  }

  static std::set<Pair> moved(const std::set<Pair>& distinct, int kept, int dropped) {
    std::set<Pair> out;
    for (const auto& [a, b] : distinct) {
      const Pair pair = pair_of(a == dropped ? kept : a, b == dropped ? kept : b);
      if (pair.first != pair.second) out.insert(pair);
    }
    return out;
  }

  /// Adds the case that all items differ, if possible.
  void add_shape(const Nest& nest) {
    std::vector<Term> conditions;
    for (const Term& condition : nest.conditions) settle(condition, conditions);
    drop_implied_degrees(conditions);
    Shape shape;
    shape.size = nest.items.size();
    shape.weight = nest.weight;
    names_.assign(static_cast<std::size_t>(item_count_), 0);
    for (std::size_t at = 0; at < nest.items.size(); ++at)
      names_[static_cast<std::size_t>(nest.items[at])] = static_cast<int>(at);
    for (const Term& condition : conditions) {
      if (condition.is(TermKind::No) || !add_adjacency(condition, shape)) return;
    }
    std::array<std::set<std::string>, kMostItems> colors;
    for (std::size_t at = 0; at < shape.size; ++at) {
      if (given_.contains(nest.items[at])) colors[at].insert(std::to_string(nest.items[at]));
    }
    for (const Term& condition : conditions) add_condition(condition, shape, colors);
    for (std::size_t at = 0; at < shape.size; ++at) {
      for (const std::string& color : colors[at]) shape.colors[at] += color + ";";
    }
    if (compares(nest.value)) return fail("the order decides a number that is more than added up");
    shape.others.push_back(Term::of(TermKind::Not, {nest.value}));
    for (Term& other : shape.others) other = placed(other);
    if (out_.size() == kMostShapes) return fail("too many vertices may be the same");
    out_.push_back(std::move(shape));
  }

  int place(int item) const { return names_[static_cast<std::size_t>(item)]; }

  /// `term` with items replaced by their places; bound items have numbers beyond those.
  Term placed(const Term& term) const {
    Term out = term;
    const auto move = [this](int item, const std::vector<int>& bound) {
      return std::find(bound.begin(), bound.end(), item) != bound.end() ? static_cast<int>(kMostItems) + item
                                                                        : place(item);
    };
    std::vector<int> bound;
    const auto walk = [&](Term& part, const auto& self) -> void {
      const std::size_t outer = bound.size();
      bound.insert(bound.end(), part.items.begin(), part.items.end());
      for (int& item : part.items) item += static_cast<int>(kMostItems);
      if (part.is(TermKind::Item)) part.item = move(part.item, bound);
      for (Term& inner : part.parts) self(inner, self);
      bound.resize(outer);
    };
    walk(out, walk);
    return out;
  }

  /// Adds a condition about the adjacency of two items. False: it contradicts another one.
  bool add_adjacency(const Term& condition, Shape& shape) const {
    const bool negated = condition.is(TermKind::Not);
    const Term& relation = negated ? condition.parts[0] : condition;
    if (!is_any_edge(relation)) return true;
    const std::size_t a = static_cast<std::size_t>(place(relation.parts[0].item));
    const std::size_t b = static_cast<std::size_t>(place(relation.parts[1].item));
    const std::int8_t value = negated ? -1 : 1;
    if (shape.adjacent[a][b] == -value) return false;
    shape.adjacent[a][b] = shape.adjacent[b][a] = value;
    return true;
  }

  void add_condition(const Term& condition, Shape& shape, std::array<std::set<std::string>, kMostItems>& colors) {
    const Term& relation = condition.is(TermKind::Not) ? condition.parts[0] : condition;
    if (is_any_edge(relation)) return;
    if (compares(condition)) {
      if (!only_compares(condition)) return fail("a condition is about the order and about something else");
      shape.order.push_back(placed(condition));
      return;
    }
    std::set<int> items = free_items(condition);
    if (items.size() != 1) {
      shape.others.push_back(condition);
      return;
    }
    const std::size_t at = static_cast<std::size_t>(place(*items.begin()));
    std::vector<int> names(static_cast<std::size_t>(item_count_), 0);
    colors[at].insert(text_of(condition, names));
  }

  static std::set<int> free_items(const Term& term) {
    std::set<int> items;
    collect_items(term, items);
    const auto unbind = [&](const Term& part, const auto& self) -> void {
      for (int item : part.items) items.erase(item);
      for (const Term& inner : part.parts) self(inner, self);
    };
    unbind(term, unbind);
    return items;
  }

  int item_count_;
  std::size_t fixed_;
  std::vector<Shape>& out_;
  std::string& problem_;
  std::set<int> given_;
  std::vector<int> names_;  ///< The place of each item in the shape.
};

/// Finds the mappings from the items of one shape to those of another that keep all conditions except the order.
class Isomorphisms {
 public:
  Isomorphisms(const Shape& from, const Shape& to, int item_count)
      : from_(from), to_(to), names_(static_cast<std::size_t>(item_count) + kMostItems, 0) {}

  std::vector<Permutation> find() {
    if (from_.size != to_.size) return {};
    std::iota(names_.begin(), names_.begin() + kMostItems, 0);
    wanted_ = texts(to_);
    place(0);
    return std::move(found_);
  }

 private:
  std::vector<std::string> texts(const Shape& shape) const {
    std::vector<std::string> all;
    for (const Term& other : shape.others) all.push_back(text_of(other, names_));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void place(std::size_t at) {
    if (at == from_.size) {
      for (std::size_t i = 0; i < at; ++i) names_[i] = sigma_[i];
      if (texts(from_) == wanted_) found_.push_back(sigma_);
      return;
    }
    for (std::size_t to = 0; to < to_.size; ++to) {
      if (used_[to] || from_.colors[at] != to_.colors[to]) continue;
      bool fits = true;
      for (std::size_t i = 0; i < at && fits; ++i) fits = from_.adjacent[at][i] == to_.adjacent[to][sigma_[i]];
      if (!fits) continue;
      used_[to] = true;
      sigma_[at] = static_cast<std::uint8_t>(to);
      place(at + 1);
      used_[to] = false;
    }
  }

  const Shape& from_;
  const Shape& to_;
  std::vector<int> names_;
  std::vector<std::string> wanted_;
  Permutation sigma_{};
  std::array<bool, kMostItems> used_{};
  std::vector<Permutation> found_;
};

/// A shape, and the mappings of its items to those of the first shape of its class.
struct Member {
  const Shape* shape;
  std::vector<Permutation> ways;
};

std::size_t number_of(const Permutation& rank, std::size_t size) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t smaller = 0;
    for (std::size_t j = i + 1; j < size; ++j) smaller += rank[j] < rank[i];
    number = number * (size - i) + smaller;
  }
  return number;
}

/// True if shapes that differ only in their order conditions together count the same in every order of the vertices.
bool same_in_every_order(const std::vector<Member>& members) {
  const bool ordered =
      std::any_of(members.begin(), members.end(), [](const Member& m) { return !m.shape->order.empty(); });
  if (!ordered) return true;
  const std::size_t size = members[0].shape->size;
  Permutation rank{};
  std::iota(rank.begin(), rank.begin() + static_cast<std::ptrdiff_t>(size), std::uint8_t{0});
  std::size_t orders = 1;
  for (std::size_t i = 2; i <= size; ++i) orders *= i;
  std::vector<bool> tried(orders, false);
  __int128 first = -1;
  bool is_first = true;
  do {
    if (tried[number_of(rank, size)]) continue;
    __int128 count = 0;
    for (const Member& member : members) {
      for (const Permutation& way : member.ways) {
        const auto rank_of = [&](int item) { return rank[way[static_cast<std::size_t>(item)]]; };
        const auto met = [&](const Term& condition) { return holds(condition, rank_of); };
        if (std::all_of(member.shape->order.begin(), member.shape->order.end(), met)) count += member.shape->weight;
      }
    }
    // An automorphism of the class only permutes the mappings.
    for (const Permutation& way : members[0].ways) {
      Permutation swapped{};
      for (std::size_t i = 0; i < size; ++i) swapped[i] = rank[way[i]];
      tried[number_of(swapped, size)] = true;
    }
    if (!is_first && count != first) return false;
    first = count;
    is_first = false;
  } while (std::next_permutation(rank.begin(), rank.begin() + static_cast<std::ptrdiff_t>(size)));
  return true;
}

/// Empty if the nests together have the same value in every order of the vertices, for all values of their first
/// `fixed` items; else the reason why that is unknown.
std::string problem_of(const std::vector<Nest>& nests, int item_count, std::size_t fixed = 0) {
  std::vector<Shape> shapes;
  std::string problem;
  for (const Nest& nest : nests) Splitter(item_count, fixed, shapes, problem).split(nest);
  if (!problem.empty()) return problem;
  std::vector<std::vector<Member>> classes;
  for (const Shape& shape : shapes) {
    bool placed = false;
    for (std::vector<Member>& members : classes) {
      std::vector<Permutation> ways = Isomorphisms(shape, *members[0].shape, item_count).find();
      if (ways.empty()) continue;
      members.push_back(Member{&shape, std::move(ways)});
      placed = true;
      break;
    }
    if (!placed) classes.push_back({Member{&shape, Isomorphisms(shape, shape, item_count).find()}});
  }
  for (const std::vector<Member>& members : classes) {
    if (!same_in_every_order(members)) return "which matches are counted depends on the order of the ids";
  }
  return {};
}

void collect_bound(const Term& term, std::set<int>& out) {
  out.insert(term.items.begin(), term.items.end());
  for (const Term& part : term.parts) collect_bound(part, out);
}

/// Finds the sums inside `term` that do not depend on the order of the vertices, innermost first.
void find_free_sums(Term& term, int item_count) {
  for (Term& part : term.parts) find_free_sums(part, item_count);
  if (!term.is(TermKind::Fold) || !compares(term)) return;
  std::set<int> items, bound;
  collect_items(term, items);
  collect_bound(term, bound);
  std::vector<int> given;
  std::set_difference(items.begin(), items.end(), bound.begin(), bound.end(), std::back_inserter(given));
  std::vector<Nest> nests;
  for (const Term& part : term.parts) {
    Nest& nest = nests.emplace_back();
    nest.items = given;
    nest.items.insert(nest.items.end(), part.items.begin(), part.items.end());
    nest.conditions.assign(part.parts.begin(), part.parts.end() - 1);
    nest.value = part.parts.back();
  }
  term.is_free = problem_of(nests, item_count, given.size()).empty();
}

void find_free_sums(std::vector<Nest>& nests, int item_count) {
  for (Nest& nest : nests) {
    for (Term& condition : nest.conditions) find_free_sums(condition, item_count);
    find_free_sums(nest.value, item_count);
  }
}

/// The number of conditions by which items of inner loops come before those of outer ones, minus the number of the
/// others.
int steps_down(const Term& term) {
  int steps = 0;
  // Items are numbered as loops begin.
  if (term.is(TermKind::Before) && term.word.empty()) steps = term.parts[0].item > term.parts[1].item ? 1 : -1;
  for (const Term& part : term.parts) steps += steps_down(part);
  return steps;
}

/// Whether a term reads the result of a sink (ir/analysis/nest_values.cpp).
bool reads_result(const Term& term, const std::string& word) {
  return (term.is(TermKind::Constant) && term.word == word) ||
         std::ranges::any_of(term.parts, [&](const Term& part) { return reads_result(part, word); });
}

/// Results that are sums of sinks, of which single ones depend on the order.
class Combinations {
 public:
  /// `dependent`: the numbers of the sinks that may depend on the order.
  Combinations(const Module& module, const ModuleNests& read, const std::set<std::size_t>& dependent)
      : facts_(module), read_(read) {
    for (const std::size_t at : dependent) dependent_.emplace(read.sinks[at].var, at);
  }

  /// True if no result depends on the order, nor another sink on one of those.
  bool are_free(const Module& module) {
    for (const auto& [var, at] : dependent_) {
      const std::string word = result_word(*var);
      const auto reads = [&](const Nest& nest) {
        return reads_result(nest.value, word) ||
               std::ranges::any_of(nest.conditions, [&](const Term& term) { return reads_result(term, word); });
      };
      const auto any_reads = [&](const SinkNests& sink) {
        return std::ranges::any_of(sink.nests, reads) || std::ranges::any_of(sink.expanded, reads);
      };
      if (std::ranges::any_of(read_.sinks, any_reads)) return false;
    }
    const Stmt* const last = module.body->body.back();
    const Return* const results = last->kind == Kind::Return ? static_cast<const Return*>(last) : nullptr;
    return results != nullptr &&
           std::ranges::all_of(results->values, [&](const Expr* value) { return is_free(value); });
  }

 private:
  /// The factors of sinks in a sum of them and of numbers that do not depend on the order.
  using Factors = std::map<std::size_t, std::int64_t>;

  bool is_free(const Expr* value) {
    const std::optional<Factors> factors = factors_of(value);
    return factors && (factors->empty() || is_free(*factors));
  }

  bool is_free(const Factors& factors) const {
    std::vector<Nest> nests;
    std::set<std::string> orders;
    for (const auto& [at, factor] : factors) {
      if (read_.sinks[at].expanded.empty()) return false;
      for (const Nest& nest : read_.sinks[at].expanded) {
        for (const Term& condition : nest.conditions) add_orders(condition, orders);
        add_orders(nest.value, orders);
        nests.push_back(nest);
        if (__builtin_mul_overflow(nest.weight, factor, &nests.back().weight)) return false;
      }
    }
    return orders.size() < 2 && problem_of(nests, read_.item_count).empty();
  }

  static std::int64_t constant(const Expr* value) {
    if (value->kind == Kind::Convert) return constant(value->operands[0]);
    return value->kind == Kind::ConstInt ? as<ConstInt>(value)->value : 0;
  }

  /// Nothing: a number depends on the order in another way.
  std::optional<Factors> factors_of(const Expr* value) {
    value = resolve(facts_, value);
    if (value->kind == Kind::Var) {
      const auto found = dependent_.find(static_cast<const Var*>(value));
      return found == dependent_.end() ? Factors{} : Factors{{found->second, 1}};
    }
    const bool is_int = !value->type->is_scalar(ScalarKind::F64);
    const bool is_sum = value->kind == Kind::Add || value->kind == Kind::Sub;
    if (is_int && is_sum)
      return sum(factors_of(value->operands[0]), factors_of(value->operands[1]), value->kind == Kind::Add ? 1 : -1);
    if (is_int && (value->kind == Kind::Convert || value->kind == Kind::Neg))
      return sum(Factors{}, factors_of(value->operands[0]), value->kind == Kind::Neg ? -1 : 1);
    if (is_int && value->kind == Kind::Mul) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        if (const std::int64_t factor = constant(value->operands[at]); factor != 0)
          return sum(Factors{}, factors_of(value->operands[1 - at]), factor);
      }
    }
    const bool all = std::ranges::all_of(value->operands, [&](const Expr* operand) { return is_free(operand); });
    return all ? std::optional<Factors>(Factors{}) : std::nullopt;
  }

  static std::optional<Factors> sum(std::optional<Factors> a, const std::optional<Factors>& b, std::int64_t times) {
    if (!a || !b) return std::nullopt;
    for (const auto& [at, factor] : *b) {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(factor, times, &product)) return std::nullopt;
      if (__builtin_add_overflow((*a)[at], product, &(*a)[at])) return std::nullopt;
    }
    return a;
  }

  Facts facts_;
  const ModuleNests& read_;
  std::map<const Var*, std::size_t> dependent_;
};

}  // namespace

VertexOrder vertex_order(const Module& module, const std::vector<std::string>* maybe_labels) {
  return vertex_order(module, read_nests(module, maybe_labels));
}

VertexOrder vertex_order(const Module& module, ModuleNests read) {
  VertexOrder found;
  found.why_not = read.problem;
  found.loc = read.loc;
  if (!read.problem.empty()) return found;
  int down = 0;
  for (const SinkNests& sink : read.sinks) {
    for (const Nest& nest : sink.nests) {
      const bool inside = compares_ids(nest.value);
      const bool ordered = std::ranges::any_of(nest.conditions, compares_ids);
      found.is_used = found.is_used || inside || ordered;
      found.is_deep = found.is_deep || inside || (ordered && nest.items.size() > 2);
      for (const Term& condition : nest.conditions) down += steps_down(condition);
      down += steps_down(nest.value);
    }
  }
  found.walks_down = down > 0;
  std::set<std::size_t> dependent;
  for (std::size_t at = 0; at < read.sinks.size(); ++at) {
    SinkNests& sink = read.sinks[at];
    find_free_sums(sink.nests, read.item_count);
    find_free_sums(sink.expanded, read.item_count);
    std::string problem = problem_of(sink.nests, read.item_count);
    if (!problem.empty() && !sink.expanded.empty() && problem_of(sink.expanded, read.item_count).empty())
      problem.clear();
    if (problem.empty()) continue;
    if (dependent.empty()) {
      found.why_not = std::move(problem);
      found.loc = sink.loc;
    }
    dependent.insert(at);
  }
  if (!dependent.empty() && !Combinations(module, read, dependent).are_free(module)) return found;
  found.why_not.clear();
  found.loc = {};
  found.is_free = true;
  return found;
}

}  // namespace matcha::ir
