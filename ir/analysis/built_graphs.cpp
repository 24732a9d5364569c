#include "ir/analysis/built_graphs.h"

#include <cstddef>
#include <utility>

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

/// The number of neighbours of an item.
bool is_degree(const Term& term, int item) {
  if (!term.is(TermKind::Fold) || term.word != "sum" || term.parts.size() != 1) return false;
  const Term& nest = term.parts[0];
  if (nest.items.size() != 1 || nest.parts.size() != 2 || !is_any_edge(nest.parts[0])) return false;
  const std::vector<Term>& ends = nest.parts[0].parts;
  const bool counts = nest.parts[1].is(TermKind::Constant) && nest.parts[1].word == "1";
  const int other = nest.items[0];
  const bool joins = (ends[0].item == item && ends[1].item == other) || (ends[0].item == other && ends[1].item == item);
  return counts && joins && item != other;
}

}  // namespace

bool BuiltGraphs::add(const Var* graph, const std::vector<Nest>& arcs) {
  if (arcs.size() != 1 || arcs[0].items.size() != 2 || arcs[0].conditions.size() > 2) return false;
  Nest arc = arcs[0];
  // Either end of an edge is the source.
  const bool is_pair = arc.value.is(TermKind::Operation) && arc.value.parts.size() == 2;
  if (is_pair && arc.value.parts[0].item == arc.items[1]) std::swap(arc.items[0], arc.items[1]);
  const bool is_row = is_pair && arc.value.parts[0].is(TermKind::Item) && arc.value.parts[0].item == arc.items[0] &&
                      arc.value.parts[1].is(TermKind::Item) && arc.value.parts[1].item == arc.items[1];
  bool has_edge = false;
  for (const Term& condition : arc.conditions) {
    has_edge = has_edge || is_any_edge(condition);
    if (!is_any_edge(condition) && !condition.is(TermKind::Before)) return false;
  }
  if (is_row && has_edge) arcs_.emplace(graph, std::move(arc));
  return is_row && has_edge;
}

bool BuiltGraphs::add_arc(const Var* graph, int source, int target, std::vector<Term>& out) const {
  const auto found = arcs_.find(graph);
  if (found == arcs_.end()) return false;
  const Nest& arc = found->second;
  for (const Term& condition : arc.conditions) {
    out.push_back(renamed(renamed(condition, arc.items[0], source), arc.items[1], target));
  }
  return true;
}

void take_order_by_degree(Term& condition) {
  if (!condition.parts[0].is(TermKind::Operation) || condition.parts[0].word != "<") return;
  if (!condition.parts[1].is(TermKind::And) || condition.parts[1].parts.size() != 2) return;
  const Term& equal = condition.parts[1].parts[0];
  const Term& ids = condition.parts[1].parts[1];
  if (!ids.is(TermKind::Before) || !ids.word.empty() || !equal.is(TermKind::Operation) || equal.word != "==") return;
  const int a = ids.parts[0].item, b = ids.parts[1].item;
  const auto are_degrees = [](const Term& pair, int first, int second) {
    return is_degree(pair.parts[0], first) && is_degree(pair.parts[1], second);
  };
  if (!are_degrees(condition.parts[0], a, b)) return;
  if (!are_degrees(equal, a, b) && !are_degrees(equal, b, a)) return;
  condition = Term(ids);
  condition.word = "degree";
}

void add_orders(const Term& term, std::set<std::string>& out) {
  if (term.is(TermKind::Before)) out.insert(term.word);
  for (const Term& part : term.parts) add_orders(part, out);
}

}  // namespace matcha::ir
