#include "incremental/delta_nests.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "ir/analysis/nests.h"
#include "ir/analysis/vertex_order.h"
#include "question/symmetry.h"

namespace matcha::session::stream {

namespace {

using ir::Nest;
using ir::Term;
using pattern::Pattern;
using Kind = ir::Term::Kind;

constexpr std::size_t kMostItems = 8;
constexpr std::int64_t kOrders = 40320;  ///< The number of orders of 8 vertices.
/// Renamed items temporarily get numbers from here on, so that none is renamed twice.
constexpr int kAside = 1 << 20;

class Reader {
 public:
  Reader(const LiteralOf& literal_of, std::string& why) : literal_of_(literal_of), why_(why) {}

  void read(const Nest& nest) {
    if (nest.items.size() > kMostItems) return fail("a nest has more than 8 vertices");
    classes_.assign(nest.items.size(), 0);
    split(nest, 0, 0);
  }

  std::vector<WeightedPattern> take() {
    std::vector<WeightedPattern> result;
    for (auto& [key, found] : found_) {
      if (found.factor != 0) result.push_back(std::move(found));
    }
    return result;
  }
  bool compares() const { return compares_; }
  bool failed() const { return !why_.empty(); }

 private:
  void fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  /// Enumerates all partitions of the items into equal vertices.
  void split(const Nest& nest, std::size_t next, int count) {
    if (failed()) return;
    if (next == nest.items.size()) return add(nest, count);
    for (int to = 0; to <= count; ++to) {
      classes_[next] = to;
      split(nest, next + 1, std::max(count, to + 1));
    }
  }

  /// Items of a class are one vertex, and different classes are different vertices.
  void add(const Nest& nest, int count) {
    std::vector<Term> conditions;
    for (const Term& condition : nest.conditions) ir::settle(placed(condition, nest), conditions);
    if (std::ranges::any_of(conditions, [](const Term& condition) { return condition.is(Kind::No); })) return;
    Pattern pattern = Pattern::empty(count);
    std::vector<Term> order;
    for (const Term& condition : conditions) {
      if (!take(condition, pattern, order)) return;
    }
    __int128 factor = nest.weight;
    if (!nest.value.is(Kind::Constant) || nest.value.word != "1") {
      return fail("the sum is more than a number of matches");
    }
    factor *= share_of_orders(order, count);
    if (factor == 0) return;
    for (int v = 0; v < count; ++v) {
      if ((pattern.near(v) & pattern.anti[pattern::at(v)]) != 0) return;
    }
    WeightedPattern& found = found_[pattern::canonical_key(pattern)];
    if (found.factor == 0) found.pattern = std::move(pattern);
    found.factor += factor;
  }

  Term placed(Term term, const Nest& nest) const {
    for (std::size_t i = 0; i < nest.items.size(); ++i) {
      term = ir::renamed(std::move(term), nest.items[i], kAside + static_cast<int>(i));
    }
    for (std::size_t i = 0; i < nest.items.size(); ++i) {
      term = ir::renamed(std::move(term), kAside + static_cast<int>(i), classes_[i]);
    }
    return term;
  }

  /// Adds a condition to the pattern. False: it contradicts another, or patterns cannot express it.
  bool take(const Term& condition, Pattern& pattern, std::vector<Term>& order) {
    const bool negated = condition.is(Kind::Not);
    const Term& inner = negated ? condition.parts[0] : condition;
    if (inner.is(Kind::Adjacent)) {
      const int a = inner.parts[0].item, b = inner.parts[1].item;
      if (negated && !inner.word.empty()) {
        fail("vertices must not be joined by an edge of a label");
        return false;
      }
      if (!negated) pattern.add_edge(a, b);
      if (!inner.word.empty()) {
        pattern.add_edge_label(a, b, inner.word);
        pattern.add_edge_label(b, a, inner.word);
      }
      if (negated) {
        pattern.anti[pattern::at(a)] |= pattern::bit(b);
        pattern.anti[pattern::at(b)] |= pattern::bit(a);
      }
      return true;
    }
    if (ir::only_compares(condition)) {
      compares_ = true;
      order.push_back(condition);
      return true;
    }
    if (!negated && take_label(inner, pattern)) return true;
    if (!contradicts_) fail("a condition is neither about neighbours nor that a vertex has a label");
    contradicts_ = false;
    return false;
  }

  bool take_label(const Term& condition, Pattern& pattern) {
    if (!condition.is(Kind::Operation) || condition.word != "==" || condition.parts.size() != 2) return false;
    const auto is_label = [](const Term& term) {
      return term.is(Kind::Operation) && term.word == "label" && term.parts.size() == 1 && term.parts[0].is(Kind::Item);
    };
    const std::size_t at_label = is_label(condition.parts[0]) ? 0 : 1;
    const Term& label = condition.parts[at_label];
    const Term& constant = condition.parts[1 - at_label];
    if (!is_label(label) || !constant.is(Kind::Constant)) return false;
    const std::optional<std::string> literal = literal_of_(constant.word);
    if (!literal) return false;
    std::string& known = pattern.labels[pattern::at(label.parts[0].item)];
    contradicts_ = !known.empty() && known != *literal;
    known = *literal;
    return !contradicts_;
  }

  /// The number of orders of 8 vertices, on average, that satisfy the conditions.
  static std::int64_t share_of_orders(const std::vector<Term>& order, int count) {
    if (order.empty()) return kOrders;
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    const auto rank_of = [&](int item) { return ranks[static_cast<std::size_t>(item)]; };
    std::int64_t admitted = 0, all = 0;
    do {
      ++all;
      if (std::ranges::all_of(order, [&](const Term& term) { return ir::holds(term, rank_of); })) ++admitted;
    } while (std::next_permutation(ranks.begin(), ranks.end()));
    return admitted * (kOrders / all);
  }

  const LiteralOf& literal_of_;
  std::string& why_;
  std::vector<int> classes_;
  bool compares_ = false, contradicts_ = false;
  std::map<std::string, WeightedPattern> found_;
};

/// The only sink, which the module returns unchanged; null if there is none.
const ir::Sink* returned_sum(const ir::Module& module) {
  const ir::Sink* sum = nullptr;
  const ir::Expr* value = nullptr;
  for (const ir::Stmt* stmt : module.body->body) {
    if (stmt->kind == ir::Kind::Collect) {
      const auto& collect = *static_cast<const ir::Collect*>(stmt);
      if (sum != nullptr || collect.sinks.size() != 1) return nullptr;
      sum = &collect.sinks[0];
    } else if (stmt->kind == ir::Kind::Return) {
      const auto& results = *static_cast<const ir::Return*>(stmt);
      value = results.values.size() == 1 ? results.values[0] : nullptr;
    } else {
      return nullptr;
    }
  }
  return sum != nullptr && value == sum->var && sum->kind == ir::SinkKind::Sum ? sum : nullptr;
}

}  // namespace

std::optional<std::vector<WeightedPattern>> patterns_of(const ir::Module& module, const LiteralOf& literal_of,
                                                        const std::vector<std::string>* maybe_edge_labels,
                                                        std::string& why) {
  why.clear();
  std::vector<std::string> labels(1);
  if (maybe_edge_labels != nullptr) labels.insert(labels.end(), maybe_edge_labels->begin(), maybe_edge_labels->end());
  const std::vector<std::string>* const maybe_labels = maybe_edge_labels == nullptr ? nullptr : &labels;
  if (module.params.size() != labels.size()) {
    why = "the program has other parameters than a graph";
    return std::nullopt;
  }
  if (returned_sum(module) == nullptr) {
    why = "the result is not one sum";
    return std::nullopt;
  }
  const ir::ModuleNests nests = ir::read_nests(module, maybe_labels);
  why = nests.problem;
  if (why.empty() && (nests.sinks.size() != 1 || nests.sinks[0].expanded.empty())) {
    why = "the sum is not a number of matches";
  }
  if (!why.empty()) return std::nullopt;
  Reader reader(literal_of, why);
  for (const Nest& nest : nests.sinks[0].expanded) reader.read(nest);
  if (why.empty() && reader.compares()) {
    const ir::VertexOrder order = ir::vertex_order(module, maybe_labels);
    if (!order.is_free) why = "the result may depend on the order of the vertices: " + order.why_not;
  }
  if (!why.empty()) return std::nullopt;
  return reader.take();
}

}  // namespace matcha::session::stream
