#include "planner/delta_text.h"

#include <fmt/format.h>

#include <vector>

#include "planner/delta.h"
#include "planner/nest.h"
#include "planner/relations.h"
#include "planner/vertex_names.h"
#include "question/requirements.h"

namespace matcha::pattern {

namespace {

/// The condition of a term on its ends; empty: none.
std::string condition(const Pattern& pattern) {
  std::string text;
  for (int end = 0; end < 2; ++end) {
    if (pattern.label(end).empty()) continue;
    text += fmt::format("{}vertex_label(G, {}) == {}", text.empty() ? "" : " and ", end == 0 ? "a" : "b",
                        pattern.label(end));
  }
  return text;
}

/// The function of a term, without its head; the graph does not have the edge between its ends.
void write_term(const DeltaTerm& term, Induced induced, const std::vector<std::string>& names, Text& out) {
  if (term.pattern.size() == 2) return out.line("return 1");
  Pattern rest = term.pattern;
  for (const auto& [u, v] : {std::pair(0, 1), std::pair(1, 0)}) {
    for (std::vector<Mask>* masks : {&rest.out, &rest.in, &rest.anti}) (*masks)[at(u)] &= ~bit(v);
  }
  Order order;
  for (int v = 0; v < rest.size(); ++v) order.vertices.push_back(v);
  order.larger = term.larger;
  const Requirements requirements(rest, induced);
  const Relations relations(rest);
  const std::vector<std::string> no_bases;
  Nest nest(rest, requirements, relations, order, names, no_bases, Answer::Count, out, 2);
  nest.define(0);
  nest.define(1);
  out.line("return " + nest.rest(2));
}

}  // namespace

std::string delta_text(const Pattern& pattern, Induced induced, bool embeddings) {
  std::string why;
  const std::optional<DeltaProgram> program =
      plan_delta(pattern, induced, DeltaAnswer::Subgraphs, typical_statistics(), why);
  const std::vector<std::string> all_names = program_names(pattern);
  Text out;
  out.line(fmt::format("# What an edge between a and b adds to the number of {}, {}-induced, of",
                       embeddings ? "embeddings" : "subgraphs", induced == Induced::Edge ? "edge" : "vertex"));
  out.line(fmt::format("# {}{}", pattern.name.empty() ? "" : pattern.name + ": ", to_text(pattern)));
  out.line("# G is the graph without that edge. Each function puts the edge in other places of the pattern.");
  std::string sum;
  for (const DeltaTerm& term : program->terms) {
    std::vector<std::string> names;
    for (const int v : term.vertices) names.push_back(all_names[at(v)]);
    const std::string function = fmt::format("{}_{}_{}", term.sign > 0 ? "edge" : "no_edge", names[0], names[1]);
    out.line("");
    out.open(fmt::format("def {}(G: Graph, {}: int, {}: int) -> int:", function, names[0], names[1]));
    write_term(term, induced, names, out);
    out.close();
    const std::string when = condition(term.pattern);
    const std::string call = fmt::format("{}(G, a, b)", function);
    sum += fmt::format("{}{}",
                       sum.empty()     ? (term.sign > 0 ? "" : "0 - ")
                       : term.sign > 0 ? " + "
                                       : " - ",
                       when.empty() ? call : fmt::format("({} if {} else 0)", call, when));
  }
  out.line("");
  out.open("def delta(G: Graph, a: int, b: int) -> int:");
  out.line(embeddings && program->automorphisms > 1 ? fmt::format("return {} * ({})", program->automorphisms, sum)
                                                    : "return " + sum);
  out.close();
  return out.str();
}

}  // namespace matcha::pattern
