#include "frontend/pattern/relations.h"

#include <fmt/format.h>

#include <set>

namespace matcha::frontend::pattern {

namespace {

bool calls(const std::string& text, const std::string& function) {
  return text.find(function + "(") != std::string::npos;
}

}  // namespace

Relations::Relations(const Pattern& pattern) {
  suffixes_[""] = pattern.edge_labelled() ? "_any" : "";
  std::set<std::string> taken = {"_any"};
  for (const auto& [arc, labels] : pattern.edge_labels) {
    for (const std::string& label : labels) {
      if (suffixes_.contains(label)) continue;
      std::string plain = "_";
      for (char c : label) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (c != '\'') plain += letter ? c : '_';
      }
      std::string suffix = plain;
      for (int more = 2; !taken.insert(suffix).second; ++more) suffix = fmt::format("{}_{}", plain, more);
      suffixes_[label] = suffix;
    }
  }
}

std::string Relations::after(const std::string& label, const std::string& vertex) const {
  return fmt::format("neighbor(G{}, {})", suffixes_.at(label), vertex);
}

std::string Relations::before(const std::string& label, const std::string& vertex) const {
  return fmt::format("neighbor(R{}, {})", suffixes_.at(label), vertex);
}

void Relations::define(const std::string& body, Text& out) const {
  const bool backwards = body.find("neighbor(R") != std::string::npos;
  for (const auto& [label, suffix] : suffixes_) {
    const bool there = body.find(fmt::format("neighbor(G{},", suffix)) != std::string::npos;
    const bool back = body.find(fmt::format("neighbor(R{},", suffix)) != std::string::npos;
    if (suffix.empty() || !(there || back)) continue;
    out.line(label.empty() ? "G_any = adjacent(G)" : fmt::format("G{} = with_label(G, {})", suffix, label));
  }
  if (!backwards) return;
  const bool plain = suffixes_.at("").empty();
  out.line(plain ? "# R has every arc backwards: its neighbors are where arcs come from."
                 : "# Every arc backwards: neighbors there are where arcs come from.");
  for (const auto& [label, suffix] : suffixes_) {
    if (body.find(fmt::format("neighbor(R{},", suffix)) == std::string::npos) continue;
    out.line(
        fmt::format("R{0} = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(G{0})))", suffix));
  }
}

void Relations::write_functions(const std::string& program, Text& out) {
  if (calls(program, "with_label")) {
    out.open("def with_label(G: Graph, label: int):");
    out.line("\"\"\"The pairs that edges with the label join, each once.\"\"\"");
    out.open("def from_v(v):");
    out.line("joined = apply(lambda w, l: w, cond=lambda w, l: l == label, neighbor(G, v), edge_info(G, v))");
    out.line("return apply(lambda w: mk_tuple(val=[v, w]), intersect(vertices(G), joined))");
    out.close();
    out.line("return mk_graph(flatten(apply(from_v, vertices(G))))");
    out.close();
    out.line("");
  }
  if (calls(program, "adjacent")) {
    out.open("def adjacent(G: Graph):");
    out.line("\"\"\"The pairs that edges of any label join, each once.\"\"\"");
    out.open("def from_v(v):");
    out.line("return apply(lambda w: mk_tuple(val=[v, w]), intersect(vertices(G), neighbor(G, v)))");
    out.close();
    out.line("return mk_graph(flatten(apply(from_v, vertices(G))))");
    out.close();
    out.line("");
  }
}

}  // namespace matcha::frontend::pattern
