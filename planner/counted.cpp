#include "planner/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "question/symmetry.h"
#include "question/type_parts.h"

namespace matcha::pattern {

namespace {

/// An edge with one of its labels.
struct Use {
  int u, v;
  std::string label;
};

/// Loops among them; an undirected edge once.
std::vector<Use> uses_of(const Pattern& pattern) {
  std::vector<Use> uses;
  for (const auto& [arc, labels] : pattern.edge_labels) {
    for (const std::string& label : labels) {
      if (pattern.directed || arc.first < arc.second) uses.push_back({arc.first, arc.second, label});
    }
  }
  for (int v = 0; v < pattern.size(); ++v) {
    for (const std::string& label : pattern.loops[at(v)]) {
      if (!label.empty()) uses.push_back({v, v, label});
    }
  }
  return uses;
}

class Factors {
 public:
  Factors(const Pattern& pattern, Match match, const std::vector<std::string>& names)
      : pattern_(pattern), match_(match), names_(names) {
    std::map<std::string, std::vector<Use>> named;
    for (const Use& use : uses_of(pattern_)) {
      if (!is_variable(use.label)) {
        fixed_.push_back(use);
      } else if (use.label == "?") {
        single_.push_back(use);
      } else {
        named[use.label].push_back(use);
      }
    }
    for (auto& [name, uses] : named) {
      if (uses.size() == 1) {
        single_.push_back(uses.front());
      } else {
        shared_.push_back(std::move(uses));
      }
    }
  }

  std::vector<Factor> all() {
    std::vector<Factor> factors;
    for (const std::vector<Use>& uses : shared_) factors.push_back(common(uses));
    std::vector<Use> taken = fixed_;
    for (const Use& use : single_) {
      factors.push_back(between(use, match_ == Match::Edge ? taken : std::vector<Use>{}));
      taken.push_back(use);
    }
    return factors;
  }

  std::vector<LabelLoop> walks() {
    std::vector<LabelLoop> walks;
    for (const std::vector<Use>& uses : shared_) {
      LabelLoop& walk = begin_walk(uses.front(), walks);
      std::string cond = fmt::format("{} == {}", walk.end, name(uses.front().v));
      for (std::size_t i = 1; i < uses.size(); ++i) {
        cond += fmt::format(
            " and size(apply(lambda {0}, {1}: {0}, cond=lambda {0}, {1}: {0} == {2} and {1} == {3}, {4})) > 0",
            fresh("other_end"), fresh("other"), name(uses[i].v), walk.label, edges_at(uses[i].u));
      }
      end_walk(uses.front(), cond, walk);
    }
    std::vector<Use> taken = fixed_;
    for (const Use& use : single_) {
      LabelLoop& walk = begin_walk(use, walks);
      std::string cond = fmt::format("{} == {}", walk.end, name(use.v));
      for (const Use& other : taken) {
        if (match_ != Match::Edge) break;
        cond += differs(walk.label, other, use.u, use.v);
        if (!pattern_.directed) cond += differs(walk.label, other, use.v, use.u);
      }
      // The program calls the label of this edge so.
      taken.push_back({use.u, use.v, walk.label});
      end_walk(use, cond, walk);
    }
    return walks;
  }

 private:
  const std::string& name(int v) const { return names_[at(v)]; }

  /// The labels that all of these edges can have.
  Factor common(const std::vector<Use>& uses) const {
    Factor factor;
    factor.text = fmt::format("common_labels_{}(G", uses.size());
    for (const Use& use : uses) {
      factor.vertices |= bit(use.u) | bit(use.v);
      factor.text += fmt::format(", {}, {}", name(use.u), name(use.v));
    }
    factor.text += ")";
    return factor;
  }

  /// The condition under which the first edge is the same as the second, in this direction; empty: always.
  std::string when(int a, int b, int c, int d) const {
    std::string text = a == c ? "" : fmt::format("{} == {}", name(a), name(c));
    if (b != d) text += fmt::format("{}{} == {}", text.empty() ? "" : " and ", name(b), name(d));
    return text;
  }

  /// The edges of any label, less those of `taken` that join the same vertices.
  Factor between(const Use& use, const std::vector<Use>& taken) const {
    Factor factor{bit(use.u) | bit(use.v), fmt::format("edges_between(G, {}, {})", name(use.u), name(use.v))};
    for (const Use& other : taken) {
      factor.vertices |= bit(other.u) | bit(other.v);
      std::string same = when(use.u, use.v, other.u, other.v);
      if (!pattern_.directed && !same.empty()) {
        const std::string turned = when(use.u, use.v, other.v, other.u);
        same = turned.empty() ? "" : fmt::format("{} or {}", same, turned);
      }
      factor.text += same.empty() ? " - 1" : fmt::format(" - (1 if {} else 0)", same);
    }
    if (!taken.empty()) factor.text = fmt::format("({})", factor.text);
    return factor;
  }

  /// `word`, or with a number, so that no vertex has the name.
  std::string fresh(const std::string& word) const {
    std::string text = word;
    for (int number = 2; std::ranges::find(names_, text) != names_.end(); ++number)
      text = fmt::format("{}_{}", word, number);
    return text;
  }
  std::string edges_at(int u) const { return fmt::format("neighbor(G, {0}), edge_info(G, {0})", name(u)); }

  LabelLoop& begin_walk(const Use& use, std::vector<LabelLoop>& walks) const {
    LabelLoop& walk = walks.emplace_back();
    walk.variable = use.label;
    walk.label = fresh(fmt::format("label{}", walks.size()));
    walk.end = fresh(fmt::format("end{}", walks.size()));
    return walk;
  }
  void end_walk(const Use& use, const std::string& cond, LabelLoop& walk) const {
    walk.edges = fmt::format("cond=lambda {}, {}: {}, {}", walk.end, walk.label, cond, edges_at(use.u));
  }
  /// That an edge from `u` to `v` with this label is not the other one.
  std::string differs(const std::string& label, const Use& other, int u, int v) const {
    std::string text = fmt::format("{} != {}", label, other.label);
    if (u != other.u) text += fmt::format(" or {} != {}", name(u), name(other.u));
    if (v != other.v) text += fmt::format(" or {} != {}", name(v), name(other.v));
    return fmt::format(" and ({})", text);
  }

  const Pattern& pattern_;
  Match match_;
  const std::vector<std::string>& names_;
  std::vector<Use> fixed_, single_;       ///< With a label; with a variable of its own.
  std::vector<std::vector<Use>> shared_;  ///< With the same variable.
};

/// Puts `labels` on an arc, or on a loop.
void put_labels(Pattern& pattern, int u, int v, std::vector<std::string> labels) {
  std::ranges::sort(labels);
  // A label that is chosen twice is one condition, except `?`.
  std::vector<std::string> kept;
  for (std::string& label : labels) {
    if (label == "?" || kept.empty() || kept.back() != label) kept.push_back(std::move(label));
  }
  if (u == v) {
    pattern.loops[at(v)] = std::move(kept);
    return;
  }
  pattern.edge_labels[{u, v}] = kept;
  if (!pattern.directed) pattern.edge_labels[{v, u}] = std::move(kept);
}

/// Every way to choose a label on each edge.
std::optional<std::vector<Pattern>> choices_of(const Pattern& pattern, Match match, std::size_t most) {
  std::vector<std::pair<std::pair<int, int>, std::vector<std::string>>> edges;
  for (const auto& [arc, labels] : pattern.edge_labels) {
    if (pattern.directed || arc.first < arc.second) edges.emplace_back(arc, labels);
  }
  for (int v = 0; v < pattern.size(); ++v) edges.emplace_back(std::pair(v, v), pattern.loops[at(v)]);
  std::vector<Pattern> made = {pattern};
  for (const auto& [arc, labels] : edges) {
    std::vector<std::vector<std::string>> chosen = {{}};
    for (const std::string& label : labels) {
      const std::vector<std::string> all = alternatives(label);
      if (chosen.size() * all.size() > most) return std::nullopt;
      std::vector<std::vector<std::string>> longer;
      for (const std::vector<std::string>& before : chosen) {
        for (const std::string& one : all) {
          if (match == Match::Edge && one != "?" && std::ranges::find(before, one) != before.end()) continue;
          longer.push_back(before);
          longer.back().push_back(one);
        }
      }
      chosen = std::move(longer);
    }
    if (chosen.size() * made.size() > most) return std::nullopt;
    std::vector<Pattern> more;
    for (const Pattern& one : made) {
      for (const std::vector<std::string>& choice : chosen) {
        more.push_back(one);
        if (!choice.empty()) put_labels(more.back(), arc.first, arc.second, choice);
      }
    }
    made = std::move(more);
  }
  return made;
}

/// The number of edges that have each variable.
std::map<std::string, int> variables_of(const Pattern& pattern) {
  std::map<std::string, int> uses;
  const auto add = [&](const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      if (is_variable(label) && label != "?") ++uses[label];
    }
  };
  for (const auto& [arc, labels] : pattern.edge_labels) {
    if (pattern.directed || arc.first < arc.second) add(labels);
  }
  for (const std::vector<std::string>& labels : pattern.loops) add(labels);
  return uses;
}

/// The most edges that may have one variable.
constexpr int kMostEdgesOfVariable = 16;

}  // namespace

Pattern with_edges(Pattern pattern, Match match) {
  if (match != Match::Edge || !pattern.edge_labelled()) return pattern;
  for (int u = 0; u < pattern.size(); ++u) {
    for_each(pattern.out[at(u)], [&](int v) {
      if (pattern.labels_of(u, v).empty()) pattern.add_edge_label(u, v, "?");
    });
    for (std::string& loop : pattern.loops[at(u)]) {
      if (loop.empty()) loop = "?";
    }
  }
  return pattern;
}

Pattern with_first_labels(const Pattern& pattern) {
  Pattern first = pattern;
  const auto take_first = [](std::vector<std::string> labels) {
    for (std::string& label : labels) {
      if (!is_variable(label)) label = alternatives(label).front();
    }
    return labels;
  };
  for (const auto& [arc, labels] : pattern.edge_labels) put_labels(first, arc.first, arc.second, take_first(labels));
  for (int v = 0; v < pattern.size(); ++v) put_labels(first, v, v, take_first(pattern.loops[at(v)]));
  return first;
}

bool check_counted(const Pattern& pattern, Match match, bool rows, ExpandTo purpose, SourceLoc loc,
                   Diagnostics& diagnostics) {
  if (!pattern.counts_edges()) return true;
  std::string message, hint;
  if (rows && purpose != ExpandTo::Rows) {
    message = "subgraphs with edges of any label, or of one of several, are counted, not listed";
    hint = "`--embeddings` lists them; an edge that just has to be there has no label: `0>1`";
  }
  for (const auto& [label, times] : variables_of(pattern)) {
    if (match == Match::Edge && times > 1) {
      message = fmt::format("the label `{}` stands on {} edges, which `--match edge` does not take", label, times);
      hint = "`--match homo` and `--match iso` do";
    } else if (times > kMostEdgesOfVariable) {
      message =
          fmt::format("the label `{}` stands on {} edges; at most {} are taken", label, times, kMostEdgesOfVariable);
    }
  }
  if (!message.empty()) diagnostics.error(DiagId::PatternPlan, loc, message, hint);
  return message.empty();
}

bool bind_numbers(Pattern& pattern, SourceLoc loc, Diagnostics& diagnostics) {
  for (int v = 0; v < pattern.size(); ++v) {
    const std::string& constant = pattern.constants[at(v)];
    if (constant.empty() || !pattern.bound[at(v)].empty()) continue;
    if (constant.front() == '\'') {
      diagnostics.error(DiagId::PatternPlan, loc, fmt::format("which vertex {} is, only a graph can say", constant),
                        "add the graph");
      return false;
    }
    pattern.bound[at(v)] = constant;
  }
  return true;
}

std::vector<Factor> factors_of(const Pattern& pattern, Match match, const std::vector<std::string>& names) {
  return Factors(pattern, match, names).all();
}

std::vector<LabelLoop> label_loops_of(const Pattern& pattern, Match match, const std::vector<std::string>& names) {
  return Factors(pattern, match, names).walks();
}

std::optional<std::vector<Expansion>> expansions_of(const std::vector<Pattern>& patterns, const Semantics& semantics,
                                                    ExpandTo purpose, std::size_t most) {
  if (purpose == ExpandTo::Subgraphs && patterns.size() == 1) {
    const std::optional<std::vector<Pattern>> parts = type_parts(patterns.front(), semantics.induced, most);
    if (!parts) return std::nullopt;
    if (!parts->empty()) return expansions_of(*parts, semantics, purpose, most);
  }
  std::vector<Expansion> found;
  std::map<std::string, std::size_t> known;
  std::vector<const Pattern*> origins;  // Of each expansion in `found`.
  for (const Pattern& pattern : patterns) {
    std::optional<std::vector<Pattern>> choices = choices_of(pattern, semantics.match, most);
    if (!choices) return std::nullopt;
    if (patterns.size() == 1 && choices->size() == 1 && choices->front().edge_labels == pattern.edge_labels &&
        choices->front().loops == pattern.loops) {
      return std::vector<Expansion>{{pattern, 1}};
    }
    for (Pattern& one : *choices) {
      const bool alone = purpose == ExpandTo::Rows || !one.different.empty();
      const auto [place, fresh] =
          known.try_emplace(alone ? fmt::format("{}", found.size()) : canonical_key(one), found.size());
      if (fresh) {
        found.push_back({std::move(one), 1});
        origins.push_back(&pattern);
      } else {
        ++found[place->second].factor;
      }
    }
    if (found.size() > most) return std::nullopt;
  }
  if (purpose != ExpandTo::Subgraphs) return found;
  // The embeddings of all choices are a multiple of the subgraphs. Automorphisms of the pattern permute the choices;
  // the automorphisms of a choice are those that keep it.
  const auto order = [&](const Pattern& pattern) { return Symmetry(normal(pattern, semantics.induced)).order(); };
  for (std::size_t i = 0; i < found.size(); ++i) {
    Expansion& one = found[i];
    const std::optional<std::uint64_t> group = order(*origins[i]), own = order(one.pattern);
    if (!group || !own || *own > UINT64_MAX / one.factor) return std::nullopt;
    one.factor = one.factor * *own / *group;
  }
  return found;
}

}  // namespace matcha::pattern
