#include "frontend/asg_build.h"

/// Operators on `subgraph(g, l)`, as operators on g and l.
namespace matcha::frontend::asg {

namespace {

/// The list that a filter `apply(lambda x: x, cond, list)` walks; null for another node.
const Node* filtered_list(const Node* list) {
  const bool filters =
      list->op == Op::Apply && list->inputs.size() == 1 && list->apply->body == list->apply->operands[0];
  return filters ? list->inputs[0] : nullptr;
}

}  // namespace

bool Evaluator::is_part(const Node* list, const Node* whole) const {
  if (list == whole) return true;
  if (list->op == Op::Intersect) return is_part(list->inputs[0], whole) || is_part(list->inputs[1], whole);
  if (list->op == Op::Diff) return is_part(list->inputs[0], whole);
  const Node* all = filtered_list(list);
  return all != nullptr && is_part(all, whole);
}

bool Evaluator::is_vertex_set(const Node* list) const {
  // The neighbours in a graph whose edges carry information may repeat.
  if (list->op == Op::Neighbor) return list->inputs[0]->op != Op::MkGraph && list->inputs[0]->type->elem == nullptr;
  if (list->op == Op::Vertices) return true;
  if (list->op == Op::Intersect || list->op == Op::Diff) return is_vertex_set(list->inputs[0]);
  const Node* all = filtered_list(list);
  return all != nullptr && is_vertex_set(all);
}

const Node* Evaluator::is_member(const Node* v, const Node* list, SourceLoc loc) {
  const Node* found = make(Op::Intersect, list->type, {make(Op::MkList, list->type, {v}, loc), list}, loc);
  return make(Op::Lt, types_.bool_type(), {integer(0, loc), make(Op::Size, types_.int_type(), {found}, loc)}, loc);
}

const Node* Evaluator::member(const Node* v, const Node* list, SourceLoc loc) {
  const auto walked = walked_.find(v);
  if (walked != walked_.end() && is_part(walked->second, list)) return v;
  const Node* found = make(Op::Intersect, list->type, {make(Op::MkList, list->type, {v}, loc), list}, loc);
  return make(Op::GetItem, v->type, {found, integer(0, loc)}, loc);
}

/// The arcs by source, then target.
const Node* Evaluator::arcs_of(const Node* subgraph, SourceLoc loc) {
  const Type* int_type = types_.int_type();
  const Node* sources = of_subgraph(BuiltinId::Vertices, {subgraph}, loc);
  const Node* v = maker_.operand(int_type, 0, "v", loc);
  walked_[v] = sources;
  const Node* targets = of_subgraph(BuiltinId::Neighbor, {subgraph, v}, loc);
  const Node* w = maker_.operand(int_type, 0, "w", loc);
  const Node* row = each(targets, w, make(Op::MkTuple, types_.int_pair(), {v, w}, loc), loc);
  return make(Op::Flatten, row->type, {each(sources, v, row, loc)}, loc);
}

const Node* Evaluator::of_subgraph(BuiltinId operation, std::vector<const Node*> in, SourceLoc loc) {
  const Node* const subgraph = in[0];
  const Node* const graph = subgraph->inputs[0];
  const Node* const list = subgraph->inputs[1];
  const bool nested = graph->op == Op::Subgraph;
  const auto of_graph = [&](std::vector<const Node*> inputs) -> const Node* {
    if (nested) return of_subgraph(operation, inputs, loc);
    switch (operation) {
      case BuiltinId::Neighbor: return neighbor(inputs, loc);
      case BuiltinId::Sources: return neighbor(inputs, loc, true);
      case BuiltinId::Vertices: return vertices(inputs, loc);
      case BuiltinId::VertexLabel: return make(Op::VertexLabel, types_.int_type(), inputs, loc);
      default: return make(Op::HasEdge, types_.bool_type(), inputs, loc);
    }
  };
  switch (operation) {
    case BuiltinId::Subgraph: return make(Op::Subgraph, subgraph->type, in, loc);
    case BuiltinId::Vertices:
      if (is_vertex_set(list) && !nested) return list;
      return make(Op::Intersect, list->type, {of_graph({graph}), list}, loc);
    case BuiltinId::Neighbor:
    case BuiltinId::Sources:
      return make(Op::Intersect, list->type, {of_graph({graph, member(in[1], list, loc)}), list}, loc);
    case BuiltinId::VertexLabel: return of_graph({graph, member(in[1], list, loc)});
    case BuiltinId::HasEdge: {
      const Node* u = member(in[1], list, loc);
      const Node* joined = of_graph({graph, u, in[2]});
      return make(Op::And, types_.bool_type(), {joined, is_member(in[2], list, loc)}, loc);
    }
    case BuiltinId::Edges:
    case BuiltinId::Arcs: return arcs_of(subgraph, loc);
    default: break;
  }
  failed_ = true;
  diagnostics_.error(DiagId::GraphPlace, loc, "this operator does not read a subgraph",
                     "call it with the whole graph, and look up the vertices");
  return integer(0, loc);
}

}  // namespace matcha::frontend::asg
