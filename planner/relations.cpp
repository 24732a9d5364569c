#include "planner/relations.h"

#include <fmt/format.h>

namespace matcha::pattern {

namespace {

bool calls(const std::string& text, const std::string& function) {
  return text.find(function + "(") != std::string::npos;
}

/// The most edges that may have one variable.
constexpr int kMostOfVariable = 16;

/// The functions that count edges of any label.
void write_counts(const std::string& program, Text& out) {
  const auto walk = [&](const std::string& cond, int i) {
    return fmt::format("apply(lambda w, l: w, cond=lambda w, l: w == v{0}{1}, neighbor(G, u{0}), edge_info(G, u{0}))",
                       i, cond);
  };
  if (calls(program, "edges_between")) {
    out.open("def edges_between(G: Graph, u0: int, v0: int) -> int:");
    out.line("\"\"\"How many edges join the two, whatever their labels.\"\"\"");
    out.line(fmt::format("return size({})", walk(" and l == l", 0)));
    out.close();
    out.line("");
  }
  for (int edges = 2; edges <= kMostOfVariable; ++edges) {
    if (!calls(program, fmt::format("common_labels_{}", edges))) continue;
    std::string ends, cond;
    for (int i = 0; i < edges; ++i) ends += fmt::format(", u{0}: int, v{0}: int", i);
    out.open(fmt::format("def common_labels_{}(G: Graph{}) -> int:", edges, ends));
    out.line("\"\"\"How many labels edges between all of these pairs have.\"\"\"");
    for (int i = 1; i < edges; ++i) {
      out.open(fmt::format("def joined_{}(label):", i));
      out.line(fmt::format("return size({}) > 0", walk(" and l == label", i)));
      out.close();
      cond += fmt::format(" and joined_{}(l)", i);
    }
    out.line(fmt::format("return size({})", walk(cond, 0)));
    out.close();
    out.line("");
  }
}

}  // namespace

Relations::Relations(const Pattern& pattern) : any_(pattern.edge_labelled() ? "_any" : "") {}

std::string Relations::after(const std::string& label, const std::string& vertex) const {
  return label.empty() ? fmt::format("neighbor(G{}, {})", any_, vertex)
                       : fmt::format("neighbor(G, {}, {})", vertex, label);
}

std::string Relations::before(const std::string& label, const std::string& vertex) const {
  return label.empty() ? fmt::format("neighbor(R{}, {})", any_, vertex)
                       : fmt::format("sources(G, {}, {})", vertex, label);
}

std::string Relations::all(const Pattern& pattern, int v) {
  for (const auto& [arc, labels] : pattern.edge_labels) {
    const std::string label = fixed_labels(labels).front();
    if (arc.first == v && !label.empty()) return fmt::format("vertices(G, {})", label);
  }
  return "vertices(G)";
}

void Relations::define(const std::string& body, Text& out) const {
  const bool backwards = body.find(fmt::format("neighbor(R{},", any_)) != std::string::npos;
  if (!any_.empty() && (backwards || body.find("neighbor(G_any,") != std::string::npos))
    out.line("G_any = adjacent(G)");
  if (!backwards) return;
  out.line(any_.empty() ? "# R has every arc backwards: its neighbors are where arcs come from."
                        : "# Every arc backwards: neighbors there are where arcs come from.");
  out.line(fmt::format("R{0} = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(G{0})))", any_));
}

void Relations::write_functions(const std::string& program, Text& out) {
  write_counts(program, out);
  if (program.find("adjacent(") == std::string::npos) return;
  out.open("def adjacent(G: Graph):");
  out.line("\"\"\"The pairs that edges of any label join, each once.\"\"\"");
  out.open("def from_v(v):");
  out.line("return apply(lambda w: mk_tuple(val=[v, w]), intersect(vertices(G), neighbor(G, v)))");
  out.close();
  out.line("return mk_graph(flatten(apply(from_v, vertices(G))))");
  out.close();
  out.line("");
}

}  // namespace matcha::pattern
