#include <algorithm>
#include <utility>

#include "ir/analysis/first_items.h"
#include "ir/analysis/nest_reader.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

using TermKind = Term::Kind;

const Var* NestReader::graph_var(const Expr* graph) { return as<Var>(resolve(facts_, graph)); }

void NestReader::check_graph(const Expr* graph) {
  if (resolve(facts_, graph) != graph_) give_up("another graph is read", graph->loc);
}

/// The label of a graph's edges.
std::string NestReader::walked_label(const Expr* graph) {
  const Expr* const root = resolve(facts_, graph);
  const auto found = root->kind == Kind::Var ? labels_.find(static_cast<const Var*>(root)) : labels_.end();
  if (found != labels_.end()) return found->second;
  check_graph(graph);
  if (is_labelled_) give_up("edges of any label are walked one by one", graph->loc);
  return {};
}

/// The condition that a graph has an edge between two items, or an arc.
Term NestReader::edge(const Expr* graph, int from, int to) {
  std::string label = walked_label(graph);
  return has_arcs_ ? arc(from, to) : adjacent(std::move(label), from, to);
}

void NestReader::check_set(const Expr* list) {
  if (!facts_.list(list).unique) give_up("a list may hold an item twice", list->loc);
}

Term NestReader::pair(TermKind kind, int a, int b) { return Term::of(kind, {Term::of_item(a), Term::of_item(b)}); }

/// The item of a value of type vid.
int NestReader::item(const Expr* expr) {
  expr = resolve(facts_, expr);
  if (const auto found = expr->kind == Kind::Var ? item_of_.find(static_cast<const Var*>(expr)) : item_of_.end();
      found != item_of_.end()) {
    return found->second;
  }
  give_up(expr->kind == Kind::Convert ? "a number is used as an id" : "a vertex is picked by its place", expr->loc);
  return 0;
}

/// Adds the conditions under which `item` is in a set of vids.
void NestReader::add_members(const Expr* set, int it, std::vector<Term>& out) {
  const Deeper deeper(depth_);
  if (!may_go_on(set->loc)) return;
  set = resolve(facts_, set);
  if (!set->type->is_set() || !set->type->columns[0]->is_scalar(ScalarKind::Vid)) {
    give_up("a list of other things than vertices is walked", set->loc);
    return;
  }
  const auto of_operand = [&](std::size_t at) { add_members(set->operands[at], it, out); };
  switch (set->kind) {
    case Kind::Vertices: {
      const Expr* const root = resolve(facts_, set->operands[0]);
      if (root == graph_) return;
      if (built_.contains(as<Var>(root))) {
        out.push_back(Term::operation("joined", {Term::constant(""), Term::of_item(it)}));
        return;
      }
      std::string label = walked_label(root);
      out.push_back(Term::operation("joined", {Term::constant(std::move(label)), Term::of_item(it)}));
      return;
    }
    case Kind::Neighbors: {
      const int center = item(set->operands[1]);
      if (!built_.add_arc(graph_var(set->operands[0]), center, it, out)) {
        out.push_back(edge(set->operands[0], center, it));
      }
      if (side_of(*set) == Side::Lower) out.push_back(pair(TermKind::Before, it, center));
      if (side_of(*set) == Side::Upper) out.push_back(pair(TermKind::Before, center, it));
      return;
    }
    case Kind::Intersect:
      of_operand(0);
      of_operand(1);
      return;
    case Kind::Diff: {
      of_operand(0);
      std::vector<Term> other;
      add_members(set->operands[1], it, other);
      out.push_back(Term::of(TermKind::Not, {Term::of(TermKind::And, std::move(other))}));
      return;
    }
    case Kind::Sorted: of_operand(0); return;
    case Kind::Cut: {
      of_operand(0);
      const int bound = item(set->operands[1]);
      out.push_back(is_below(*set) ? pair(TermKind::Before, it, bound) : pair(TermKind::Before, bound, it));
      return;
    }
    case Kind::Literal: {
      std::vector<Term> any;
      for (const Expr* one : set->operands) any.push_back(pair(TermKind::Same, it, item(one)));
      out.push_back(Term::of(TermKind::Or, std::move(any)));
      return;
    }
    case Kind::Var: add_filtered(*static_cast<const Var*>(set), it, out); return;
    default: give_up("a list is cut at positions", set->loc);
  }
}

/// The items of `sink` are items of the one loop around each of its yields.
bool NestReader::is_filter(const OpenSink& sink) {
  return sink.is_of_vertices && std::ranges::all_of(sink.nests, [](const Nest& nest) {
           return nest.items.size() == 1 && nest.value.is(TermKind::Item) && nest.value.item == nest.items[0];
         });
}

/// Whether a list has no vertex twice, and is read by the conditions on its items.
bool NestReader::is_vertex_set(const Expr* list) const {
  list = resolve(facts_, list);
  if (!list->type->is_set() || !list->type->columns[0]->is_scalar(ScalarKind::Vid)) return false;
  if (list->kind != Kind::Var && list->kind != Kind::Literal) return true;
  const auto sink = list->kind == Kind::Var ? sinks_.find(static_cast<const Var*>(list)) : sinks_.end();
  return facts_.list(list).unique && (sink == sinks_.end() || is_filter(sink->second));
}

/// The same for a list that one loop filled with its own items.
void NestReader::add_filtered(const Var& list, int it, std::vector<Term>& out) {
  const auto sink = sinks_.find(&list);
  if (sink == sinks_.end()) return static_cast<void>(give_up("a list is read", list.loc));
  if (!is_filter(sink->second)) return static_cast<void>(give_up("a list is filled by several loops", list.loc));
  if (failed() || !may_copy(sink->second.nests, list.loc)) return;
  std::vector<Term> any;
  for (const Nest& nest : sink->second.nests) {
    std::vector<Term> conditions;
    for (const Term& condition : nest.conditions) conditions.push_back(renamed(condition, nest.items[0], it));
    any.push_back(Term::of(TermKind::And, std::move(conditions)));
  }
  out.push_back(any.size() == 1 ? any[0] : Term::of(TermKind::Or, std::move(any)));
}

/// The list of vertices whose first item, the smallest one, is read; null if something else is.
const Expr* NestReader::list_of_first(const Expr* vertex) const {
  const At* const at = as<At>(resolve(facts_, vertex));
  if (at == nullptr || !is_vertex_set(at->operands[0]) || !facts_.list(at->operands[0]).ascending) return nullptr;
  const Expr* const place = resolve(facts_, at->operands[1]);
  return place->kind == Kind::ConstInt && as<ConstInt>(place)->value == 0 ? at->operands[0] : nullptr;
}

/// Whether an item of the surrounding loops is surely in a list of vertices.
bool NestReader::has_item(const Expr* list) {
  return std::ranges::any_of(items_, [&](int it) {
    std::vector<Term> members;
    add_members(list, it, members);
    return implies(conditions_, members, next_item_);
  });
}

/// The condition that an item is the first one of a list that is not empty: it is in the list, and none before it is.
Term NestReader::is_first(const Expr* list, int it) {
  std::vector<Term> conditions;
  add_members(list, it, conditions);
  conditions.push_back(none_before(nest_of_set(list), it));
  return Term::of(TermKind::And, std::move(conditions));
}

/// The items of a set as items of a nest.
Nest NestReader::nest_of_set(const Expr* set) {
  check_set(set);
  Nest nest;
  nest.items.push_back(next_item_++);
  nest.value = Term::constant("1");
  add_members(set, nest.items[0], nest.conditions);
  return nest;
}

}  // namespace matcha::ir
