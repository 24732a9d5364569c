#include "frontend/pattern/relations.h"

#include <fmt/format.h>

namespace matcha::frontend::pattern {

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
    if (arc.first == v) return fmt::format("vertices(G, {})", labels.front());
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

}  // namespace matcha::frontend::pattern
