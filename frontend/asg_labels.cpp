#include <algorithm>
#include <array>

#include "frontend/asg_build.h"

/// Evaluates edge labels and times. A label known before the run selects a separate graph, which also exists before
/// the run; for any other label the edges of a vertex are searched.
namespace matcha::frontend::asg {
namespace {

bool known_before_run(const Node* label) {
  if (label == nullptr || label->op == Op::Int || label->op == Op::Label || label->op == Op::Param) return true;
  return label->op == Op::Neg && label->inputs[0]->op == Op::Int;
}

}  // namespace

const Node* Evaluator::slice(Op op, const Node* graph, const Node* maybe_label, SourceLoc loc) {
  if (graph->op != Op::Param || !known_before_run(maybe_label)) return nullptr;
  if (maybe_label == nullptr) return make(op, graph->type, {graph}, loc);
  if (maybe_label->op == Op::Neg) maybe_label = integer(-maybe_label->inputs[0]->int_value, maybe_label->loc);
  return make(op, types_.graph(nullptr), {graph, maybe_label}, loc);
}

const Node* Evaluator::turned(const Node* graph, SourceLoc loc) {
  if (const Node* known = slice(Op::Backwards, graph, nullptr, loc)) return known;
  // A graph built by the program.
  const Node* edges = graph->inputs[0];
  const Type* pair = types_.int_pair();
  const Node* edge = maker_.operand(pair, 0, "edge", loc);
  const auto end = [&](std::int64_t position) {
    Payload payload;
    payload.int_value = position;
    return make(Op::GetPos, types_.int_type(), {edge}, loc, payload);
  };
  std::vector<const Node*> in(graph->inputs.begin(), graph->inputs.end());
  in[0] = each(edges, edge, make(Op::MkTuple, pair, {end(1), end(0)}, loc), loc);
  Payload payload;
  payload.has_labels = graph->has_labels;
  payload.has_info = graph->has_info;
  payload.int_value = graph->int_value;
  return make(Op::MkGraph, graph->type, in, loc, payload);
}

const Node* Evaluator::each(const Node* list, const Node* operand, const Node* body, SourceLoc loc,
                            const Node* maybe_cond) {
  Apply function;
  function.operands = std::span(&operand, 1);
  function.body = body;
  function.maybe_cond = maybe_cond;
  return checked(maker_.apply(types_.list(body->type), std::span(&list, 1), function, loc));
}

const Node* Evaluator::where_equal(const Node* graph, const Node* v, std::size_t tested, const Node* wanted,
                                   SourceLoc loc) {
  const Type* number = types_.int_type();
  const Type* list = types_.list(number);
  const Node* lists[] = {make(Op::Neighbor, list, {graph, v}, loc), make(Op::EdgeInfo, list, {graph, v}, loc)};
  const Node* operands[] = {maker_.operand(number, 0, "w", loc), maker_.operand(number, 1, "info", loc)};
  Apply function;
  function.operands = operands;
  function.body = operands[1 - tested];
  function.maybe_cond = make(Op::Eq, types_.bool_type(), {operands[tested], wanted}, loc);
  return checked(maker_.apply(list, lists, function, loc));
}

const Node* Evaluator::filtered(const Node* graph, const Node* v, const Node* label, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  const Node* found = where_equal(graph, v, 1, label, loc);
  // Parallel edges may have the same label; each vertex is listed once.
  return make(Op::Intersect, list, {make(Op::Vertices, list, {graph}, loc), found}, loc);
}

const Node* Evaluator::by_time(const Node* graph, SourceLoc loc) {
  Payload payload;
  payload.has_info = true;
  payload.int_value = 1;
  if (graph->op == Op::MkGraph)
    return make(Op::MkGraph, graph->type, {graph->inputs[0], graph->inputs.back()}, loc, payload);
  const Type* list = types_.list(types_.int_type());
  const Node* all = make(Op::Vertices, list, {graph}, loc);
  const Node* v = maker_.operand(types_.int_type(), 0, "v", loc);
  const Node* rows = each(all, v, make(Op::EdgeInfo, list, {graph, v}, loc), loc);
  const Node* edges = make(Op::Edges, types_.list(types_.int_pair()), {graph}, loc);
  return make(Op::MkGraph, graph->type, {edges, make(Op::Flatten, list, {rows}, loc)}, loc, payload);
}

const Node* Evaluator::timed(Op op, std::span<const Node* const> in, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  const Node* sorted = by_time(in[0], loc);
  const Node* times = make(Op::EdgeInfo, list, {sorted, in[1]}, loc);
  const auto up_to = [&](const Node* time) {
    return make(Op::UpTo, types_.int_type(), {times, number(time, loc)}, loc);
  };
  const Node* items = op == Op::EdgeInfo ? times : make(op, list, {sorted, in[1]}, loc);
  return make(Op::Part, list, {items, up_to(in[2]), up_to(in[3])}, loc);
}

const Node* Evaluator::edge_info(std::span<const Node* const> in, SourceLoc loc) {
  return in.size() == 4 ? timed(Op::EdgeInfo, in, loc) : make(Op::EdgeInfo, types_.list(in[0]->type->elem), in, loc);
}

const Node* Evaluator::neighbor(std::span<const Node* const> in, SourceLoc loc, bool back) {
  const Type* list = types_.list(types_.int_type());
  const auto graph = [&] { return back ? turned(in[0], loc) : in[0]; };
  if (in.size() == 4) return timed(Op::Neighbor, std::array{graph(), in[1], in[2], in[3]}, loc);
  if (in.size() < 3) return make(Op::Neighbor, list, {graph(), in[1]}, loc);
  const Node* known = slice(back ? Op::Backwards : Op::WithLabel, in[0], in[2], loc);
  return known != nullptr ? make(Op::Neighbor, list, {known, in[1]}, loc) : filtered(graph(), in[1], in[2], loc);
}

const Node* Evaluator::vertices(std::span<const Node* const> in, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  if (in.size() < 2) return make(Op::Vertices, list, in, loc);
  if (const Node* known = slice(Op::WithLabel, in[0], in[1], loc)) return make(Op::Vertices, list, {known}, loc);
  const Node* all = make(Op::Vertices, list, {in[0]}, loc);
  const Node* v = maker_.operand(types_.int_type(), 0, "v", loc);
  const Node* infos = make(Op::EdgeInfo, list, {in[0], v}, loc);
  const Node* info = maker_.operand(types_.int_type(), 0, "info", loc);
  const Node* matches = each(infos, info, make(Op::Eq, types_.bool_type(), {info, in[1]}, loc), loc);
  return each(all, v, v, loc, make(Op::Any, types_.bool_type(), {matches}, loc));
}

const Node* Evaluator::labels(std::span<const Node* const> in, SourceLoc loc) {
  return where_equal(in[0], in[1], 0, in[2], loc);
}

/// Names the graphs that the result needs.
void Evaluator::collect_slices() {
  for (const Node* node : graph_.nodes) {
    if (node->op != Op::WithLabel && node->op != Op::Backwards) continue;
    Slice made;
    made.node = node;
    made.param = static_cast<std::size_t>(node->inputs[0]->int_value);
    if (node->inputs.size() > 1) made.maybe_label = node->inputs[1];
    const std::string way = node->op == Op::WithLabel ? "_to" : "_from";
    made.name = graph_.params[made.param].name + way + std::to_string(graph_.slices.size() + 1);
    graph_.slices.push_back(std::move(made));
  }
}

}  // namespace matcha::frontend::asg
