#include "session/engines/map_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/prices.h"
#include "question/label_model.h"
#include "runtime/machine.h"
#include "session/edge_label_facts.h"

namespace matcha::session {

namespace price = planner::price;

namespace {

using pattern::Mask;
using pattern::Match;
using pattern::Pattern;
using runtime::messages::MapPlan;
using runtime::messages::MapQuery;

/// Of more vertices not all pairs are tried.
constexpr int kMostForTwo = 12;

/// A label that is neither a variable nor one of several.
bool is_one(const std::string& label) {
  return !pattern::is_variable(label) && pattern::alternatives(label).size() == 1;
}

/// The number of edges that have each named variable.
std::map<std::string, int> named_variables(const Pattern& pattern) {
  std::map<std::string, int> edges;
  for (const auto& [arc, labels] : pattern.edge_labels) {
    for (const std::string& label : labels) {
      if (pattern::is_variable(label) && label != "?") ++edges[label];
    }
  }
  return edges;
}

/// The variables that stand on several edges.
std::vector<std::string> shared_variables(const Pattern& pattern) {
  std::vector<std::string> shared;
  for (const auto& [variable, edges] : named_variables(pattern)) {
    if (edges > 1) shared.push_back(variable);
  }
  return shared;
}

std::int64_t code_or_none(const std::string& literal, const runtime::LabelDictionary& dictionary) {
  return code_of_literal(literal, dictionary).value_or(runtime::kNoLabel + 1);
}

/// Vertices and arcs.
MapQuery query_of(const Pattern& pattern, const runtime::LabelDictionary& dictionary) {
  MapQuery query;
  query.size = pattern.size();
  const std::vector<std::string> shared = shared_variables(pattern);
  for (const auto& [ends, labels] : pattern.edge_labels) {
    for (const std::string& label : labels) {
      MapQuery::Arc& arc = query.arcs.emplace_back();
      arc.from = ends.first;
      arc.to = ends.second;
      const auto same = std::ranges::find(shared, label);
      if (same != shared.end()) arc.shared = 1 + static_cast<int>(same - shared.begin());
      if (pattern::is_variable(label)) continue;
      for (const std::string& one : pattern::alternatives(label)) {
        const std::int64_t code = code_or_none(one, dictionary);
        if (std::ranges::find(arc.labels, code) == arc.labels.end()) arc.labels.push_back(code);
      }
    }
  }
  query.labels.resize(pattern.ids.size());
  query.images.resize(pattern.ids.size());
  return query;
}

/// The first arc of the query of the pattern with this variable.
int arc_of(const Pattern& pattern, const std::string& variable) {
  int arc = 0;
  for (const auto& [ends, labels] : pattern.edge_labels) {
    const auto found = std::ranges::find(labels, variable);
    arc += static_cast<int>(found - labels.begin());
    if (found != labels.end()) break;
  }
  return arc;
}

/// Arcs are matched by their labels, and some label tells where to look.
bool has_labels_on_all_arcs(const Pattern& pattern) {
  if (!pattern.directed || !pattern.edge_labelled()) return false;
  for (int u = 0; u < pattern.size(); ++u) {
    bool all = true;
    pattern::for_each(pattern.out[pattern::at(u)], [&](int v) { all = all && !pattern.labels_of(u, v).empty(); });
    if (!all) return false;
  }
  return true;
}

bool all_vertices_differ(const Pattern& pattern) {
  for (int u = 0; u < pattern.size(); ++u) {
    for (int v = 0; v < u; ++v) {
      if (!pattern::labels_differ(pattern, u, v)) return false;
    }
  }
  return true;
}

/// No edge has both labels.
bool edge_labels_differ(const std::string& one, const std::string& other) {
  if (pattern::is_variable(one) || pattern::is_variable(other)) return false;
  const std::vector<std::string> others = pattern::alternatives(other);
  return std::ranges::all_of(pattern::alternatives(one), [&](const std::string& label) {
    return std::ranges::all_of(others, [&](const std::string& same) {
      // Words are `'a'`; numbers may be written in several ways.
      return label != same && (label.front() == '\'' || same.front() == '\'');
    });
  });
}

/// No two arcs can have the same image.
bool all_arcs_differ(const Pattern& pattern) {
  std::vector<std::pair<std::pair<int, int>, std::string>> arcs;
  for (const auto& [arc, labels] : pattern.edge_labels) {
    for (const std::string& label : labels) arcs.emplace_back(arc, label);
  }
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [one, label] = arcs[i];
      const auto& [other, same] = arcs[j];
      const bool ends_differ = pattern::labels_differ(pattern, one.first, other.first) ||
                               pattern::labels_differ(pattern, one.second, other.second);
      if (!ends_differ && !edge_labels_differ(label, same)) return false;
    }
  }
  return true;
}

/// Facts of labels for the cost model, if an edge may have any label or one of several: of these the average vertex has
/// some.
class AnyLabelFacts final : public pattern::EdgeLabelFacts {
 public:
  AnyLabelFacts(const runtime::Graph& graph, const EdgeLabelFacts& facts)
      : facts_(facts),
        arcs_(static_cast<double>(graph.view().arc_count)),
        vertices_(std::max(static_cast<double>(graph.vertex_count()), 1.0)) {}

  double arcs(const std::string& label) const override {
    if (pattern::is_variable(label)) return arcs_;
    double sum = 0;
    for (const std::string& one : pattern::alternatives(label)) sum += facts_.arcs(one);
    return sum;
  }
  double products(const std::vector<pattern::LabelledEnd>& ends, const std::string& vertex_label) const override {
    std::vector<pattern::LabelledEnd> known;
    double factor = 1;
    for (const pattern::LabelledEnd& end : ends) {
      if (is_one(end.label)) {
        known.push_back(end);
      } else {
        factor *= arcs(end.label) / vertices_;
      }
    }
    return factor * (known.empty() ? vertices_ : facts_.products(known, vertex_label));
  }

 private:
  const EdgeLabelFacts& facts_;
  const double arcs_;
  const double vertices_;
};

/// Chooses cuts and roots by the lengths of lists that the labels of arcs imply.
class Chooser {
 public:
  Chooser(const Pattern& pattern, const MapQuery& query, const runtime::Graph& graph,
          const runtime::LabelDictionary& dictionary)
      : pattern_(pattern),
        query_(query),
        graph_(graph),
        facts_(edge_label_facts(graph, dictionary)),
        any_facts_(graph, *facts_),
        model_(pattern, any_facts_),
        vertices_(static_cast<double>(graph.vertex_count())) {
    make_codes();
  }

  /// The cheapest plan with the fewest cuts; nothing: two are not enough.
  std::optional<MapPlan> choose() {
    for (int top = 0; top < query_.size; ++top) try_top(top);
    if (best_ || query_.size > kMostForTwo) return best_;
    for (int cut = 0; cut < query_.size; ++cut) {
      for (int second = 0; second < query_.size; ++second) {
        if (second != cut) try_cuts(cut, second);
      }
    }
    return best_;
  }
  /// The expected time of the plan, in nanoseconds. Requires: `choose` was called.
  double ns() const { return least_; }

 private:
  /// Unlabelled arcs must be transposed before they are followed backwards. Arcs from `top` are followed forwards;
  /// others are assumed to be followed backwards.
  double price_of_turning(int top) const {
    const bool turns = std::ranges::any_of(query_.arcs, [&](const MapQuery::Arc& arc) {
      return arc.labels.empty() && arc.shared == 0 && arc.from != top;
    });
    return turns ? price::message_turned * static_cast<double>(graph_.view().arc_count) : 0;
  }

  void take(MapPlan plan, double cost) {
    if (best_ && cost >= least_) return;
    least_ = cost;
    best_ = std::move(plan);
  }

  /// Takes a plan with this vertex at the top, if there is one and it is cheaper than the others.
  void try_top(int top) {
    const auto blocks = runtime::messages::blocks_below(query_, top);
    if (!blocks) return;
    MapPlan plan;
    double cost = price::message_image * images(top) + price_of_turning(top);
    for (const runtime::messages::Block& block : *blocks)
      cost += choose_root(pattern::bit(block.cut), block.tree, pattern_.near(block.cut) & block.tree, plan);
    if (blocks->empty()) {
      plan.roots.push_back(top);
    } else {
      plan.cut = top;
    }
    take(std::move(plan), cost);
  }

  /// The same of two cuts.
  void try_cuts(int cut, int second) {
    using pattern::bit;
    using pattern::count;
    const auto trees = runtime::messages::trees_without(query_, cut, second);
    if (!trees) return;
    MapPlan plan;
    plan.cut = cut;
    plan.second = second;
    const bool are_joined = pattern::has(pattern_.near(cut), second);
    double cost = price::message_image * images(cut) + price_of_turning(cut);
    cost += price::message_image *
            (are_joined ? model_.matches(bit(cut) | bit(second), vertices_) : images(cut) * images(second));
    for (const std::vector<int>& tree : *trees) {
      Mask all = 0;
      for (const int v : tree) all |= bit(v);
      const Mask of_first = pattern_.near(cut) & all, of_second = pattern_.near(second) & all;
      if (count(of_first) + count(of_second) == 1) {
        plan.roots.push_back(pattern::lowest(of_first | of_second));
      } else {
        const Mask cuts = (of_first != 0 ? bit(cut) : 0) | (of_second != 0 ? bit(second) : 0);
        cost += choose_root(cuts, all, of_first | of_second, plan);
      }
    }
    take(std::move(plan), cost);
  }

  /// The most images of a vertex.
  double images(int v) const {
    if (query_.images[pattern::at(v)]) return 1;
    const runtime::Result<runtime::LabelTable> table = graph_.label_slices().table(graph_);
    double least = vertices_;
    for (const MapQuery::Arc& arc : query_.arcs) {
      if (!table || arc.labels.empty() || (arc.from != v && arc.to != v)) continue;
      const runtime::ArcSide side = arc.from == v ? runtime::ArcSide::Targets : runtime::ArcSide::Sources;
      double rows = 0;
      for (const std::int64_t label : arc.labels)
        rows += static_cast<double>(runtime::part_of(*table, true, side, label).rows.size());
      least = std::min(least, rows);
    }
    return least;
  }

  /// Adds the best root of a tree in which the vertices `tied` are adjacent to these cuts; gives the cost.
  double choose_root(Mask cuts, Mask tree, Mask tied, MapPlan& plan) const {
    int best = -1;
    double least = 0;
    pattern::for_each(tree, [&](int root) {
      const double cost = price::message_item * walk(cuts, root, -1, tied, tree).cost;
      if (best >= 0 && cost >= least) return;
      best = root;
      least = cost;
    });
    plan.roots.push_back(best);
    return least;
  }

  struct Walked {
    Mask vertices = 0;  ///< On the ways from tied vertices to this one; 0: none is below.
    double cost = 0;
    std::uint64_t key = 0;  ///< Identifies its subtree among siblings: equal ones are computed once.
  };

  /// Hashes of the conditions on vertices and on the edges between them; different conditions are equal only by chance.
  void make_codes() {
    const std::hash<std::string> hash;
    const auto size = static_cast<std::size_t>(pattern_.size());
    vertex_codes_.resize(size);
    edge_codes_.resize(size * size);
    for (std::size_t v = 0; v < size && !pattern_.constants.empty(); ++v)
      vertex_codes_[v] = mixed(hash(pattern_.labels[v]), hash(pattern_.constants[v]));
    for (const auto& [ends, labels] : pattern_.edge_labels) {
      std::uint64_t code = 0;
      for (const std::string& label : labels) code = mixed(code, hash(label));
      std::uint64_t& there = edge_code(ends.first, ends.second);
      std::uint64_t& back = edge_code(ends.second, ends.first);
      there = mixed(there, code + 1);
      back = mixed(back, code + 2);
    }
  }
  std::uint64_t& edge_code(int u, int v) {
    return edge_codes_[pattern::at(u) * static_cast<std::size_t>(pattern_.size()) + pattern::at(v)];
  }
  std::uint64_t edge_code(int u, int v) const {
    return edge_codes_[pattern::at(u) * static_cast<std::size_t>(pattern_.size()) + pattern::at(v)];
  }
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
    const std::uint64_t product = (a ^ (b + kFactor + (a << 6) + (a >> 2))) * kFactor;
    return product ^ product >> 29;
  }

  /// The cost to find the images of `v` from the vertices below it.
  Walked walk(Mask cuts, int v, int parent, Mask tied, Mask tree) const {
    using pattern::bit;
    Walked all;
    bool is_known = pattern::has(tied, v);
    if (is_known) all = {bit(v), model_.matches(cuts | bit(v), vertices_), 0};
    std::vector<std::uint64_t> seen;
    pattern::for_each(pattern_.near(v) & tree, [&](int child) {
      if (child == parent) return;
      const Walked below = walk(cuts, child, v, tied, tree);
      const bool is_fresh = std::ranges::find(seen, below.key) == seen.end();
      seen.push_back(below.key);
      if (below.vertices == 0 || !is_fresh) return;
      const Mask theirs = cuts | below.vertices, ours = cuts | all.vertices | bit(v);
      double cost = model_.matches(theirs, vertices_) * model_.candidates(theirs, bit(child), v, vertices_);
      if (is_known) {
        cost = std::min(cost, model_.matches(ours, vertices_) * model_.candidates(ours, bit(v), child, vertices_));
      }
      is_known = true;
      all.cost += below.cost + cost;
      all.vertices |= below.vertices | bit(v);
    });
    all.key = mixed(vertex_codes_[pattern::at(v)], parent < 0 ? 0 : edge_code(parent, v));
    for (const std::uint64_t key : seen) all.key += mixed(key, 1);
    pattern::for_each(cuts & pattern_.near(v), [&](int cut) {
      all.key = mixed(all.key, mixed(edge_code(cut, v), static_cast<std::uint64_t>(cut)));
    });
    return all;
  }

  const Pattern& pattern_;
  const MapQuery& query_;
  const runtime::Graph& graph_;
  const std::shared_ptr<const pattern::EdgeLabelFacts> facts_;
  const AnyLabelFacts any_facts_;
  const pattern::LabelModel model_;
  const double vertices_;
  std::vector<std::uint64_t> vertex_codes_;
  std::vector<std::uint64_t> edge_codes_;  ///< Of pairs of vertices.
  std::optional<MapPlan> best_;
  double least_ = 0;
};

/// Numbers by rank, which each thread may have for each vertex of the pattern, take a small part of the memory.
bool fits_memory(const Pattern& pattern, const runtime::Graph& graph) {
  const double bytes = static_cast<double>(graph.view().universe) * sizeof(std::uint64_t) * pattern.size() *
                       static_cast<double>(runtime::machine().threads);
  return bytes <= static_cast<double>(runtime::IoOptions().memory_limit()) / 4;
}

/// Items of rows of arcs with any label, or one of several, have 32 bits for their number. Counting once for each label
/// takes a pass over the vertices each time, which is less than the arcs.
bool fits_any_labels(const Pattern& pattern, const runtime::Graph& graph) {
  constexpr double kVerticesAPass = 16;
  const std::vector<std::string> shared = shared_variables(pattern);
  const std::uint64_t arcs = graph.view().arc_count;
  if (arcs > std::numeric_limits<std::uint32_t>::max()) return false;
  if (shared.empty()) return true;
  const runtime::Result<runtime::LabelTable> table = graph.label_slices().table(graph);
  if (!table) return false;
  double passes = static_cast<double>(graph.view().universe);
  for (std::size_t i = 0; i < shared.size(); ++i) passes *= static_cast<double>(table->labels.size());
  return passes / kVerticesAPass <= static_cast<double>(arcs);
}

/// The rank of the vertex that a pattern names; nothing: the graph has none.
std::optional<std::uint32_t> rank_of(const std::string& bound, const runtime::Universe& universe) {
  std::int64_t id = 0;
  const std::from_chars_result read = std::from_chars(bound.data(), bound.data() + bound.size(), id);
  return read.ec == std::errc() ? universe.rank(id) : std::nullopt;
}

/// The `messages_problem` of one pattern; its cost is added to `ns`.
std::string problem_of(const planner::Question& question, const Pattern& pattern, const runtime::Graph& graph,
                       double& ns) {
  if (!has_labels_on_all_arcs(pattern)) return "messages go along arcs that all have labels";
  if (pattern.size() < 2 || !pattern.connected()) return "the pattern is not connected";
  if (pattern.has_anti_edges()) return "the pattern has vertices that must not be adjacent";
  if (pattern.has_loops()) return "the pattern has loops";
  if (!pattern.different.empty() || (!pattern.different_with_loops.empty() && !graph.facts().loop_free)) {
    return "an edge of the pattern has no direction";
  }
  if (pattern.labelled() && graph.view().labels == nullptr) return "the vertices of the graph have no labels";
  if (pattern.counts_edges() && !fits_any_labels(pattern, graph)) {
    return "the graph has too many labels or arcs to try each label of a variable";
  }
  if (!fits_memory(pattern, graph)) return "its numbers of all vertices would not fit in memory";
  if (question.match == Match::Iso && !all_vertices_differ(pattern)) {
    return "labels do not keep all vertices of the pattern apart, as matches do without `--match homo`";
  }
  if (question.match == Match::Edge && (!shared_variables(pattern).empty() || !all_arcs_differ(pattern))) {
    return "labels do not keep all edges of the pattern apart";
  }
  const MapQuery query = query_of(pattern, graph.dictionary());
  for (int top = 0; top < query.size; ++top) {
    if (runtime::messages::blocks_below(query, top)) return {};
  }
  Chooser chooser(pattern, query, graph, graph.dictionary());
  if (!chooser.choose()) return "cycles of the pattern are left without any two of its vertices";
  ns += chooser.ns();
  return {};
}

codegen::MapTask::Part part_of(const Pattern& pattern, const std::vector<std::string>& shown,
                               const runtime::Graph& graph, const runtime::LabelDictionary& dictionary) {
  codegen::MapTask::Part part;
  part.query = query_of(pattern, dictionary);
  for (const std::string& variable : shown) part.shown.push_back(arc_of(pattern, variable));
  for (int v = 0; v < pattern.size(); ++v) {
    const std::size_t at = pattern::at(v);
    for (const std::string& one : pattern::alternatives(pattern.label(v))) {
      if (!one.empty()) part.query.labels[at].push_back(code_or_none(one, dictionary));
    }
    if (pattern.constants.empty() || pattern.constants[at].empty()) continue;
    part.query.images[at] = rank_of(pattern.bound[at], graph.universe());
    part.query.is_impossible = part.query.is_impossible || !part.query.images[at];
  }
  part.plan = Chooser(pattern, part.query, graph, dictionary).choose().value_or(MapPlan());
  return part;
}

}  // namespace

std::string messages_problem(const planner::Question& question, const runtime::Graph& graph, double& ns) {
  ns = 0;
  if (question.maybe_patterns == nullptr) return "messages match patterns, and this is a program";
  if (question.of_motifs()) return "messages match one pattern, and this is a set of them";
  if (question.induced != pattern::Induced::Edge) return "messages do not see edges that must not be there";
  if (!graph.facts().directed || graph.facts().info != runtime::InfoKind::Int) {
    return "messages are for directed graphs whose edges have labels";
  }
  if (question.algorithm != "auto") return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
  if (question.plan != 1) return "`--plan` chooses among programs";
  if (graph.view().slots != nullptr) return "the ids of the graph are sparse";
  std::string problem;
  for (const Pattern& pattern : question.maybe_patterns->patterns) {
    if (problem.empty()) problem = problem_of(question, pattern, graph, ns);
  }
  return problem;
}

codegen::MapTask map_task(const planner::Question& question, const runtime::Graph& graph,
                          const runtime::LabelDictionary& dictionary) {
  codegen::MapTask task;
  if (question.want == planner::Want::Rows) task.columns = question.columns;
  for (const Pattern& pattern : question.maybe_patterns->patterns)
    task.parts.push_back(part_of(pattern, question.variables, graph, dictionary));
  return task;
}

}  // namespace matcha::session
