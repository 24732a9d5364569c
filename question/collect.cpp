#include "question/collect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <tuple>

#include "question/scan.h"

namespace matcha::pattern {

/// Most arcs of undetermined direction; each doubles the number of patterns.
constexpr std::size_t kMostEither = 6;

std::optional<std::int64_t> parse_id(std::string_view digits) {
  constexpr std::size_t kMostDigits = 18;
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  const std::from_chars_result read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < 0) return std::nullopt;
  return value;
}

std::size_t Collector::add(std::string name, std::optional<std::int64_t> number, SourceLoc loc) {
  if (!name.empty()) by_name_.emplace(name, vertices_.size());
  vertices_.push_back({std::move(name), number, loc, {}, {}});
  return vertices_.size() - 1;
}

std::size_t Collector::vertex(std::int64_t number, SourceLoc loc) {
  const std::string name = fmt::format("v{}", number);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return add(name, number, loc);
  vertices_[known->second].number = number;
  return known->second;
}

std::size_t Collector::vertex(std::string_view name, SourceLoc loc) {
  named_ = true;
  const auto known = by_name_.find(name);
  return known != by_name_.end() ? known->second : add(std::string(name), std::nullopt, loc);
}

std::size_t Collector::vertex_without_name(SourceLoc loc) {
  named_ = true;
  return add({}, std::nullopt, loc);
}

/// The user's spelling.
std::string Collector::spelled(std::size_t vertex) const {
  const Vertex& v = vertices_[vertex];
  return v.number ? fmt::format("{}", *v.number) : v.name.empty() ? "()" : v.name;
}

std::optional<std::string> Collector::literal(std::string_view word, SourceLoc loc) {
  std::optional<std::string> text = label_literal(word);
  if (!text) {
    fail(DiagId::PatternLabel, loc, fmt::format("`{}` cannot be written as a label", word),
         "a label is a number or a word in UTF-8 without quotes and backslashes");
  }
  return text;
}

/// `'a'|'b'`, or `?p`; empty after an error.
std::optional<std::string> Collector::literal(const LabelText& label, bool of_edge, SourceLoc loc) {
  if (label.variable) return "?" + std::string(label.words.empty() ? "" : label.words.front().text);
  std::set<std::string> all;
  for (const LabelText::Word& word : label.words) {
    std::optional<std::string> text = literal(word.text, label.words.size() == 1 ? loc : word.loc);
    if (!text) return std::nullopt;
    uses_.push_back({*text, word.loc, of_edge});
    all.insert(*text);
  }
  return fmt::format("{}", fmt::join(all, "|"));
}

void Collector::label(std::size_t vertex, const LabelText& given, SourceLoc loc) {
  const std::optional<std::string> text = literal(given, false, loc);
  if (!text) return;
  std::string& label = vertices_[vertex].label;
  if (!label.empty() && label != *text) {
    fail(DiagId::PatternLabel, loc, fmt::format("vertex {} has the labels {} and {}", spelled(vertex), label, *text));
  }
  label = *text;
}

void Collector::constant(std::size_t vertex, std::string_view word, SourceLoc loc) {
  // Ids may be text, such as 007, or beyond 63 bits.
  std::optional<std::string> text = label_literal(word);
  if (!text || *text != word) {
    const bool digits = !word.empty() && std::ranges::all_of(word, is_digit);
    text = digits ? fmt::format("'{}'", word) : literal(word, loc);
  }
  if (!text) return;
  std::string& constant = vertices_[vertex].constant;
  if (!constant.empty() && constant != *text) {
    fail(DiagId::PatternLabel, loc, fmt::format("vertex {} is {} and {}", spelled(vertex), constant, *text));
  }
  constant = *text;
  constants_.push_back({*text, loc});
}

/// A variable of a single edge is any label, however often that edge names it.
void Collector::name_variables() {
  using Place = std::tuple<std::size_t, std::size_t, char>;
  const auto place = [](const Edge& edge) {
    const bool swap = edge.sign == '-' && edge.u > edge.v;
    return Place(swap ? edge.v : edge.u, swap ? edge.u : edge.v, edge.sign);
  };
  std::map<std::string, std::set<Place>> edges;
  for (const Edge& edge : edges_) {
    if (is_variable(edge.label)) edges[edge.label].insert(place(edge));
  }
  std::set<std::string> seen;
  std::erase_if(edges_, [&](const Edge& edge) {
    return is_variable(edge.label) && edge.label != "?" && edges[edge.label].size() == 1 &&
           !seen.insert(edge.label).second;
  });
  for (Edge& edge : edges_) {
    if (is_variable(edge.label) && edges[edge.label].size() == 1 && !kept_.contains(edge.label)) edge.label = "?";
  }
}

std::optional<Subject> Collector::subject(std::string_view name) const {
  if (const auto edge = edge_by_name_.find(name); edge != edge_by_name_.end()) return Subject{true, edge->second};
  const auto vertex = by_name_.find(name);
  return vertex == by_name_.end() ? std::nullopt : std::optional(Subject{false, vertex->second});
}

void Collector::name_edge(std::string_view name, SourceLoc loc) {
  if (subject(name)) {
    fail(DiagId::PatternEdge, loc, fmt::format("`{}` stands here again", name), "an edge has a name of its own");
    return;
  }
  edge_by_name_.emplace(name, edges_.size());
  by_line_ = true;
}

std::vector<Subject> Collector::named_edges() const {
  std::vector<Subject> edges;
  for (const auto& [name, edge] : edge_by_name_) edges.push_back({true, edge});
  std::ranges::sort(edges, {}, &Subject::index);
  return edges;
}

void Collector::put_columns(PatternSet& set) const {
  set.by_line = by_line_;
  if (!by_line_ && conditions_.empty()) return;
  std::vector<int> index(vertices_.size());
  const std::vector<std::size_t> order = in_order();
  for (std::size_t v = 0; v < order.size(); ++v) index[order[v]] = static_cast<int>(v);
  for (const Edge& edge : given_edges_) {
    EdgeUse& use = set.edges.emplace_back(EdgeUse{edge.name, index[edge.u], index[edge.v], edge.sign, {}, edge.loc});
    const bool is_any = edge.label.empty() || edge.label == "?" || edge.label == "?" + edge.name;
    if (!is_any) use.labels = alternatives(edge.label);
  }
  const std::function<void(Condition&)> renumber = [&](Condition& term) {
    if (!term.subject.of_edge)
      term.subject.index = term.kind == Condition::Kind::Column ? static_cast<std::size_t>(index[term.subject.index])
                                                                : term.subject.index;
    std::ranges::for_each(term.parts, renumber);
  };
  set.conditions = conditions_;
  std::ranges::for_each(set.conditions, renumber);
}

void Collector::edge(std::size_t u, std::size_t v, char sign, const LabelText& given, SourceLoc loc,
                     std::string_view name) {
  if (u == v && sign == '~') {
    fail(DiagId::PatternEdge, loc, fmt::format("vertex {} and itself are no pair", spelled(u)),
         "loops that must not be there cannot be said");
    return;
  }
  const std::optional<std::string> label = literal(given, true, loc);
  if (!label) return;
  if (sign == '~' && !label->empty()) {
    fail(DiagId::PatternLabel, loc,
         fmt::format("vertices {} and {} have no edge that could have a label", spelled(u), spelled(v)),
         "`0~1` is a pair that no edge joins, whatever its label");
    return;
  }
  edges_.push_back({u, v, sign, *label, loc, std::string(name)});
}

void Collector::fail(DiagId id, SourceLoc loc, std::string message, std::string hint) {
  diagnostics_.error(id, loc, std::move(message), std::move(hint));
  failed_ = true;
}

bool Collector::has_vertices(SourceLoc whole) {
  if (vertices_.empty()) fail(DiagId::PatternSize, whole, "the pattern has no vertices");
  if (vertices_.size() > kMostVertices) {
    fail(DiagId::PatternSize, whole,
         fmt::format("the pattern has {} vertices; at most {} are taken", vertices_.size(), kMostVertices));
  }
  return !failed_;
}

/// A vertex without a name is called `v2` if it is the third, or by the next free number.
void Collector::name_all() {
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (!vertices_[v].name.empty()) continue;
    std::size_t number = v;
    while (by_name_.contains(fmt::format("v{}", number))) ++number;
    vertices_[v].name = fmt::format("v{}", number);
    by_name_.emplace(vertices_[v].name, v);
  }
}

std::vector<std::size_t> Collector::in_order() const {
  std::vector<std::size_t> order(vertices_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!named_) std::ranges::sort(order, {}, [&](std::size_t v) { return *vertices_[v].number; });
  return order;
}

void Collector::add_edges(const std::vector<int>& index, Pattern& pattern) {
  for (const Edge& edge : edges_) {
    const int u = index[edge.u], v = index[edge.v];
    if (u == v) {
      if (edge.sign == '>') pattern.directed = true;
      std::vector<std::string>& loops = pattern.loops[at(v)];
      if (edge.label == "?" || std::ranges::find(loops, edge.label) == loops.end()) loops.push_back(edge.label);
      std::ranges::sort(loops);
      continue;
    }
    if (edge.sign == '-') pattern.add_edge(u, v);
    if (edge.sign == '>') pattern.add_arc(u, v);
    if (!edge.label.empty()) pattern.add_edge_label(u, v, edge.label);
    if (!edge.label.empty() && edge.sign == '-') pattern.add_edge_label(v, u, edge.label);
    if (edge.sign == '>') pattern.directed = true;
    if (edge.sign != '~') continue;
    pattern.anti[at(u)] |= bit(v);
    pattern.anti[at(v)] |= bit(u);
  }
  for (const Edge& edge : edges_) {
    if (edge.sign != '~' || !has(pattern.near(index[edge.u]), index[edge.v])) continue;
    fail(DiagId::PatternEdge, edge.loc,
         fmt::format("vertices {} and {} must be adjacent and must not", spelled(edge.u), spelled(edge.v)));
  }
}

std::optional<Pattern> Collector::finish(SourceLoc whole) {
  if (failed_ || !has_vertices(whole)) return std::nullopt;
  given_edges_ = edges_;
  name_all();
  name_variables();
  return pattern_of(whole, {});
}

std::optional<std::vector<Pattern>> Collector::finish_all(SourceLoc whole) {
  if (failed_ || !has_vertices(whole)) return std::nullopt;
  given_edges_ = edges_;
  name_all();
  name_variables();
  std::vector<std::size_t> either;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (edges_[i].sign != '|') continue;
    edges_[i].sign = '>';
    // The direction of a loop makes no difference.
    if (edges_[i].u != edges_[i].v) either.push_back(i);
  }
  if (either.size() > kMostEither) {
    fail(DiagId::PatternPlan, edges_[either[kMostEither]].loc,
         fmt::format("more than {} relationships may lie in either direction", kMostEither),
         "give the others one: `-->`");
    return std::nullopt;
  }
  const std::vector<Edge> given = edges_;
  std::vector<Pattern> all;
  for (std::size_t way = 0; way < std::size_t{1} << either.size(); ++way) {
    std::vector<std::pair<std::size_t, std::size_t>> turned;
    edges_ = given;
    for (std::size_t i = 0; i < either.size(); ++i) {
      if ((way >> i & 1) == 0) continue;
      Edge& edge = edges_[either[i]];
      std::swap(edge.u, edge.v);
      turned.emplace_back(edge.u, edge.v);
    }
    if (!either.empty() && has_duplicate_arcs()) continue;
    std::optional<Pattern> one = pattern_of(whole, turned);
    if (!one) return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all;
}

/// True if two arcs with the same single label go from one vertex to another.
bool Collector::has_duplicate_arcs() const {
  std::set<std::tuple<std::size_t, std::size_t, std::string>> seen;
  return std::ranges::any_of(edges_, [&](const Edge& edge) {
    return !edge.label.empty() && !is_variable(edge.label) && !seen.emplace(edge.u, edge.v, edge.label).second;
  });
}

/// `turned`: arcs with reversed direction.
std::optional<Pattern> Collector::pattern_of(SourceLoc whole,
                                             const std::vector<std::pair<std::size_t, std::size_t>>& turned) {
  const int n = static_cast<int>(vertices_.size());
  Pattern pattern = Pattern::empty(n);
  std::vector<int> index(vertices_.size());
  const std::vector<std::size_t> order = in_order();
  for (int v = 0; v < n; ++v) {
    const Vertex& vertex = vertices_[order[at(v)]];
    index[order[at(v)]] = v;
    if (named_) {
      pattern.names.push_back(vertex.name);
    } else {
      pattern.ids[at(v)] = *vertex.number;
    }
    pattern.labels[at(v)] = vertex.label;
    pattern.constants[at(v)] = vertex.constant;
  }
  add_edges(index, pattern);
  for (const auto& [u, v] : different_) pattern.different.emplace_back(std::minmax(index[u], index[v]));
  for (const auto& [u, v] : turned) pattern.different_with_loops.emplace_back(std::minmax(index[u], index[v]));
  if (!failed_ && n > kMostUnlabelledVertices && !pattern.labelled()) {
    fail(DiagId::PatternSize, whole,
         fmt::format("the pattern has {} vertices; at most {} are taken without labels", n, kMostUnlabelledVertices),
         fmt::format("with labels, up to {}", kMostVertices));
  }
  if (failed_) return std::nullopt;
  return pattern;
}

}  // namespace matcha::pattern
