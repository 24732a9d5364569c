#include "incremental/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "incremental/root_module.h"
#include "ir/analysis/roots.h"
#include "planner/delta.h"
#include "planner/prices.h"
#include "session/gpu.h"
#include "session/ledger/ledger.h"
#include "session/message_log.h"
#include "session/pattern_source.h"

namespace matcha::session::stream {

namespace {

namespace price = planner::price;

using pattern::DeltaTerm;
using pattern::Pattern;
using OfferOrRefusal = std::variant<planner::Offer, planner::Refusal>;

/// `edge 0-1 'a': walk 2, count 3`.
std::string text_of(const DeltaTerm& term, const Pattern& pattern) {
  const auto name = [&](std::size_t at) { return pattern.vertex_name(term.vertices[at]); };
  std::vector<std::string> steps;
  const auto add = [&](const char* verb, std::size_t first, std::size_t last) {
    std::vector<std::string> names;
    for (std::size_t at = first; at < last; ++at) names.push_back(name(at));
    if (!names.empty()) steps.push_back(fmt::format("{} {}", verb, fmt::join(names, " ")));
  };
  add("walk", 2, term.walked);
  add("count", term.walked, term.vertices.size());
  return fmt::format("{} {}{}{}{}{}{}", term.sign < 0 ? "pair that must not be adjacent" : "edge", name(0),
                     pattern.directed ? '>' : '-', name(1), term.label.empty() ? "" : " " + term.label,
                     steps.empty() ? "" : ": ", fmt::join(steps, ", "));
}

std::string text_of(const ir::RootReads& reads) {
  std::vector<std::string> parts;
  const auto add = [&](const char* noun, int steps) {
    if (steps < 0) return;
    parts.push_back(steps == 0 ? fmt::format("its {}", noun)
                               : fmt::format("{} of those up to {} step{} away", noun, steps, steps == 1 ? "" : "s"));
  };
  add("neighbors", reads.rows);
  if (reads.among) {
    parts.push_back(
        fmt::format("which of those up to {} step{} away are adjacent", reads.rows + 1, reads.rows == 0 ? "" : "s"));
  }
  if (reads.degrees > reads.rows) add("degrees", reads.degrees);
  add("labels", reads.labels);
  return parts.empty() ? "nothing but the vertex is read" : fmt::format("{}", fmt::join(parts, "; "));
}

/// Statistics of a graph with these figures, whatever its labels are.
pattern::DeltaStatistics statistics_of(const GraphFigures& figures) {
  pattern::DeltaStatistics typical = pattern::typical_statistics();
  const GraphFigures preset;
  const double vertices = figures.vertices / preset.vertices, degree = figures.degree / preset.degree;
  typical.vertices = [vertices, all = typical.vertices](const std::string& label) { return vertices * all(label); };
  typical.degree = [degree, all = typical.degree](const std::string& from, const std::string& to,
                                                  const pattern::DeltaLink& link) {
    return degree * all(from, to, link);
  };
  return typical;
}

/// The facts of a question that several methods need. Each is computed once.
class MethodFacts {
 public:
  explicit MethodFacts(const MethodQuestion& question)
      : question_(question),
        nests_(question.request.compile, question.request.text, ProgramNests::of_stream(question.directed)) {}

  const MethodQuestion& question() const { return question_; }
  /// A pattern with conditions on columns: the names of its edges; nothing for others.
  const std::optional<std::vector<std::string>>& edges_of_rows() {
    if (std::exchange(has_rows_, true) || !is_pattern()) return edges_of_rows_;
    PatternOptions options = question_.request.pattern;
    options.may_ask_columns = true;
    const MessageLog ignored;
    PatternSource source(options, ignored);
    if (source.read() != Status::Ok || !ledger::asks_columns(source, options)) return edges_of_rows_;
    edges_of_rows_.emplace();
    for (const pattern::EdgeUse& edge : source.set().edges) {
      const pattern::Pattern& pattern = source.set().patterns.front();
      edges_of_rows_->push_back(fmt::format("edge {}{}{}{}{}", pattern.vertex_name(edge.from),
                                            pattern.directed ? '>' : '-', pattern.vertex_name(edge.to),
                                            edge.name.empty() ? "" : " ", edge.name));
    }
    return edges_of_rows_;
  }
  bool is_pattern() const { return question_.request.text.empty(); }

  /// The program of deltas; null, and why there is none.
  DeltaProgram* maybe_delta(std::string& why) {
    if (!std::exchange(has_delta_, true)) find_delta();
    why = no_delta_;
    return delta_ ? &*delta_ : nullptr;
  }
  std::optional<DeltaProgram> take_delta() { return std::move(delta_); }

  /// How far the program reads around a vertex; nothing, and why it is no program of roots.
  std::optional<ir::RootReads> roots(std::string& why) {
    const ir::Module* const module = is_pattern() ? nullptr : nests_.maybe_module();
    if (module == nullptr) {
      why = is_pattern() ? "it is for programs, and this is a pattern" : "the program has errors";
      return std::nullopt;
    }
    const ir::RootReads reads = ir::read_roots(*module, question_.directed);
    why = reads.ok() ? results_problem(*module) : reads.problem;
    if (why.empty()) why = sinks_problem(root_sinks(*module, question_.options.rows), nests_.is_list());
    return why.empty() ? std::optional(reads) : std::nullopt;
  }

  /// The vertices of the cliques that trees count, 0: of all sizes; empty, and why they count none.
  const std::optional<std::uint32_t>& cliques(std::string& why) {
    if (!std::exchange(has_cliques_, true)) find_cliques();
    why = no_cliques_;
    return cliques_;
  }

  /// The terms of the deltas, in lines, and their time for an edge on one thread. Requires: there are deltas.
  double terms(std::vector<std::string>* maybe_lines) const {
    double ns = 0;
    std::string why;
    const pattern::DeltaStatistics statistics = statistics_of(question_.graph);
    for (const Pattern& pattern : delta_->patterns()) {
      const std::optional<pattern::DeltaProgram> planned =
          plan_delta(pattern, delta_->induced(), pattern::DeltaAnswer::Count, statistics, why);
      if (!planned) continue;
      for (const DeltaTerm& term : planned->terms) {
        ns += term.cost;
        if (maybe_lines != nullptr) maybe_lines->push_back(text_of(term, pattern));
      }
    }
    return ns;
  }
  /// The time of deltas for an edge. They count the whole graph again if that is faster, except for rows. Terms list
  /// all the cliques that a tree counts.
  double delta_ns() {
    const double ns = question_.options.rows ? terms(nullptr) : std::min(terms(nullptr), recount_ns());
    std::string why;
    return cliques(why) ? std::max(ns, tree_ns() + 1) : ns;
  }
  /// The time of a pivot tree at an edge, with the same alternative.
  double tree_ns() const {
    return std::min(price::stream_tree + price::stream_tree_arc * question_.graph.degree, recount_ns());
  }
  /// The time of a run on the whole graph.
  double recount_ns() const {
    return (price::stream_layout + price::stream_run) * question_.graph.arcs / (question_.directed ? 1 : 2);
  }

 private:
  void find_delta() {
    const MethodQuestion& asked = question_;
    if (edges_of_rows()) {
      no_delta_ = "its conditions are about rows of a table";
      return;
    }
    if (asked.request.device == "cuda" && asked.device != DeltaDevice::Kind::Gpu) {
      no_delta_ = "a GPU is required";
      return;
    }
    delta_ = DeltaProgram::make(asked.request, asked.options, asked.directed, nests_, no_delta_);
    if (delta_ && asked.maybe_labels != nullptr && delta_->uses_vertex_types(*asked.maybe_labels)) {
      delta_.reset();
      no_delta_ = kTypesProblem;
    }
    if (!delta_ && no_delta_.empty()) no_delta_ = "the program has errors";
  }

  void find_cliques() {
    const MessageLog ignored;
    PatternSource source(question_.request.pattern, ignored);
    // Programs count smaller ones as fast.
    constexpr int kLeastSize = 5;
    const bool is_named = question_.options.method == method_name(MaintenanceMethod::Trees);
    if (!is_pattern()) {
      no_cliques_ = "trees are of cliques, and this is a program";
    } else if (edges_of_rows()) {
      no_cliques_ = "trees are of cliques without conditions";
    } else if (source.read() != Status::Ok) {
      no_cliques_ = "the pattern has errors";
    } else if (!source.counts_cliques() || source.set().alternatives) {
      no_cliques_ = "trees are of cliques without labels";
    } else if (source.set().maximal) {
      no_cliques_ = "with an edge, cliques without it become or stop being maximal";
    } else if (source.match() != pattern::Match::Iso || question_.request.pattern.embeddings) {
      no_cliques_ = "trees count each clique once";
    } else if (question_.options.rows) {
      no_cliques_ = "trees count cliques, and list none";
    } else if (question_.directed || question_.edge_labels) {
      no_cliques_ = "trees are of graphs without arcs and labels of edges";
    } else if (!source.set().cliques && !is_named && source.set().patterns.front().size() < kLeastSize) {
      no_cliques_ = fmt::format("trees are of cliques of {} and more vertices", kLeastSize);
    } else {
      cliques_ = source.set().cliques.value_or(static_cast<std::uint32_t>(source.set().patterns.front().size()));
    }
  }

  const MethodQuestion& question_;
  ProgramNests nests_;
  bool has_delta_ = false;
  std::optional<DeltaProgram> delta_;
  std::string no_delta_;
  bool has_cliques_ = false;
  std::optional<std::uint32_t> cliques_;
  std::string no_cliques_;
  bool has_rows_ = false;
  std::optional<std::vector<std::string>> edges_of_rows_;
};

/// The base of all methods.
class Method : public planner::Engine {
 public:
  Method(MethodFacts& facts, MaintenanceMethod method) : facts_(facts), method_(method) {}
  std::string_view name() const override { return method_name(method_); }

 protected:
  bool explains() const { return facts_.question().options.explains; }
  bool wants_rows() const { return facts_.question().options.rows; }

  MethodFacts& facts_;
  const MaintenanceMethod method_;
};

/// Counts the matches that each edge adds or removes.
class ByDelta final : public Method {
 public:
  explicit ByDelta(MethodFacts& facts) : Method(facts, MaintenanceMethod::Delta) {}

  OfferOrRefusal offer(const planner::Question& /*question*/, const planner::Catalog& /*catalog*/,
                       bool on_gpu) const override {
    std::string why;
    planner::Offer offer;
    if (const auto& edges = facts_.edges_of_rows()) {
      if (on_gpu) return planner::Refusal{"patterns with conditions run on a CPU"};
      offer.ns = std::min(price::stream_ball, facts_.recount_ns());
      offer.plan = [lines = *edges] { return lines; };
      return offer;
    }
    if (facts_.maybe_delta(why) == nullptr) return planner::Refusal{why};
    std::vector<std::string> lines;
    if (explains()) {
      (void)facts_.terms(&lines);
      offer.plan = [lines = std::move(lines)] { return lines; };
    }
    if (on_gpu && facts_.question().device != DeltaDevice::Kind::Gpu) {
      // A stream begins on the CPU, and measures both devices.
      offer.ns = planner::kUnknownNs;
      return offer;
    }
    if (on_gpu) offer.ns = price::stream_gpu_edge;
    offer.price = [this, on_gpu] {
      const double ns = facts_.delta_ns();
      return on_gpu ? std::max(price::stream_gpu_edge, ns / price::gpu_cores) : ns;
    };
    return offer;
  }
};

/// Counts the cliques of each inserted or deleted edge by a pivot tree.
class ByTrees final : public Method {
 public:
  explicit ByTrees(MethodFacts& facts) : Method(facts, MaintenanceMethod::Trees) {}

  OfferOrRefusal offer(const planner::Question& question, const planner::Catalog& /*catalog*/,
                       bool on_gpu) const override {
    if (on_gpu || question.device == "cuda") return planner::Refusal{"trees below edges are walked on a CPU"};
    std::string why;
    if (!facts_.cliques(why)) return planner::Refusal{why};
    planner::Offer offer;
    offer.ns = facts_.tree_ns();
    offer.plan = [] {
      return std::vector<std::string>{"a pivot tree over rows of bits of the common neighbours of its ends"};
    };
    return offer;
  }
};

/// Runs the program near the changed vertices, before and after a batch.
class ByRoots final : public Method {
 public:
  explicit ByRoots(MethodFacts& facts) : Method(facts, MaintenanceMethod::Roots) {}

  OfferOrRefusal offer(const planner::Question& question, const planner::Catalog& /*catalog*/,
                       bool on_gpu) const override {
    if (on_gpu || question.device == "cuda") return planner::Refusal{"it runs on a CPU"};
    std::string why;
    const std::optional<ir::RootReads> reads = facts_.roots(why);
    if (!reads) return planner::Refusal{why};
    planner::Offer offer;
    offer.price = [this, reads = *reads] { return ns_of(reads); };
    offer.plan = [line = "read of each: " + text_of(reads.value())] { return std::vector<std::string>{line}; };
    return offer;
  }

 private:
  double ns_of(const ir::RootReads& reads) const {
    const GraphFigures& graph = facts_.question().graph;
    const int steps = std::max({reads.rows, reads.degrees, reads.labels, 0});
    const double roots = std::min(graph.vertices, 2 * std::pow(graph.degree, steps));
    const double arcs = std::min(graph.arcs, roots * std::pow(graph.degree, std::max(reads.rows, 0) + 1));
    double ns = 2 * (price::stream_ball + price::stream_ball_arc * arcs);
    // The whole graph is run if that is faster; only roots find rows.
    if (!wants_rows()) ns = std::min(ns, facts_.recount_ns());
    // A ball has all matches of the changed edge, and others.
    std::string why;
    return facts_.maybe_delta(why) != nullptr ? std::max(ns, facts_.delta_ns()) : ns;
  }
};

/// Runs the program again.
class ByRecompute final : public Method {
 public:
  explicit ByRecompute(MethodFacts& facts) : Method(facts, MaintenanceMethod::Recompute) {}

  OfferOrRefusal offer(const planner::Question& question, const planner::Catalog& /*catalog*/,
                       bool on_gpu) const override {
    if (on_gpu && question.device != "cuda") return planner::Refusal{"programs run again on the CPU"};
    planner::Offer offer;
    // There is no cost of a run on a GPU, and of as many rows as the graph has.
    offer.ns = on_gpu || wants_rows() ? planner::kUnknownNs : facts_.recount_ns();
    return offer;
  }
};

bool wants_gpu(const MethodQuestion& question) {
  return question.device == DeltaDevice::Kind::Gpu || question.request.device == "cuda";
}

planner::Decision decide_method(const MethodQuestion& question, MethodFacts& facts) {
  planner::EngineList methods;
  methods.push_back(std::make_unique<ByDelta>(facts));
  methods.push_back(std::make_unique<ByRoots>(facts));
  methods.push_back(std::make_unique<ByTrees>(facts));
  methods.push_back(std::make_unique<ByRecompute>(facts));
  planner::Question asked;
  asked.engine = question.options.method;
  using Kind = DeltaDevice::Kind;
  asked.device = wants_gpu(question) ? "cuda" : question.device == Kind::Auto ? "auto" : "cpu";
  planner::Catalog catalog;
  catalog.may_have_gpu = question.device == Kind::Auto && may_have_gpu();
  catalog.gpu_problem = [] { return std::string(); };
  catalog.complete = question.options.explains;
  return planner::decide(asked, catalog, methods);
}

}  // namespace

GraphFigures figures_of(const runtime::Graph& graph) {
  const runtime::GraphView view = graph.view();
  GraphFigures figures{static_cast<double>(view.vertex_count), static_cast<double>(view.arc_count), 0};
  for (std::uint64_t v = 0; view.offsets != nullptr && v < view.universe; ++v) {
    const double degree = static_cast<double>(view.offsets[v + 1] - view.offsets[v]);
    figures.degree += degree * degree;
  }
  if (view.offsets == nullptr) figures.degree = figures.arcs * figures.arcs / std::max(figures.vertices, 1.0);
  if (figures.arcs > 0) figures.degree /= figures.arcs;
  return figures;
}

GraphFigures figures_of(const runtime::stream::DynamicGraph& graph) {
  GraphFigures figures{0, 0, 0};
  for (std::uint32_t c = 0; c < graph.class_count(); ++c) {
    const auto [begin, end] = graph.places_of(c);
    figures.vertices += static_cast<double>(graph.vertices_of(c));
    for (std::uint32_t place = begin; place < end; ++place) {
      const double degree = static_cast<double>(graph.after(place).size());
      figures.arcs += degree;
      figures.degree += degree * degree;
    }
  }
  if (figures.arcs > 0) figures.degree /= figures.arcs;
  return figures;
}

MethodChoice::MethodChoice(const MethodQuestion& question)
    : named_(question.options.method), is_pattern_(question.request.text.empty()), wants_gpu_(wants_gpu(question)) {
  MethodFacts facts(question);
  decision_ = decide_method(question, facts);
  delta_ = facts.take_delta();
  std::string why;
  size_of_cliques_ = facts.cliques(why);
}

MaintenanceMethod MethodChoice::chosen() const {
  using enum MaintenanceMethod;
  for (const MaintenanceMethod method : {Delta, Trees, Roots}) {
    if (decision_.chosen().engine == method_name(method)) return method;
  }
  return Recompute;
}

void MethodChoice::refuse(std::string why) {
  const planner::Offer refused = decision_.chosen();
  decision_.offers.erase(decision_.offers.begin());
  if (decision_.is_empty()) {
    decision_.problem = named_.empty() ? why : fmt::format("`--engine {}` does not answer this: {}", named_, why);
  }
  decision_.refusals.push_back({std::move(why), refused.engine, refused.on_gpu});
}

std::string MethodChoice::refusal_of(MaintenanceMethod method) const {
  for (const planner::Refusal& refusal : decision_.refusals) {
    if (refusal.engine == method_name(method) && refusal.on_gpu == wants_gpu_) return refusal.why;
  }
  return {};
}

std::vector<std::string> MethodChoice::lines() const {
  constexpr std::size_t kMostLines = 20;
  using enum MaintenanceMethod;
  std::vector<std::string> plan;
  if (decision_.chosen().plan) plan = decision_.chosen().plan();
  std::vector<std::string> lines;
  switch (chosen()) {
    case Delta:
      lines = {fmt::format("by what each edge changes (`delta`), in {} place{} of the pattern", plan.size(),
                           plan.size() == 1 ? "" : "s")};
      break;
    case Trees: lines = {"by a tree below each edge that comes or goes (`trees`)"}; break;
    case Roots: lines = {"at the vertices near to what a batch changes, before and after it (`roots`)"}; break;
    case Recompute:
      lines = {fmt::format("run again after each batch (`recompute`): {}", refusal_of(is_pattern_ ? Delta : Roots))};
      break;
  }
  const std::size_t shown = std::min(plan.size(), kMostLines);
  lines.insert(lines.end(), plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < plan.size()) lines.push_back(fmt::format("… {} more", plan.size() - shown));
  return lines;
}

planner::Decision decision_to_recompute(const MethodQuestion& question) {
  MethodQuestion asked = question;
  asked.options.method = method_name(MaintenanceMethod::Recompute);
  MethodFacts facts(asked);
  return decide_method(asked, facts);
}

}  // namespace matcha::session::stream
