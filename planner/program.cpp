#include "planner/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>

#include "planner/counted.h"
#include "planner/decompose.h"
#include "planner/expand.h"
#include "planner/independent.h"
#include "planner/nest.h"
#include "planner/order.h"
#include "planner/relations.h"
#include "planner/vertex_names.h"
#include "question/convert.h"

namespace matcha::pattern {

namespace {

/// Orders that `--list` shows.
constexpr int kListed = 8;
/// Above this factor, every embedding is enumerated instead of multiplying the subgraphs.
constexpr std::uint64_t kMostFactor = std::uint64_t{1} << 31;

/// A name that a program may define: letters, digits, `_`.
std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) out += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "pattern" + out : out;
}

/// Supergraphs that a vertex-induced count is made of at most, of up to kMostOfAll vertices; half as many for each
/// vertex more, as it takes longer to find out about them.
constexpr std::size_t kMostSupergraphs = 24;
constexpr int kMostOfAll = 5;

/// Lists of candidates of each vertex that a join makes.
constexpr int kListsOfVertex = 3;

/// The same request in fewer words: where all maps are injective anyway they are the embeddings.
Request plain(const Pattern& pattern, Request request) {
  if (request.match == Match::Iso) return request;
  request.embeddings = true;
  // Edges that are chosen may be one even where no vertices are.
  const bool chosen = request.match == Match::Edge && pattern.counts_edges();
  if (!chosen && always_injective(pattern, request.loops)) request.match = Match::Iso;
  return request;
}

/// One pattern on its way to a function.
class Writer {
 public:
  /// `maybe_whole`: the pattern that this one is a part of, which decides the kind of graph.
  Writer(const Pattern& pattern, const Request& request, const GraphSketch& sketch,
         const Pattern* maybe_whole = nullptr)
      : given_(pattern),
        pattern_(normal(pattern, request.induced)),
        asked_(request),
        request_(plain(pattern, request)),
        sketch_(sketch),
        model_(pattern_, {request_.induced, request_.match, request_.loops}, sketch),
        symmetry_(pattern_),
        relations_(maybe_whole == nullptr ? pattern : *maybe_whole),
        names_(program_names(pattern)),
        automorphisms_(symmetry_.order()) {
    // Rows of embeddings are enumerated; so are embeddings if their factor is too large.
    const bool injective = request_.match == Match::Iso;
    const bool every =
        !injective || (request_.embeddings && (request.rows || !automorphisms_ || *automorphisms_ > kMostFactor));
    factor_ = request_.embeddings && !every ? *automorphisms_ : 1;
    OrderSearch search;
    search.break_symmetry = !every;
    search.most = kListed;
    orders_ = best_orders(pattern_, model_, symmetry_, search);
    for (const Order& order : orders_)
      plans_.push_back({Algorithm::Extend, &order, to_text(order, names_), order.cost});
    if (!request.rows && (!every || !injective) && request.algorithm != Algorithm::Extend) add_products();
    if (!request.rows && request.match != Match::Iso && request.algorithm != Algorithm::Extend) add_independent_parts();
    if (can_join(pattern)) add_join();
    const Algorithm wanted = request.algorithm;
    const auto preference = [wanted](const Plan& plan) {
      const bool other = wanted != Algorithm::Auto && plan.algorithm != wanted;
      return std::pair(other, plan.cost);
    };
    std::stable_sort(plans_.begin(), plans_.end(),
                     [&](const Plan& a, const Plan& b) { return preference(a) < preference(b); });
    const std::size_t wanted_plan = std::min(request.plan, plans_.size() - 1);
    std::rotate(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(wanted_plan),
                plans_.begin() + static_cast<std::ptrdiff_t>(wanted_plan) + 1);
  }

  std::vector<Choice> choices() const {
    std::vector<Choice> found;
    for (const Plan& plan : plans_) found.push_back({plan.algorithm, plan.text, plan.cost + model_.prices().start});
    return found;
  }
  double cost() const { return plans_.front().cost; }
  Algorithm algorithm() const { return plans_.front().algorithm; }
  std::string comment() const { return describe(given_, asked_, automorphisms_); }

  /// The plan that is written; then, if counts of other patterns are added up, theirs.
  std::vector<MatchingPlan> matching() const {
    const Plan& plan = plans_.front();
    std::vector<MatchingPlan> found(1);
    found[0].pattern = given_;
    found[0].algorithm = plan.algorithm;
    if (plan.maybe_order != nullptr) {
      found[0].order = plan.maybe_order->vertices;
      found[0].restrictions = direct_restrictions(plan.maybe_order->larger);
      add_loops(*plan.maybe_order, names_, factor_ == 1, found[0].loops);
    } else if (decomposition_) {
      found[0].order = decomposition_->cutset_vertices;
      found[0].restrictions = direct_restrictions(decomposition_->larger);
      add_loops(decomposition_->cutset_order, decomposition_->cutset_names, false, found[0].loops);
      for (const LocalCount& count : decomposition_->counts) {
        add_loops(count.order, count.names, false, found[0].loops);
      }
    }
    for (std::size_t i = 0; plan.maybe_order == nullptr && is_product() && i < parts_.size(); ++i) {
      std::ranges::move(parts_[i]->matching().front().loops, std::back_inserter(found[0].loops));
      for (ExpectedLoop& loop : found[0].loops) loop.complete = false;
    }
    for (std::size_t i = 0; found[0].order.empty() && i < supergraphs_.size(); ++i) {
      found.push_back(parts_[i]->matching().front());
      found.back().factor = supergraphs_[i].factor;
    }
    return found;
  }

  /// Writes the function `def name(G: Graph)`; counts of other patterns that it needs come first.
  void write(const std::string& name, Text& out) const {
    const Plan& plan = plans_.front();
    if (plan.algorithm == Algorithm::Decompose && !decomposition_) {
      return is_product() ? write_product(name, out) : write_converted(name, out);
    }
    out.open(fmt::format("def {}(G: Graph) -> {}:", out.fresh(name),
                         request_.rows ? fmt::format("List<Tuple<int, {}>>", columns().size()) : "int"));
    Text draft;
    write_body(plan, draft);
    relations_.define(draft.str(), out);
    const std::size_t begin = out.str().size();
    write_body(plan, out);
    out.drop_unused(begin);
    out.close();
  }

 private:
  struct Plan {
    Algorithm algorithm = Algorithm::Extend;
    const Order* maybe_order = nullptr;  ///< Of `orders_`; null for products.
    std::string text;
    double cost = 0;
  };

  static void add_loops(const Order& order, const std::vector<std::string>& names, bool counts_all,
                        std::vector<ExpectedLoop>& loops) {
    ExpectedLoop loop;
    for (std::size_t i = 0; i < order.vertices.size(); ++i) {
      loop.vertices.push_back(names[static_cast<std::size_t>(order.vertices[i])]);
      loop.matches = order.matches[i];
      loop.complete = counts_all && i + 1 == order.vertices.size();
      loops.push_back(loop);
    }
  }

  std::vector<int> columns() const {
    std::vector<int> all = request_.columns;
    for (int v = 0; v < pattern_.size() && request_.columns.empty(); ++v) all.push_back(v);
    return all;
  }

  bool complete() const {
    for (int v = 0; v < pattern_.size(); ++v) {
      if (count(pattern_.out[static_cast<std::size_t>(v)]) + 1 < pattern_.size()) return false;
    }
    return true;
  }

  /// The cheapest order once more, on candidates that were reduced along the edges.
  void add_join() {
    const Order& order = orders_.front();
    const Prices& prices = model_.prices();
    const auto candidates = [&](int v) { return static_cast<double>(sketch_.vertices) * model_.label_share(v); };
    double cost = order.cost;
    for (int v = 0; v < pattern_.size(); ++v) {
      const double degree = model_.common(bit(v), bit(v));
      cost += static_cast<double>(sketch_.vertices) * prices.iteration + kListsOfVertex * prices.list;
      for_each(pattern_.near(v),
               [&](int u) { cost += model_.matches(bit(v)) * model_.set_operation(degree, candidates(u)); });
    }
    // The first list of neighbours of a vertex meets its candidates.
    Mask bound = 0;
    for (std::size_t level = 0; level + 1 < order.vertices.size(); ++level) {
      const int newest = order.vertices[level];
      const Mask before = bound;
      bound |= bit(newest);
      for_each(pattern_.near(newest) & ~bound, [&](int v) {
        if ((pattern_.near(v) & before) != 0) return;
        cost += order.matches[level] * model_.set_operation(model_.common(bound, bit(newest)), candidates(v));
      });
    }
    plans_.push_back({Algorithm::Join, &order, to_text(order, names_), cost});
  }

  /// Writes the lists of candidates and gives their names: all that have the label and the degree, then those that have
  /// enough candidates for each neighbour around them, forward and backward through the order.
  std::vector<std::string> write_candidates(const Order& order, Text& out) const {
    std::vector<std::string> lists;
    out.line("# Candidates of each vertex: label and degree.");
    for (int v = 0; v < pattern_.size(); ++v) {
      const std::string& name = names_[static_cast<std::size_t>(v)];
      lists.push_back("start" + stem(name));
      const std::string label =
          pattern_.label(v).empty() ? "" : fmt::format("vertex_label(G, {}) == {} and ", name, pattern_.label(v));
      out.line(
          fmt::format("{0} = apply(lambda {1}: {1}, cond=lambda {1}: {2}size(neighbor(G, {1})) >= {3}, vertices(G))",
                      lists.back(), name, label, request_.match == Match::Iso ? count(pattern_.near(v)) : 1));
    }
    out.line("# Semi-joins along the edges: to the vertices before, then to those behind.");
    Mask passed = 0;
    std::vector<int> vertices = order.vertices;
    for (const std::string& prefix : {std::string("met"), std::string("fits")}) {
      passed = 0;
      for (int v : vertices) {
        const std::string& name = names_[static_cast<std::size_t>(v)];
        std::string wanted;
        for_each(pattern_.near(v) & passed, [&](int u) {
          const auto meets = [&](const std::string& label) {
            wanted += fmt::format("{}size(intersect({}, {})) > 0", wanted.empty() ? "" : " and ",
                                  relations_.after(label, name), lists[static_cast<std::size_t>(u)]);
          };
          for (const std::string& label : fixed_labels(pattern_.labels_of(v, u))) meets(label);
        });
        passed |= bit(v);
        if (wanted.empty()) continue;
        std::string& list = lists[static_cast<std::size_t>(v)];
        out.line(fmt::format("{0}{1} = apply(lambda {2}: {2}, cond=lambda {2}: {3}, {4})", prefix, stem(name), name,
                             wanted, list));
        list = prefix + stem(name);
      }
      std::reverse(vertices.begin(), vertices.end());
    }
    return lists;
  }

  /// Plans that cost more than enumeration are not searched for, unless `decompose` is the requested algorithm.
  void add_products() {
    const double at_most =
        request_.algorithm == Algorithm::Decompose ? std::numeric_limits<double>::infinity() : orders_.front().cost;
    if (request_.induced == Induced::Edge || complete()) {
      decomposition_ = best_decomposition(model_, symmetry_, names_, factor_, at_most);
      if (!decomposition_) return;
      std::string text = "products around";
      for (const std::string& one : decomposition_->cutset_names) text += " " + one;
      plans_.push_back({Algorithm::Decompose, nullptr, text, decomposition_->cost});
      return;
    }
    supergraphs_ = supergraphs(pattern_, kMostSupergraphs >> std::max(0, pattern_.size() - kMostOfAll));
    if (supergraphs_.empty()) return;
    Request edges = request_;
    edges.plan = 0;
    edges.induced = Induced::Edge;
    edges.embeddings = false;
    double cost = 0;
    for (Supergraph& one : supergraphs_) {
      one.pattern.name = known_name(one.pattern);
      parts_.push_back(std::make_unique<Writer>(one.pattern, edges, sketch_));
      cost += parts_.back()->cost();
      if (cost > at_most) return;
    }
    plans_.push_back({Algorithm::Decompose, nullptr, fmt::format("{} edge-induced counts", supergraphs_.size()), cost});
  }

  /// Parts of the pattern whose maps do not depend on each other are counted one by one.
  void add_independent_parts() {
    const std::vector<Mask> parts = independent_parts(pattern_, asked_.match, asked_.loops, names_);
    if (parts.size() < 2) return;
    Request alone = asked_;
    alone.plan = 0;
    alone.algorithm = Algorithm::Auto;
    double cost = 0;
    for (const Mask part : parts) {
      parts_.push_back(std::make_unique<Writer>(independent_part(pattern_, part), alone, sketch_, &pattern_));
      cost += parts_.back()->cost();
    }
    plans_.push_back({Algorithm::Decompose, nullptr, fmt::format("product of {} parts", parts.size()), cost});
  }
  bool is_product() const { return !parts_.empty() && supergraphs_.empty(); }

  void write_product(const std::string& name, Text& out) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      out.line(fmt::format("# {}", to_text(parts_[i]->given_)));
      parts_[i]->write(part_name(name, i), out);
      out.line("");
    }
    pattern::write_product(name, parts_.size(), out);
  }

  void write_body(const Plan& plan, Text& out) const {
    if (plan.maybe_order == nullptr) return write_decomposition(*decomposition_, relations_, factor_, out);
    const Order& order = *plan.maybe_order;
    std::vector<std::string> bases;
    if (plan.algorithm == Algorithm::Join) bases = write_candidates(order, out);
    const std::vector<int> columns = this->columns();
    Nest nest(pattern_, model_.requirements(), relations_, order, names_, bases,
              request_.rows ? Answer::Rows : Answer::Count, out, 0, request_.by_degree);
    nest.set_columns(columns, request_.variables);
    const std::string all = nest.rest(0);
    out.line(factor_ == 1 ? "return " + all : fmt::format("return {} * {}", factor_, all));
  }

  void write_converted(const std::string& name, Text& out) const {
    std::string sum;
    for (std::size_t i = 0; i < supergraphs_.size(); ++i) {
      const Pattern& one = supergraphs_[i].pattern;
      const std::string part = fmt::format("{}_{}", name, i == 0 ? "itself" : fmt::format("and_{}", i));
      out.line(fmt::format("# Edge-induced {}{}", one.name.empty() ? "" : one.name + ": ", to_text(one)));
      parts_[i]->write(part, out);
      out.line("");
      const std::int64_t factor = supergraphs_[i].factor;
      const std::int64_t size = factor < 0 ? -factor : factor;
      sum += sum.empty() ? "" : factor < 0 ? " - " : " + ";
      sum += size == 1 ? fmt::format("{}(G)", part) : fmt::format("{} * {}(G)", size, part);
    }
    out.line("# Edge-induced counts, less those with further edges, by inclusion and exclusion.");
    out.open(fmt::format("def {}(G: Graph) -> int:", out.fresh(name)));
    out.line(factor_ == 1 ? "return " + sum : fmt::format("return {} * ({})", factor_, sum));
    out.close();
  }

  Pattern given_;
  Pattern pattern_;
  Request asked_;
  Request request_;
  const GraphSketch& sketch_;
  CostModel model_;
  Symmetry symmetry_;
  Relations relations_;
  std::vector<std::string> names_;
  std::optional<std::uint64_t> automorphisms_;
  std::uint64_t factor_ = 1;
  std::vector<Order> orders_;
  std::optional<Decomposition> decomposition_;
  std::vector<Supergraph> supergraphs_;
  std::vector<std::unique_ptr<Writer>> parts_;  ///< Of `supergraphs_`; without those, parts of the pattern.
  std::vector<Plan> plans_;                     ///< The one that is written first.
};

void comment_lines(const std::string& text, Text& out) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.line("# " + text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// A name times its factor, in a sum.
std::string times(const std::string& name, std::uint64_t factor) {
  return factor == 1 ? fmt::format("{}(G)", name) : fmt::format("{} * {}(G)", factor, name);
}

/// The sum of the counts of other patterns, or the lists of their matches, one after the other. `request`: about these;
/// `asked`: about the pattern.
PatternProgram sum_program(const Pattern& pattern, const Request& asked, const Request& request,
                           const GraphSketch& sketch, const std::vector<Expansion>& expansions) {
  const bool subgraphs = request.match == Match::Iso && !request.embeddings;
  PatternProgram program;
  Text out, functions;
  comment_lines(describe(pattern, asked, subgraphs ? Symmetry(normal(pattern, request.induced)).order() : 1), out);
  out.line(fmt::format("# {} {} patterns, which have no match in common.",
                       request.rows ? "The matches of" : "The sum of", expansions.size()));
  out.line("");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < expansions.size(); ++i) {
    const Expansion& one = expansions[i];
    const Writer writer(one.pattern, request, sketch);
    program.cost += writer.cost();
    program.plans.push_back(writer.matching().front());
    program.plans.back().factor = static_cast<std::int64_t>(one.factor);
    const std::string name = fmt::format("pattern_{}", i + 1);
    functions.line(fmt::format("# {}", to_text(one.pattern)));
    writer.write(name, functions);
    functions.line("");
    parts.push_back(times(name, one.factor));
  }
  if (request.rows) {
    const std::size_t columns = request.columns.empty() ? pattern.ids.size() : request.columns.size();
    functions.open(fmt::format("def pattern(G: Graph) -> List<Tuple<int, {}>>:", columns));
    functions.line(fmt::format("return flatten([{}])", fmt::join(parts, ", ")));
  } else {
    functions.open("def pattern(G: Graph) -> int:");
    functions.line(parts.empty() ? "return 0" : fmt::format("return {}", fmt::join(parts, " + ")));
  }
  functions.close();
  Relations::write_functions(functions.str(), out);
  program.text = out.str() + functions.str();
  const Algorithm algorithm = request.algorithm == Algorithm::Auto ? Algorithm::Extend : request.algorithm;
  program.choices.push_back(
      {algorithm, fmt::format("{} pattern{}", expansions.size(), expansions.size() == 1 ? "" : "s"), program.cost});
  return program;
}

PatternProgram one_program(const Pattern& pattern, const Request& request, const GraphSketch& sketch) {
  const Writer writer(pattern, request, sketch);
  PatternProgram program;
  program.choices = writer.choices();
  program.plans = writer.matching();
  Text out;
  comment_lines(writer.comment(), out);
  const Choice& first = program.choices.front();
  program.cost = first.cost;
  out.line(fmt::format("# {}: {} ({}).",
                       first.algorithm == Algorithm::Extend ? "Order"
                       : first.algorithm == Algorithm::Join ? "Semi-joins, then order"
                                                            : "Algorithm",
                       first.plan, estimate_text(first.cost, sketch)));
  out.line("");
  Text functions;
  writer.write(identifier(pattern.name.empty() ? "pattern" : pattern.name), functions);
  Relations::write_functions(functions.str(), out);
  program.text = out.str() + functions.str();
  return program;
}

/// The counts of all motifs as expressions of `counts`, the names of one count each; with `convert`, those are
/// edge-induced and the expressions vertex-induced.
std::vector<std::string> motif_values(const PatternSet& set, bool convert, const std::vector<std::string>& counts) {
  if (!convert) return counts;
  std::map<std::string, std::size_t> number;
  for (std::size_t i = 0; i < set.patterns.size(); ++i) number.emplace(canonical_key(set.patterns[i]), i);
  std::vector<std::string> values;
  for (const Pattern& pattern : set.patterns) {
    std::string sum;
    for (const Supergraph& one : supergraphs(pattern, set.patterns.size())) {
      const std::string& count = counts[number.at(canonical_key(one.pattern))];
      const std::int64_t size = one.factor < 0 ? -one.factor : one.factor;
      sum += sum.empty() ? "" : one.factor < 0 ? " - " : " + ";
      sum += size == 1 ? count : fmt::format("{} * {}", size, count);
    }
    values.push_back(sum);
  }
  return values;
}

/// All motifs: each by itself, or vertex-induced ones from the edge-induced counts of all, whichever is cheaper.
PatternProgram motif_program(const PatternSet& set, const Request& request, const GraphSketch& sketch) {
  const std::size_t n = set.patterns.size();
  const auto writers = [&](const Request& asked, double& cost) {
    std::vector<std::unique_ptr<Writer>> made;
    for (const Pattern& pattern : set.patterns) {
      made.push_back(std::make_unique<Writer>(pattern, asked, sketch));
      cost += made.back()->cost();
    }
    return made;
  };
  Request alone = request;
  const bool join = request.algorithm == Algorithm::Join;
  if (request.induced == Induced::Vertex && !join) alone.algorithm = Algorithm::Extend;
  double cost = 0, converted_cost = 0;
  std::vector<std::unique_ptr<Writer>> parts = writers(alone, cost);
  bool convert = false;
  const bool may_convert = request.induced == Induced::Vertex && !set.patterns.front().directed;
  if (may_convert && !request.embeddings && !join && request.algorithm != Algorithm::Extend) {
    Request edges = request;
    edges.induced = Induced::Edge;
    std::vector<std::unique_ptr<Writer>> converted = writers(edges, converted_cost);
    convert = request.algorithm == Algorithm::Decompose || converted_cost < cost;
    if (convert) parts = std::move(converted);
  }
  Text out;
  out.line(
      fmt::format("# All {} connected patterns of {} vertices, by number of edges; `motifs` gives their counts in this",
                  n, set.patterns.front().size()));
  out.line(fmt::format("# order: {}, {}-induced ({}).",
                       request.match == Match::Homo   ? "homomorphisms"
                       : request.match == Match::Edge ? "maps with edges that all differ"
                       : request.embeddings           ? "embeddings"
                                                      : "subgraphs, each once",
                       request.induced == Induced::Vertex ? "vertex" : "edge",
                       estimate_text(convert ? converted_cost : cost, sketch)));
  if (convert)
    out.line("# Edge-induced counts are made into vertex-induced ones by inclusion and exclusion of further edges.");
  std::vector<std::string> functions, counts;
  for (std::size_t i = 0; i < n; ++i) {
    const Pattern& pattern = set.patterns[i];
    out.line("");
    out.line(fmt::format("# {}{}", pattern.name.empty() ? "" : pattern.name + ": ", to_text(pattern)));
    functions.push_back(fmt::format("pattern_{}{}", i, pattern.name.empty() ? "" : "_" + identifier(pattern.name)));
    parts[i]->write(functions.back(), out);
    counts.push_back(convert ? fmt::format("n{}", i) : functions.back() + "(G)");
  }
  const bool tuple = n <= kMostInTuple;
  out.line("");
  out.open(fmt::format("def motifs(G: Graph) -> {}:", tuple ? fmt::format("Tuple<int, {}>", n) : "List<int>"));
  for (std::size_t i = 0; convert && i < n; ++i) out.line(fmt::format("n{} = {}(G)", i, functions[i]));
  const std::vector<std::string> values = motif_values(set, convert, counts);
  out.line(tuple ? "return mk_tuple(val=[" : "return mk_list(val=[");
  for (std::size_t i = 0; i < n; ++i) out.line(fmt::format("    {}{}", values[i], i + 1 < n ? "," : "])"));
  out.close();
  PatternProgram program;
  program.text = out.str();
  program.cost = convert ? converted_cost : cost;
  for (const std::unique_ptr<Writer>& part : parts) program.plans.push_back(part->matching().front());
  return program;
}

/// The count of maps whose edges all differ as a sum of counts of maps whose vertices differ; nothing where that is not
/// known to be the same.
std::optional<PatternProgram> quotient_program(const Pattern& first, const Request& request, const GraphSketch& sketch,
                                               const std::vector<Expansion>& expansions) {
  if (request.match != Match::Edge || request.rows || request.loops || request.plan != 0) return std::nullopt;
  if (request.algorithm != Algorithm::Auto) return std::nullopt;
  const std::optional<std::vector<Expansion>> quotients = quotients_of(expansions, kMostExpansions);
  if (!quotients) return std::nullopt;
  Request injective = request;
  injective.match = Match::Iso;
  injective.embeddings = true;
  return sum_program(first, request, injective, sketch, *quotients);
}

}  // namespace

/// Candidates have one label, and no other conditions.
bool can_join(const Pattern& pattern) {
  const auto several = [](const std::string& label) { return alternatives(label).size() > 1; };
  return !pattern.directed && pattern.connected() && pattern.size() > 1 && !pattern.has_loops() &&
         !pattern.has_constants() && std::ranges::none_of(pattern.labels, several);
}

std::optional<PatternProgram> write_program(const PatternSet& set, const Request& asked, const GraphSketch& sketch,
                                            SourceLoc loc, Diagnostics& diagnostics) {
  Request request = asked;
  request.loops = request.loops || sketch.loops;
  if (request.match != Match::Iso && request.induced == Induced::Vertex) {
    diagnostics.error(DiagId::PatternPlan, loc, "vertex-induced matches have vertices that all differ",
                      fmt::format("leave `--match {}` out, or ask for `--induced edge`", to_string(request.match)));
    return std::nullopt;
  }
  if (set.motif && request.rows) {
    diagnostics.error(DiagId::PatternPlan, loc, "the matches of all motifs are not listed together",
                      "list one pattern at a time; `matcha pattern --list` with the motif names them");
    return std::nullopt;
  }
  if (request.rows && request.algorithm == Algorithm::Decompose) {
    diagnostics.error(DiagId::PatternPlan, loc, "products count matches and cannot list them",
                      "use --algorithm extend");
    return std::nullopt;
  }
  std::optional<std::vector<Expansion>> expansions = expand(set, request, loc, diagnostics);
  if (!expansions) return std::nullopt;
  const Pattern first = with_edges(set.patterns.front(), request.match);
  const bool several = expansions->size() != 1 || expansions->front().factor != 1 ||
                       to_text(expansions->front().pattern) != to_text(first);
  if (request.rows && expansions->empty()) {
    // A list has items of some type, be there none.
    expansions->push_back({with_first_labels(first), 1});
    expansions->front().pattern.bound.front() = "none";
  }
  PatternProgram program = set.motif ? motif_program(set, request, sketch)
                           : several && (!request.rows || expansions->size() > 1)
                               ? sum_program(first, request, request, sketch, *expansions)
                               : one_program(expansions->front().pattern, request, sketch);
  // The expansions are of one pattern.
  if (!set.motif) {
    std::optional<PatternProgram> sum = quotient_program(first, request, sketch, *expansions);
    if (sum && sum->cost < program.cost) program = std::move(*sum);
  }
  if (request.plan > 0 && request.plan >= program.choices.size()) {
    diagnostics.error(
        DiagId::PatternPlan, loc,
        set.motif ? std::string("motifs have one plan for all patterns")
                  : fmt::format("there are {} plans, and none is number {}", program.choices.size(), request.plan + 1),
        "see `matcha pattern --list`");
    return std::nullopt;
  }
  const Algorithm wanted = request.algorithm;
  if (wanted != Algorithm::Auto && !set.motif && program.choices.front().algorithm != wanted) {
    diagnostics.error(DiagId::PatternPlan, loc,
                      fmt::format("the algorithm `{}` does not fit the pattern", to_string(wanted)),
                      wanted == Algorithm::Join
                          ? "join takes connected patterns of two or more vertices without arcs, of one label a vertex "
                            "at most"
                          : "decompose takes a connected pattern of 3 to 10 vertices that some connected "
                            "vertices cut in two; vertex-induced ones of up to 5");
    return std::nullopt;
  }
  program.directed = set.patterns.front().directed;
  program.labelled = set.patterns.front().labelled();
  program.edge_labelled = set.patterns.front().edge_labelled();
  return program;
}

}  // namespace matcha::pattern
