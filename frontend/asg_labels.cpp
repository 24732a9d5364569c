#include <algorithm>

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
  Apply function;
  function.operands = std::span(&edge, 1);
  function.body = make(Op::MkTuple, pair, {end(1), end(0)}, loc);
  std::vector<const Node*> in(graph->inputs.begin(), graph->inputs.end());
  in[0] = checked(maker_.apply(types_.list(pair), std::span(&edges, 1), function, loc));
  Payload payload;
  payload.has_labels = graph->has_labels;
  payload.has_info = graph->has_info;
  payload.int_value = graph->int_value;
  return make(Op::MkGraph, graph->type, in, loc, payload);
}

const Node* Evaluator::filtered(const Node* graph, const Node* v, const Node* label, SourceLoc loc) {
  const Type* number = types_.int_type();
  const Type* list = types_.list(number);
  const Node* lists[] = {make(Op::Neighbor, list, {graph, v}, loc), make(Op::EdgeInfo, list, {graph, v}, loc)};
  const Node* operands[] = {maker_.operand(number, 0, "w", loc), maker_.operand(number, 1, "info", loc)};
  Apply function;
  function.operands = operands;
  function.body = operands[0];
  function.maybe_cond = make(Op::Eq, types_.bool_type(), {operands[1], label}, loc);
  const Node* found = checked(maker_.apply(list, lists, function, loc));
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
  Apply function;
  function.operands = std::span(&v, 1);
  function.body = make(Op::EdgeInfo, list, {graph, v}, loc);
  const Node* rows = checked(maker_.apply(types_.list(list), std::span(&all, 1), function, loc));
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

const Node* Evaluator::neighbor(std::span<const Node* const> in, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  if (in.size() == 4) return timed(Op::Neighbor, in, loc);
  if (in.size() < 3) return make(Op::Neighbor, list, in, loc);
  const Node* known = slice(Op::WithLabel, in[0], in[2], loc);
  return known != nullptr ? make(Op::Neighbor, list, {known, in[1]}, loc) : filtered(in[0], in[1], in[2], loc);
}

const Node* Evaluator::sources(std::span<const Node* const> in, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  if (in.size() < 3) return make(Op::Neighbor, list, {turned(in[0], loc), in[1]}, loc);
  if (in.size() == 4) {
    const Node* const back[] = {turned(in[0], loc), in[1], in[2], in[3]};
    return timed(Op::Neighbor, back, loc);
  }
  const Node* known = slice(Op::Backwards, in[0], in[2], loc);
  if (known != nullptr) return make(Op::Neighbor, list, {known, in[1]}, loc);
  return filtered(turned(in[0], loc), in[1], in[2], loc);
}

const Node* Evaluator::vertices(std::span<const Node* const> in, SourceLoc loc) {
  const Type* list = types_.list(types_.int_type());
  if (in.size() < 2) return make(Op::Vertices, list, in, loc);
  if (const Node* known = slice(Op::WithLabel, in[0], in[1], loc)) return make(Op::Vertices, list, {known}, loc);
  const Node* all = make(Op::Vertices, list, {in[0]}, loc);
  const Node* v = maker_.operand(types_.int_type(), 0, "v", loc);
  const Node* infos = make(Op::EdgeInfo, list, {in[0], v}, loc);
  const Node* info = maker_.operand(types_.int_type(), 0, "info", loc);
  Apply same;
  same.operands = std::span(&info, 1);
  same.body = make(Op::Eq, types_.bool_type(), {info, in[1]}, loc);
  const Node* matches = checked(maker_.apply(types_.list(types_.bool_type()), std::span(&infos, 1), same, loc));
  Apply function;
  function.operands = std::span(&v, 1);
  function.body = v;
  function.maybe_cond = make(Op::Any, types_.bool_type(), {matches}, loc);
  return checked(maker_.apply(list, std::span(&all, 1), function, loc));
}

const Node* Evaluator::labels(std::span<const Node* const> in, SourceLoc loc) {
  const Type* number = types_.int_type();
  const Type* list = types_.list(number);
  const Node* lists[] = {make(Op::Neighbor, list, {in[0], in[1]}, loc), make(Op::EdgeInfo, list, {in[0], in[1]}, loc)};
  const Node* operands[] = {maker_.operand(number, 0, "w", loc), maker_.operand(number, 1, "info", loc)};
  Apply function;
  function.operands = operands;
  function.body = operands[1];
  function.maybe_cond = make(Op::Eq, types_.bool_type(), {operands[0], in[2]}, loc);
  return checked(maker_.apply(list, lists, function, loc));
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
