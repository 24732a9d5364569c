#include "question/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "question/read.h"

namespace matcha::pattern {

std::string_view to_string(Match match) {
  switch (match) {
    case Match::Iso: return "iso";
    case Match::Homo: return "homo";
    case Match::Edge: return "edge";
  }
  return "";
}

std::optional<Match> match_of(std::string_view name) {
  for (Match match : {Match::Iso, Match::Homo, Match::Edge}) {
    if (name == to_string(match)) return match;
  }
  return std::nullopt;
}

bool Pattern::labelled() const {
  for (const std::string& text : labels) {
    if (!text.empty()) return true;
  }
  return false;
}

bool Pattern::edge_labelled() const {
  const auto some = [](const std::string& label) { return !label.empty(); };
  return !edge_labels.empty() ||
         std::ranges::any_of(loops, [&](const auto& labels) { return std::ranges::any_of(labels, some); });
}

const std::vector<std::string>& Pattern::labels_of(int u, int v) const {
  static const std::vector<std::string> kAny;
  const auto found = edge_labels.find({u, v});
  return found == edge_labels.end() ? kAny : found->second;
}

std::vector<std::string> alternatives(const std::string& label) {
  std::vector<std::string> found(1);
  char quote = '\0';
  for (char c : label) {
    if (c == '\'' && quote == '\0') {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    if (c == '|' && quote == '\0') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

std::vector<std::string> fixed_labels(const std::vector<std::string>& labels) {
  std::vector<std::string> fixed;
  std::ranges::copy_if(labels, std::back_inserter(fixed), [](const std::string& one) { return !is_variable(one); });
  if (fixed.empty()) fixed.emplace_back();
  return fixed;
}

bool Pattern::has_loops() const {
  return std::ranges::any_of(loops, [](const auto& labels) { return !labels.empty(); });
}

bool Pattern::has_constants() const {
  return std::ranges::any_of(constants, [](const std::string& one) { return !one.empty(); });
}

bool Pattern::counts_edges() const {
  const auto counted = [](const std::string& label) { return is_variable(label) || alternatives(label).size() > 1; };
  const auto any = [&](const std::vector<std::string>& labels) { return std::ranges::any_of(labels, counted); };
  return std::ranges::any_of(edge_labels, [&](const auto& one) { return any(one.second); }) ||
         std::ranges::any_of(loops, any);
}

bool Pattern::has_anti_edges() const {
  for (Mask set : anti) {
    if (set != 0) return true;
  }
  return false;
}

bool Pattern::connected() const {
  Mask reached = size() == 0 ? 0 : 1;
  for (Mask last = 0; reached != last;) {
    last = reached;
    for_each(last, [&](int v) { reached |= near(v); });
  }
  return reached == all();
}

int Pattern::edge_count() const {
  int arcs = 0;
  for (Mask set : out) arcs += count(set);
  return directed ? arcs : arcs / 2;
}

Pattern Pattern::empty(int n) {
  Pattern pattern;
  pattern.ids.resize(at(n));
  std::iota(pattern.ids.begin(), pattern.ids.end(), 0);
  pattern.out.resize(at(n));
  pattern.in.resize(at(n));
  pattern.anti.resize(at(n));
  pattern.labels.resize(at(n));
  pattern.loops.resize(at(n));
  pattern.constants.resize(at(n));
  pattern.bound.resize(at(n));
  return pattern;
}

void Pattern::add_edge(int u, int v) {
  add_arc(u, v);
  add_arc(v, u);
}

void Pattern::add_arc(int u, int v) {
  out[at(u)] |= bit(v);
  in[at(v)] |= bit(u);
}

void Pattern::add_edge_label(int u, int v, const std::string& label) {
  std::vector<std::string>& labels = edge_labels[{u, v}];
  const auto place = std::lower_bound(labels.begin(), labels.end(), label);
  if (place == labels.end() || *place != label || label == "?") labels.insert(place, label);
}

std::string Pattern::vertex_name(int v) const { return names.empty() ? fmt::format("v{}", id(v)) : names[at(v)]; }

std::string to_text(const Pattern& pattern) {
  const bool named = !pattern.names.empty();
  std::string text;
  const auto item = [&text](const std::string& one) { text += (text.empty() ? "" : ",") + one; };
  const auto end = [&](int v) {
    if (!named) return fmt::format("{}", pattern.id(v));
    const std::string& name = pattern.names[at(v)];
    return is_pattern_name(name) ? fmt::format("({})", name) : name;
  };
  const auto edge = [&](int u, std::string_view sign, int v) {
    const std::string ends = fmt::format("{}{}{}", end(u), sign, end(v));
    for (const std::string& label : pattern.labels_of(u, v)) item(fmt::format("{}={}", ends, label));
    if (pattern.labels_of(u, v).empty()) item(ends);
  };
  const auto is_edge = [&](int u, int v) {
    return has(pattern.out[at(u)], v) && has(pattern.in[at(u)], v) &&
           pattern.labels_of(u, v) == pattern.labels_of(v, u);
  };
  // Without an arrow it would be read as an undirected pattern.
  bool only_edges = pattern.directed && !pattern.has_loops();
  for (int u = 0; u < pattern.size(); ++u) {
    for_each(pattern.near(u), [&](int v) { only_edges = only_edges && is_edge(u, v); });
  }
  for (int u = 0; u < pattern.size(); ++u) {
    for_each(pattern.near(u) | pattern.anti[at(u)], [&](int v) {
      const bool edge_here = is_edge(u, v) && !only_edges;
      if (edge_here && u < v) edge(u, "-", v);
      if (!edge_here && has(pattern.out[at(u)], v)) edge(u, named ? "->" : ">", v);
      if (has(pattern.anti[at(u)], v) && u < v) item(fmt::format("{}{}{}", end(u), named ? '~' : '!', end(v)));
    });
  }
  for (int v = 0; v < pattern.size(); ++v) {
    for (const std::string& label : pattern.loops[at(v)]) {
      const std::string sign = !pattern.directed ? "-" : named ? "->" : ">";
      item(fmt::format("{}{}{}{}{}", end(v), sign, end(v), label.empty() ? "" : "=", label));
    }
    const std::string& constant = pattern.constants[at(v)];
    if (!constant.empty() && named) item(fmt::format("({}@{})", pattern.names[at(v)], constant));
    if (!constant.empty() && !named) item(fmt::format("{}@{}", end(v), constant));
    const bool alone = (pattern.near(v) | pattern.anti[at(v)]) == 0 && pattern.loops[at(v)].empty() && constant.empty();
    const std::string& label = pattern.label(v);
    if (label.empty() && !alone) continue;
    const std::string vertex =
        fmt::format("{}{}{}", named ? pattern.names[at(v)] : end(v), label.empty() ? "" : ":", label);
    item(named ? fmt::format("({})", vertex) : vertex);
  }
  return text;
}

bool labels_differ(const Pattern& pattern, int u, int v) {
  if (pattern.label(u).empty() || pattern.label(v).empty() || pattern.label(u) == pattern.label(v)) return false;
  const std::vector<std::string> ours = alternatives(pattern.label(u)), theirs = alternatives(pattern.label(v));
  return std::ranges::none_of(ours,
                              [&](const std::string& one) { return std::ranges::find(theirs, one) != theirs.end(); });
}

Pattern restricted(const Pattern& pattern, Mask vertices) {
  std::vector<int> kept;
  for_each(vertices, [&](int v) { kept.push_back(v); });
  return renumbered(pattern, kept);
}

Pattern normal(Pattern pattern, Induced induced) {
  if (induced == Induced::Vertex) pattern.anti.assign(pattern.ids.size(), 0);
  return pattern;
}

Pattern renumbered(const Pattern& pattern, const std::vector<int>& kept) {
  const auto renumber = [&kept](Mask set) {
    Mask moved = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (has(set, kept[i])) moved |= bit(static_cast<int>(i));
    }
    return moved;
  };
  Pattern part;
  part.name = pattern.name;
  part.directed = pattern.directed;
  for (int v : kept) {
    part.ids.push_back(pattern.id(v));
    if (!pattern.names.empty()) part.names.push_back(pattern.names[at(v)]);
    part.out.push_back(renumber(pattern.out[at(v)]));
    part.in.push_back(renumber(pattern.in[at(v)]));
    part.anti.push_back(renumber(pattern.anti[at(v)]));
    part.labels.push_back(pattern.label(v));
    if (!pattern.kinds.empty()) part.kinds.emplace_back(pattern.kind(v));
    part.loops.push_back(pattern.loops[at(v)]);
    part.constants.push_back(pattern.constants[at(v)]);
    part.bound.push_back(pattern.bound[at(v)]);
  }
  for (std::size_t u = 0; u < kept.size(); ++u) {
    for (std::size_t v = 0; v < kept.size(); ++v) {
      const std::vector<std::string>& labels = pattern.labels_of(kept[u], kept[v]);
      if (!labels.empty()) part.edge_labels[{static_cast<int>(u), static_cast<int>(v)}] = labels;
    }
  }
  return part;
}

}  // namespace matcha::pattern
