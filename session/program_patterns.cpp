#include "session/program_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "ir/analysis/nests.h"
#include "ir/analysis/vertex_order.h"
#include "ir/match.h"
#include "question/symmetry.h"

namespace matcha::session {

namespace {

using ir::Nest;
using ir::Term;
using pattern::Pattern;
using TermKind = ir::Term::Kind;

constexpr std::size_t kMostItems = 8;
/// Of one question: a vertex is no pattern with edges, and each of many patterns needs a plan.
constexpr int kLeastVertices = 2;
constexpr std::size_t kMostPatterns = 64;
/// Of the conditions of a nest.
constexpr int kMostCases = 64;
constexpr std::int64_t kOrders = 40320;  ///< The number of orders of 8 vertices.
/// Vertices of a pattern as items: above all items of a nest, and of those that its terms bind.
constexpr int kFirstVertex = 1 << 20;

int vertex_of(const Term& term) { return term.item - kFirstVertex; }

class NestReader {
 public:
  NestReader(const LiteralOf& literal_of, bool has_arcs, std::string& why)
      : literal_of_(literal_of), has_arcs_(has_arcs), why_(why) {}

  void read(const Nest& nest) {
    if (nest.items.size() > kMostItems) return fail("a nest has more than 8 vertices");
    classes_.assign(nest.items.size(), 0);
    differ_.assign(nest.items.size(), 0);
    for (std::size_t a = 0; a < nest.items.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (ir::must_differ(nest.conditions, nest.items[a], nest.items[b]))
          differ_[a] |= pattern::bit(static_cast<int>(b));
      }
    }
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
      bool fits = true;
      for (std::size_t other = 0; other < next; ++other) {
        const bool is_same = classes_[other] == to;
        fits = fits && !(is_same && (differ_[next] & pattern::bit(static_cast<int>(other))) != 0);
      }
      if (!fits) continue;
      classes_[next] = to;
      split(nest, next + 1, std::max(count, to + 1));
    }
  }

  /// Items of a class are one vertex, and different classes are different vertices.
  void add(const Nest& nest, int count) {
    std::vector<Term> conditions;
    for (const Term& condition : nest.conditions) ir::settle(placed(condition, nest), conditions);
    int cases = 0;
    for_each_case(std::move(conditions), {}, 1, cases,
                  [&](const std::vector<Term>& all, int sign) { add_case(nest, count, all, sign); });
  }

  /// Calls `use` with conjunctions of conditions and signs: in all, a map that meets `open` and `kept` is counted once.
  /// One that meets a or b is counted with a, with b, and taken off with both; one that does not meet a is counted, and
  /// taken off with a, where patterns can only say a.
  template <typename Use>
  void for_each_case(std::vector<Term> open, std::vector<Term> kept, int sign, int& cases, const Use& use) {
    if (++cases > kMostCases) return fail("its conditions are too many alternatives");
    while (!open.empty()) {
      Term next = std::move(open.back());
      open.pop_back();
      if (next.is(TermKind::Yes)) continue;
      if (next.is(TermKind::Operation) && next.word == "!=") {
        next.word = "==";
        next = Term::of(TermKind::Not, {Term(next)});
      }
      if (next.is(TermKind::No) || failed()) return;
      if (next.is(TermKind::And)) {
        open.insert(open.end(), next.parts.begin(), next.parts.end());
      } else if (next.is(TermKind::Or) && !ir::only_compares(next)) {
        std::vector<Term> rest = open;
        rest.push_back(std::move(next.parts.back()));
        next.parts.pop_back();
        const Term others = next.parts.size() == 1 ? next.parts[0] : next;
        std::vector<Term> both = rest;
        both.push_back(others);
        for_each_case(std::move(rest), kept, sign, cases, use);
        for_each_case(std::move(both), kept, -sign, cases, use);
        open.push_back(others);
      } else if (next.is(TermKind::Not) && is_only_positive(next.parts[0])) {
        std::vector<Term> with = open;
        with.push_back(next.parts[0]);
        for_each_case(std::move(with), kept, -sign, cases, use);
      } else {
        kept.push_back(std::move(next));
      }
    }
    std::ranges::reverse(kept);
    use(kept, sign);
  }

  /// Whether patterns can have the condition, but not that it is false.
  static bool is_only_positive(const Term& condition) {
    return condition.is(TermKind::Operation) || (condition.is(TermKind::Adjacent) && !condition.word.empty());
  }

  void add_case(const Nest& nest, int count, std::vector<Term> conditions, int sign) {
    ir::drop_implied_degrees(conditions);
    Pattern pattern = Pattern::empty(count);
    pattern.directed = has_arcs_;
    std::vector<Term> order;
    for (const Term& condition : conditions) {
      if (!ir::is_least_degree(condition) && !take(condition, pattern, order)) return;
    }
    __int128 factor = __int128{nest.weight} * sign;
    if (!nest.value.is(TermKind::Constant) || nest.value.word != "1") {
      return fail("the sum is more than a number of matches");
    }
    factor *= share_of_orders(order, count);
    if (factor == 0) return;
    for (int v = 0; v < count; ++v) {
      if ((pattern.near(v) & pattern.anti[pattern::at(v)]) != 0) return;
    }
    if (std::ranges::any_of(conditions, ir::is_least_degree)) {
      return fail("vertices must have more neighbours than those of the pattern");
    }
    WeightedPattern& found = found_[pattern::canonical_key(pattern)];
    if (found.factor == 0) found.pattern = std::move(pattern);
    found.factor += factor;
  }

  Term placed(Term term, const Nest& nest) const {
    for (std::size_t i = 0; i < nest.items.size(); ++i) {
      term = ir::renamed(std::move(term), nest.items[i], kFirstVertex + classes_[i]);
    }
    return term;
  }

  /// Adds a condition to the pattern. False: it contradicts another, or patterns cannot express it.
  bool take(const Term& condition, Pattern& pattern, std::vector<Term>& order) {
    const bool negated = condition.is(TermKind::Not);
    const Term& inner = negated ? condition.parts[0] : condition;
    if (inner.is(TermKind::Adjacent)) {
      const int a = vertex_of(inner.parts[0]), b = vertex_of(inner.parts[1]);
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
    if (!negated && ir::is_arc(inner)) {
      pattern.add_arc(vertex_of(inner.parts[0]), vertex_of(inner.parts[1]));
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
    if (!condition.is(TermKind::Operation) || condition.word != "==" || condition.parts.size() != 2) return false;
    const auto is_label = [](const Term& term) {
      return term.is(TermKind::Operation) && term.word == "label" && term.parts.size() == 1 &&
             term.parts[0].is(TermKind::Item);
    };
    const std::size_t at_label = is_label(condition.parts[0]) ? 0 : 1;
    const Term& label = condition.parts[at_label];
    const Term& constant = condition.parts[1 - at_label];
    if (!is_label(label) || !constant.is(TermKind::Constant)) return false;
    const std::optional<std::string> literal = literal_of_(constant.word);
    if (!literal) return false;
    std::string& known = pattern.labels[pattern::at(vertex_of(label.parts[0]))];
    if (known.empty()) known = *literal;
    if (known == *literal) return true;
    // A graph decides which number a word is.
    contradicts_ = known.starts_with('\'') == literal->starts_with('\'');
    if (!contradicts_) fail("a vertex must have a word and a number as its label");
    return false;
  }

  /// The number of orders of 8 vertices, on average, that satisfy the conditions.
  static std::int64_t share_of_orders(const std::vector<Term>& order, int count) {
    if (order.empty()) return kOrders;
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    const auto rank_of = [&](int item) { return ranks[static_cast<std::size_t>(item - kFirstVertex)]; };
    std::int64_t admitted = 0, all = 0;
    do {
      ++all;
      if (std::ranges::all_of(order, [&](const Term& term) { return ir::holds(term, rank_of); })) ++admitted;
    } while (std::next_permutation(ranks.begin(), ranks.end()));
    return admitted * (kOrders / all);
  }

  const LiteralOf& literal_of_;
  bool has_arcs_;
  std::string& why_;
  std::vector<int> classes_;
  std::vector<pattern::Mask> differ_;  ///< By item, those before it that are other vertices.
  bool compares_ = false, contradicts_ = false;
  std::map<std::string, WeightedPattern> found_;
};

/// A pattern whose pairs are all adjacent or must not be is a vertex-induced one.
CountedPattern counted_pattern(Pattern pattern) {
  CountedPattern counted{std::move(pattern)};
  Pattern& one = counted.pattern;
  if (!one.has_anti_edges()) return counted;
  for (int v = 0; v < one.size(); ++v) {
    if ((one.near(v) | one.anti[pattern::at(v)] | pattern::bit(v)) != one.all()) return counted;
  }
  std::ranges::fill(one.anti, 0);
  counted.induced = pattern::Induced::Vertex;
  return counted;
}

/// How often a subgraph counts; nothing, with the reason, if that is no whole number or no question for an engine.
std::optional<std::int64_t> subgraph_factor(const WeightedPattern& one, std::string& why) {
  if (one.pattern.size() < kLeastVertices || !one.pattern.connected()) {
    why = fmt::format("it counts `{}`, and patterns are connected, of {} vertices and more",
                      pattern::to_text(one.pattern), kLeastVertices);
    return std::nullopt;
  }
  const std::optional<std::uint64_t> maps = pattern::Symmetry(one.pattern).order();
  const __int128 weight = one.factor * static_cast<__int128>(maps.value_or(0));
  const __int128 times = weight / kWholeFactor;
  if (maps && weight % kWholeFactor == 0 && times == static_cast<std::int64_t>(times)) {
    return static_cast<std::int64_t>(times);
  }
  why = "a subgraph counts as no whole number of 64 bits";
  return std::nullopt;
}

/// Whether it is scalar arithmetic of constants and `sums`, parameters among them.
bool is_of_sums(const ir::Expr& value, const std::vector<const ir::Var*>& sums) {
  if (value.kind == ir::Kind::Var) return std::ranges::find(sums, ir::as<ir::Var>(&value)) != sums.end();
  const bool is_constant = value.kind == ir::Kind::ConstInt || value.kind == ir::Kind::ConstFloat;
  const bool is_arithmetic = ir::is_arithmetic(value.kind) || value.kind == ir::Kind::Neg ||
                             value.kind == ir::Kind::Min || value.kind == ir::Kind::Max ||
                             value.kind == ir::Kind::Convert;
  return is_constant || (is_arithmetic && std::ranges::all_of(value.operands, [&](const ir::Expr* operand) {
                           return is_of_sums(*operand, sums);
                         }));
}

/// Whether a step names a list or a table, which the nests of sums are read through.
bool is_list(const ir::Stmt& step) {
  return step.kind == ir::Kind::Let && static_cast<const ir::Let&>(step).var->type->is_list();
}

/// The sums that a module makes, in their order; `counted` gets the arithmetic of them. With the reason in `why` if it
/// does something else.
std::vector<const ir::Var*> read_results(const ir::Module& module, CountedProgram& counted, std::string& why) {
  std::vector<const ir::Var*> sums, known;
  counted.params.assign(module.params.begin(), module.params.end());
  std::ranges::copy_if(counted.params, std::back_inserter(known), [](const ir::Var* param) {
    return param->type->is_scalar(ir::ScalarKind::I64) || param->type->is_scalar(ir::ScalarKind::F64);
  });
  for (const ir::Stmt* stmt : module.body->body) {
    if (stmt->kind == ir::Kind::Collect) {
      for (const ir::Sink& sink : static_cast<const ir::Collect*>(stmt)->sinks) {
        if (sink.kind == ir::SinkKind::List) continue;  // Edges of a graph that is built, or rows of a table.
        if (sink.kind != ir::SinkKind::Sum) why = "a step makes something other than a sum";
        sums.push_back(sink.var);
        known.push_back(sink.var);
      }
    } else if (stmt->kind == ir::Kind::Return) {
      for (const ir::Expr* value : static_cast<const ir::Return*>(stmt)->values) {
        if (!is_of_sums(*value, known)) why = "a result is more than arithmetic of sums";
        counted.results.push_back(value);
      }
    } else if (stmt->kind == ir::Kind::Let && is_of_sums(*static_cast<const ir::Let*>(stmt)->value, known)) {
      counted.steps.push_back(static_cast<const ir::Let*>(stmt));
      known.push_back(counted.steps.back()->var);
    } else if (stmt->kind != ir::Kind::BuildGraph && !is_list(*stmt)) {
      why = "a step makes something other than a sum";
    }
  }
  return sums;
}

/// The patterns of each sum of a module that makes nothing else; with the reason in `why` if there is another number.
std::vector<std::vector<WeightedPattern>> read_sums(const ir::Module& module, const LiteralOf& literal_of,
                                                    const std::vector<std::string>* maybe_labels, bool has_arcs,
                                                    std::string& why) {
  std::vector<std::vector<WeightedPattern>> sums;
  ir::ModuleNests nests = ir::read_nests(module, maybe_labels, has_arcs);
  why = nests.problem;
  bool compares = false;
  for (const ir::SinkNests& sink : nests.sinks) {
    if (why.empty() && sink.expanded.empty()) why = "the sum is not a number of matches";
    NestReader reader(literal_of, has_arcs, why);
    for (const Nest& nest : sink.expanded) reader.read(nest);
    compares = compares || reader.compares();
    sums.push_back(reader.take());
  }
  if (why.empty() && compares) {
    const ir::VertexOrder order = ir::vertex_order(module, std::move(nests));
    if (!order.is_free) why = "the result may depend on the order of the vertices: " + order.why_not;
  }
  return sums;
}

/// The patterns of a program, each once, and its sums.
class PatternTable {
 public:
  explicit PatternTable(CountedProgram& program) : program_(program) {}

  /// Gives the reason in `why` if it is no sum of whole counts.
  void add(const ir::Expr* value, const std::vector<WeightedPattern>& weighted, std::string& why) {
    CountedSum sum{value, {}};
    if (std::ranges::any_of(program_.sums, [&](const CountedSum& other) { return other.value == value; })) return;
    for (const WeightedPattern& one : weighted) {
      const std::optional<std::int64_t> times = subgraph_factor(one, why);
      if (!times) return;
      const auto place = known_.emplace(pattern::canonical_key(one.pattern), program_.patterns.size());
      if (place.second) program_.patterns.push_back(counted_pattern(one.pattern));
      sum.terms.push_back({place.first->second, *times});
    }
    program_.sums.push_back(std::move(sum));
  }
  void clear() {
    known_.clear();
    program_.patterns.clear();
    program_.sums.clear();
  }

 private:
  CountedProgram& program_;
  std::map<std::string, std::size_t> known_;
};

/// Results as sums of weighted patterns, of which each may lack a whole number of another.
class Combinations {
 public:
  Combinations(const std::vector<const ir::Var*>& sums, const std::vector<std::vector<WeightedPattern>>& found,
               const std::vector<const ir::Let*>& steps)
      : found_(found) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums_.emplace(sums[i], i);
    for (const ir::Let* step : steps) steps_.emplace(step->var, step->value);
  }

  /// Nothing: it is something else than such a sum.
  std::optional<std::vector<WeightedPattern>> of(const ir::Expr& result) const {
    std::map<std::string, WeightedPattern> all;
    if (!add(result, 1, all)) return std::nullopt;
    std::vector<WeightedPattern> patterns;
    for (auto& [key, one] : all) {
      if (one.factor != 0) patterns.push_back(std::move(one));
    }
    return patterns;
  }

 private:
  static std::int64_t constant(const ir::Expr& value) {
    if (value.kind == ir::Kind::Convert) return constant(*value.operands[0]);
    return value.kind == ir::Kind::ConstInt ? ir::as<ir::ConstInt>(&value)->value : 0;
  }

  bool add(const ir::Expr& value, std::int64_t times, std::map<std::string, WeightedPattern>& all) const {
    if (const auto step = steps_.find(&value); step != steps_.end()) return add(*step->second, times, all);
    if (value.type->is_scalar(ir::ScalarKind::F64)) return false;
    switch (value.kind) {
      case ir::Kind::Var: return sums_.contains(&value) && add_sum(sums_.at(&value), times, all);
      case ir::Kind::Convert: return add(*value.operands[0], times, all);
      case ir::Kind::Add: return add(*value.operands[0], times, all) && add(*value.operands[1], times, all);
      case ir::Kind::Sub:
        return times != INT64_MIN && add(*value.operands[0], times, all) && add(*value.operands[1], -times, all);
      case ir::Kind::Mul: {
        const std::size_t at = constant(*value.operands[0]) != 0 ? 0 : 1;
        std::int64_t product = 0;
        if (__builtin_mul_overflow(constant(*value.operands[at]), times, &product) || product == 0) return false;
        return add(*value.operands[1 - at], product, all);
      }
      case ir::Kind::Div: return add_quotient(value, times, all);
      default: return false;
    }
  }

  /// The quotient is whole if that of each subgraph is.
  bool add_quotient(const ir::Expr& value, std::int64_t times, std::map<std::string, WeightedPattern>& all) const {
    const std::int64_t divisor = constant(*value.operands[1]);
    std::map<std::string, WeightedPattern> whole;
    if (divisor <= 0 || !add(*value.operands[0], 1, whole)) return false;
    std::string problem;
    for (auto& [key, one] : whole) {
      const bool is_even = one.factor % divisor == 0;
      one.factor /= divisor;
      if (!is_even || (one.factor != 0 && !subgraph_factor(one, problem)) || !add_weighted(one, times, all))
        return false;
    }
    return true;
  }

  bool add_sum(std::size_t at, std::int64_t times, std::map<std::string, WeightedPattern>& all) const {
    return std::ranges::all_of(found_[at], [&](const WeightedPattern& one) { return add_weighted(one, times, all); });
  }

  static bool add_weighted(const WeightedPattern& one, std::int64_t times,
                           std::map<std::string, WeightedPattern>& all) {
    const auto place = all.emplace(pattern::canonical_key(one.pattern), WeightedPattern{one.pattern, 0}).first;
    __int128 part = 0;
    return !__builtin_mul_overflow(one.factor, __int128{times}, &part) &&
           !__builtin_add_overflow(place->second.factor, part, &place->second.factor);
  }

  const std::vector<std::vector<WeightedPattern>>& found_;
  std::map<const ir::Expr*, std::size_t> sums_;
  std::map<const ir::Expr*, const ir::Expr*> steps_;
};

/// Makes each result one sum, in which patterns of several sums may cancel; false if one is no such sum.
bool add_results(const Combinations& combinations, CountedProgram& counted, PatternTable& patterns) {
  for (const ir::Expr* result : counted.results) {
    const std::optional<std::vector<WeightedPattern>> all = combinations.of(*result);
    std::string problem;
    if (all) patterns.add(result, *all, problem);
    if (!all || !problem.empty()) return false;
  }
  counted.steps.clear();
  return true;
}

/// The only sink, which the module returns unchanged; null if there is none.
const ir::Sink* returned_sum(const ir::Module& module) {
  const ir::Sink* sum = nullptr;
  const ir::Expr* value = nullptr;
  for (const ir::Stmt* stmt : module.body->body) {
    if (stmt->kind == ir::Kind::Collect) {
      const auto& collect = *static_cast<const ir::Collect*>(stmt);
      if (collect.sinks.size() == 1 && collect.sinks[0].kind == ir::SinkKind::List) continue;
      if (sum != nullptr || collect.sinks.size() != 1) return nullptr;
      sum = &collect.sinks[0];
    } else if (stmt->kind == ir::Kind::Return) {
      const auto& results = *static_cast<const ir::Return*>(stmt);
      value = results.values.size() == 1 ? results.values[0] : nullptr;
    } else if (stmt->kind != ir::Kind::BuildGraph && !is_list(*stmt)) {
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
  std::vector<std::vector<WeightedPattern>> sums = read_sums(module, literal_of, maybe_labels, false, why);
  if (!why.empty()) return std::nullopt;
  return std::move(sums.front());
}

std::optional<CountedProgram> counted_program(std::shared_ptr<ProgramNests> program, std::string& why) {
  const ir::Module* const module = program->maybe_module();
  if (module == nullptr) {
    why = "the program cannot be read as loops";
    return std::nullopt;
  }
  CountedProgram counted;
  const std::vector<const ir::Var*> sums = read_results(*module, counted, why);
  if (!why.empty()) return std::nullopt;
  const LiteralOf literal_of = [&](const std::string& constant) { return program->literal_of(constant); };
  const std::vector<std::vector<WeightedPattern>> found =
      read_sums(*module, literal_of, nullptr, program->has_arcs(), why);
  if (!why.empty()) return std::nullopt;
  PatternTable patterns(counted);
  if (!add_results(Combinations(sums, found, counted.steps), counted, patterns)) {
    patterns.clear();
    for (std::size_t i = 0; i < sums.size() && why.empty(); ++i) patterns.add(sums[i], found[i], why);
    if (!why.empty()) return std::nullopt;
  }
  if (counted.patterns.empty()) why = "it counts nothing";
  if (counted.patterns.size() > kMostPatterns) why = fmt::format("it counts more than {} patterns", kMostPatterns);
  if (!why.empty()) return std::nullopt;
  counted.program = std::move(program);
  return counted;
}

}  // namespace matcha::session
