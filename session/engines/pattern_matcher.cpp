#include "session/engines/pattern_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "planner/prices.h"
#include "question/symmetry.h"
#include "question/type_parts.h"
#include "session/edge_label_facts.h"

namespace matcha::session {

namespace price = planner::price;

namespace {

using pattern::Mask;
using pattern::Pattern;

/// Labelled patterns of this many vertices take long to compile, and programs go on where a search backtracks.
constexpr int kManyVertices = 10;
/// Stars and cliques have this many automorphisms; a search counts their interchangeable vertices together.
constexpr std::uint64_t kManyAutomorphisms = 720;

/// The code of a label; kNoLabel for a word that the graph does not have; nothing: any label.
std::optional<std::int64_t> wanted_label(const std::string& literal, const runtime::LabelDictionary& dictionary) {
  if (literal.empty()) return std::nullopt;
  return code_of_literal(literal, dictionary).value_or(runtime::kNoLabel);
}

/// Orders images so that of each subgraph one map is left: vertex after vertex of `order`, the image of each is the
/// smallest of those that the automorphisms which fix the ones before it can bring to its place.
std::vector<std::pair<int, int>> restrictions_of(pattern::Symmetry& symmetry, const std::vector<int>& order) {
  std::vector<std::pair<int, int>> restrictions;
  Mask fixed = 0;
  for (const int v : order) {
    const Mask orbit = symmetry.orbits(fixed)[pattern::at(v)];
    pattern::for_each(orbit & ~pattern::bit(v), [&](int w) { restrictions.emplace_back(w, v); });
    fixed |= pattern::bit(v);
  }
  return restrictions;
}

/// All vertices, those of an independent set last: few restrictions are between these, so that a search can count their
/// images together.
std::vector<int> leaves_last(const Pattern& pattern) {
  std::vector<int> order(pattern.ids.size());
  std::iota(order.begin(), order.end(), 0);
  const auto around = [&](int v) { return pattern.near(v) | pattern.anti[pattern::at(v)]; };
  std::ranges::stable_sort(order, std::ranges::greater(), [&](int v) { return pattern::count(around(v)); });
  Mask leaves = 0;
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    if ((around(*v) & leaves) == 0) leaves |= pattern::bit(*v);
  }
  std::ranges::stable_partition(order, [&](int v) { return !pattern::has(leaves, v); });
  return order;
}

/// The vertices that have neither a label nor an edge with one.
int without_labels(const Pattern& pattern) {
  int found = 0;
  for (int v = 0; v < pattern.size(); ++v) {
    bool has_label = !pattern.label(v).empty();
    pattern::for_each(pattern.near(v), [&](int w) {
      has_label = has_label || !pattern.labels_of(v, w).empty() || !pattern.labels_of(w, v).empty();
    });
    found += has_label ? 0 : 1;
  }
  return found;
}

bool has_many_automorphisms(const Pattern& pattern, pattern::Induced induced) {
  const std::optional<std::uint64_t> order = pattern::Symmetry(normal(pattern, induced)).order();
  return !order || *order >= kManyAutomorphisms;
}

/// The sides of the arcs from the image of u to that of v, or, backwards, the other way round; all different.
std::vector<int> sides_of(const Pattern& pattern, int u, int v, bool backwards,
                          const runtime::LabelDictionary& dictionary, runtime::match::Query& query) {
  const auto& labels = backwards ? pattern.labels_of(v, u) : pattern.labels_of(u, v);
  std::vector<int> sides;
  for (const std::string& label : labels) {
    // A word that no edge has is not the empty one either.
    const std::int64_t code = code_of_literal(label, dictionary).value_or(runtime::kNoLabel + 1);
    const int side = query.side({backwards, code});
    // A number may be written in several ways.
    if (std::ranges::find(sides, side) == sides.end()) sides.push_back(side);
  }
  if (labels.empty()) sides.push_back(query.side({backwards, std::nullopt}));
  return sides;
}

/// Tells edges apart by direction and label. `pattern` has its pairs without an edge.
void add_sides(const Pattern& pattern, bool graph_is_directed, bool induced, const runtime::LabelDictionary& dictionary,
               runtime::match::Query& query) {
  query.ties.resize(pattern.ids.size() * pattern.ids.size());
  for (int u = 0; u < pattern.size(); ++u) {
    const auto add = [&](int v) {
      runtime::match::Tie& tie = query.ties[pattern::at(u * pattern.size() + v)];
      for (const bool backwards : {false, true}) {
        if (backwards && !graph_is_directed) continue;
        const auto& arcs = backwards ? pattern.in : pattern.out;
        if (pattern::has(arcs[pattern::at(u)], v)) {
          const std::vector<int> sides = sides_of(pattern, u, v, backwards, dictionary, query);
          tie.with.insert(tie.with.end(), sides.begin(), sides.end());
        } else if (induced || pattern::has(pattern.anti[pattern::at(u)], v)) {
          tie.without.push_back(query.side({backwards, std::nullopt}));
        }
      }
    };
    pattern::for_each(pattern.near(u) | pattern.anti[pattern::at(u)], add);
  }
}

}  // namespace

std::string search_problem(const planner::Question& question, const runtime::Graph& graph) {
  if (question.maybe_patterns == nullptr) return "a search matches patterns, and this is a program";
  const Pattern& first = question.first();
  const runtime::GraphFacts& facts = graph.facts();
  const auto several = [](const std::string& label) { return pattern::alternatives(label).size() > 1; };
  if (question.of_motifs()) return "a search matches one pattern, and this is a set of them";
  if (question.match != pattern::Match::Iso) {
    return fmt::format("vertices of a search all differ, and `--match {}` lets them share an image",
                       to_string(question.match));
  }
  if (first.has_loops()) return "the pattern has loops";
  if (first.has_constants()) return "the pattern names vertices of the graph";
  if (std::ranges::any_of(first.labels, several)) return "a vertex of the pattern may have one of several labels";
  if (first.counts_edges()) return "each edge that fits is a match of its own";
  if (!first.different.empty() || question.maybe_patterns->alternatives) {
    return "an edge of the pattern has no direction in a directed graph";
  }
  if (question.plan != 1) return "`--plan` chooses among programs";
  if (graph.view().slots != nullptr) return "the ids of the graph are sparse";
  if (first.labelled() && !facts.labelled) return "some vertices of the graph have no label";
  if (first.edge_labelled() && facts.info != runtime::InfoKind::Int) return "the edges of the graph have no labels";
  if (!question.embeddings) {
    const auto parts = pattern::type_parts(first, question.induced, 1);
    if (!parts || !parts->empty()) return "labels of several types make it several patterns";
  }
  if (question.algorithm != "auto" && question.algorithm != "join") {
    return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
  }
  return {};
}

SearchUse use_of_search(const planner::Question& question, const runtime::Graph& graph) {
  if (question.algorithm == "join") return SearchUse::Faster;
  const Pattern& first = question.first();
  // Programs of arcs with labels are planned at once, and need no pass over all that have a label.
  const bool all_labelled = std::ranges::none_of(first.labels, [](const std::string& label) { return label.empty(); });
  const bool many = first.size() >= kManyVertices || has_many_automorphisms(first, question.induced);
  const bool rows = question.want == planner::Want::Rows;
  if (graph.facts().directed || !all_labelled) {
    if (many && without_labels(first) == 0) return SearchUse::Faster;
    // Rows of a trial that gives up would be there twice.
    return question.bounded && !rows ? SearchUse::Try : SearchUse::Slower;
  }
  return question.bounded || rows || many ? SearchUse::Faster : SearchUse::Try;
}

/// Matches beyond these are not priced, as the offer of a program has no price for its matches.
constexpr double kMostPriced = 1e3;

double search_cost(const planner::Question& question, const runtime::Graph& graph) {
  const Pattern& first = question.first();
  if (question.algorithm == "join") return 0;
  // The index finds the candidates with a label; the cost does not depend on their number.
  const bool has_index = first.labelled() || first.edge_labelled();
  const double index = has_index ? price::search_index_arc * static_cast<double>(graph.view().arc_count) : 0;
  const double candidates = without_labels(first) * static_cast<double>(graph.vertex_count());
  return index + price::search_candidate * candidates +
         price::search_image * std::min(static_cast<double>(question.most.value_or(0)), kMostPriced);
}

codegen::MatchTask match_task(const planner::Question& question, const runtime::Graph& graph,
                              const runtime::LabelDictionary& dictionary,
                              std::shared_ptr<runtime::match::MatchIndex> maybe_index) {
  const bool rows = question.want == planner::Want::Rows;
  // Its automorphisms are those of the pattern that is searched, where all pairs without an edge are alike.
  Pattern first = question.first();
  codegen::MatchTask task;
  task.rows = rows;
  task.maybe_index = std::move(maybe_index);
  task.query.size = first.size();
  for (int v = 0; v < first.size(); ++v) {
    task.query.labels.push_back(wanted_label(first.label(v), dictionary));
    if (question.induced == pattern::Induced::Vertex) {
      first.anti[pattern::at(v)] = first.all() & ~first.near(v) & ~pattern::bit(v);
    }
  }
  for (int v = 0; v < first.size(); ++v) task.query.near.push_back(first.near(v));
  task.query.anti = first.anti;
  if (graph.facts().directed || !graph.facts().simple || first.edge_labelled()) {
    add_sides(first, graph.facts().directed, question.induced == pattern::Induced::Vertex, dictionary, task.query);
  }
  if (question.embeddings) return task;
  pattern::Symmetry symmetry(first);
  const std::optional<unsigned __int128> maps = symmetry.wide_order();
  if (maps && *maps == 1) return task;
  // Few maps of each subgraph are counted and divided; rows, and more maps, are kept apart by restrictions.
  if (!rows && maps) {
    task.divisor = *maps;
    task.restrictions = restrictions_of(symmetry, leaves_last(first));
  } else {
    std::vector<int> order(first.ids.size());
    std::iota(order.begin(), order.end(), 0);
    task.query.restrictions = restrictions_of(symmetry, rows ? order : leaves_last(first));
  }
  return task;
}

}  // namespace matcha::session
