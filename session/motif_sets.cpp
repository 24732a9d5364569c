#include "session/motif_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "planner/prices.h"
#include "question/convert.h"
#include "question/symmetry.h"
#include "runtime/graph/order.h"

namespace matcha::session {

namespace price = planner::price;

namespace {

using codegen::MotifTerm;
using runtime::motif::kMotifEdges;
using runtime::motif::Motif;
using runtime::motif::MotifSet;

/// More than any pattern of five vertices has.
constexpr std::size_t kAllSupergraphs = 64;

int size_of(std::string_view edges) { return 1 + *std::ranges::max_element(edges) - '0'; }

/// The motifs by a key that isomorphic patterns share.
const std::map<std::string, Motif>& motifs_by_key() {
  static const std::map<std::string, Motif> motifs = [] {
    std::map<std::string, Motif> found;
    for (std::size_t i = 0; i < runtime::motif::kMotifs; ++i) {
      const std::string_view edges = kMotifEdges[i];
      pattern::Pattern one = pattern::Pattern::empty(size_of(edges));
      for (std::size_t k = 0; k + 1 < edges.size(); k += 3) one.add_edge(edges[k] - '0', edges[k + 1] - '0');
      found.emplace(pattern::canonical_key(one), static_cast<Motif>(i));
    }
    return found;
  }();
  return motifs;
}

std::optional<Motif> motif_of(const pattern::Pattern& one) {
  const auto found = motifs_by_key().find(pattern::canonical_key(one));
  if (found == motifs_by_key().end()) return std::nullopt;
  return found->second;
}

bool is_plain(const pattern::Pattern& one) {
  return one.size() >= 3 && one.size() <= 5 && !one.directed && !one.labelled() && !one.edge_labelled() &&
         !one.has_anti_edges() && !one.has_loops() && !one.has_constants() && one.connected();
}

std::optional<std::vector<MotifTerm>> terms_of(const pattern::Pattern& one, pattern::Induced induced, bool embeddings) {
  std::int64_t maps = 1;
  if (embeddings) maps = static_cast<std::int64_t>(pattern::Symmetry(one).order().value_or(1));
  std::vector<MotifTerm> terms;
  const auto add = [&](const pattern::Pattern& larger, std::int64_t factor) {
    const std::optional<Motif> motif = motif_of(larger);
    if (motif) terms.push_back({*motif, factor * maps});
    return motif.has_value();
  };
  if (induced == pattern::Induced::Edge) {
    if (!add(one, 1)) return std::nullopt;
    return terms;
  }
  for (const pattern::Supergraph& larger : pattern::supergraphs(one, kAllSupergraphs)) {
    if (!add(larger.pattern, larger.factor)) return std::nullopt;
  }
  return terms;
}

bool has_any(const MotifSet& wanted, std::initializer_list<Motif> motifs) {
  return std::ranges::any_of(motifs, [&](Motif motif) { return wanted[at(motif)]; });
}

}  // namespace

bool is_countable(const runtime::Graph& graph) {
  const runtime::GraphFacts& facts = graph.facts();
  return !facts.directed && facts.simple && facts.loop_free && facts.info == runtime::InfoKind::None &&
         graph.view().slots == nullptr;
}

std::string identities_problem(const planner::Question& question, const runtime::Graph& graph,
                               codegen::MotifTask& task) {
  if (question.maybe_patterns == nullptr) return "identities count patterns, and this is a program";
  if (question.match != pattern::Match::Iso) {
    return fmt::format("identities count subgraphs, and `--match {}` asks for maps", to_string(question.match));
  }
  if (!is_countable(graph)) return "identities are of undirected graphs whose edges have no labels and no numbers";
  if (question.algorithm != "auto") return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
  if (question.plan != 1) return "`--plan` chooses among programs";
  for (const pattern::Pattern& one : question.maybe_patterns->patterns) {
    if (!is_plain(one)) return "identities are of connected patterns of 3 to 5 vertices that have edges alone";
    std::optional<std::vector<MotifTerm>> terms = terms_of(one, question.induced, question.embeddings);
    if (!terms || terms->empty()) return "no identity is known of the pattern";
    task.results.push_back(std::move(*terms));
  }
  return {};
}

bool is_for_identities(const planner::Question& question) {
  return question.of_motifs() && question.first().size() >= 4;
}

Status check_for_orbits(const runtime::Graph& graph, const Reporter& reporter) {
  if (is_countable(graph)) return Status::Ok;
  return reporter.error(Status::Usage, "orbits are of undirected graphs whose edges have no labels and no numbers");
}

double motif_cost(const runtime::Graph& graph, const MotifSet& wanted) {
  const double arcs = static_cast<double>(graph.view().arc_count);
  const double ranking = runtime::ns_to_rank(graph, 1);
  MotifSet further = wanted;
  for (const Motif star : {Motif::Wedge, Motif::FourStar, Motif::FiveStar}) further.reset(at(star));
  if (further.none()) return ranking + price::motif_degree * arcs;
  const runtime::SampledWork work = runtime::sampled_work_by_degree(graph);
  further.reset(at(Motif::FourCycle));
  double ns = ranking + price::motif_cycle_arc * arcs + price::motif_cycle_square * work.squares;
  if (further.none()) return ns;
  ns = ranking + price::motif_vertex * static_cast<double>(graph.view().universe) + price::motif_arc * arcs +
       price::motif_square * work.squares;
  double cubes = has_any(wanted, {Motif::FourClique}) ? 1 : 0, squares = 0;
  if (has_any(wanted, {Motif::House, Motif::Kite, Motif::Gem, Motif::Butterfly})) {
    cubes += 1;
    squares += price::motif_edge_square;
  }
  if (has_any(wanted, {Motif::FiveCycle})) {
    cubes += 2;
    squares += price::motif_path_square;
  }
  if (has_any(wanted, {Motif::FourCliqueTail, Motif::FiveCliqueMinusPath, Motif::FiveCliqueMinusEdge})) {
    cubes += 5;
    squares += price::motif_path_square;
  }
  if (has_any(wanted, {Motif::FiveClique})) cubes += 2;
  if (has_any(wanted, {Motif::TwoByThreePlusEdge})) squares += price::motif_inside_square;
  if (has_any(wanted, {Motif::FourWheel})) {
    ns += runtime::sampled_wheel_ns(graph);
    squares += price::motif_path_square;
  }
  ns += price::motif_cube * cubes * work.cubes + squares * work.squares;
  if (has_any(wanted, {Motif::TwoByThree, Motif::TwoByThreePlusEdge})) {
    double wedges = 0;
    const runtime::GraphView view = graph.view();
    for (std::uint64_t v = 0; v < view.universe; ++v) {
      const double degree = static_cast<double>(view.offsets[v + 1] - view.offsets[v]);
      wedges += degree * degree / 2;
    }
    ns += price::motif_wedge * wedges;
  }
  return ns;
}

double bytes_of_triangles(const runtime::Graph& graph) {
  constexpr double kBytesOfTriangle = 12;
  return kBytesOfTriangle * runtime::expected_work_by_degree(graph);
}

void MotifSets::add(const codegen::MotifTask& task, std::optional<double> ns_of_program) {
  shared_->wanted |= task.wanted();
  always_ = always_ || !ns_of_program;
  ns_of_programs_ += ns_of_program.value_or(0);
  ++programs_;
}

bool MotifSets::are_cheaper(const runtime::Graph& graph, unsigned threads) const {
  if (programs_ == 0) return false;
  const double workers = threads == 0 ? 1 : threads;
  return always_ || motif_cost(graph, shared_->wanted) / std::pow(workers, price::motif_threads) <
                        ns_of_programs_ / workers + price::compile * static_cast<double>(programs_);
}

}  // namespace matcha::session
