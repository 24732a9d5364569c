#include "frontend/row_places.h"

#include <algorithm>

namespace matcha::frontend {

using asg::Node;
using asg::Op;

namespace {

/// True if the node is only used as the result of the program.
bool is_result_only(const asg::Graph& graph, const Node* node) {
  return std::ranges::none_of(graph.nodes, [&](const Node* each) {
    const bool read = std::ranges::find(each->inputs, node) != each->inputs.end();
    return read || (each->apply != nullptr && (each->apply->body == node || each->apply->maybe_cond == node));
  });
}

bool fits(const asg::Graph& graph) {
  const Node& result = *graph.result;
  if (result.op != Op::Apply || result.inputs.size() != 1 || result.apply->maybe_cond != nullptr) return false;
  const Op walked = result.inputs[0]->op;
  return (walked == Op::Vertices || walked == Op::Edges) && result.apply->body->type->is_number() &&
         is_result_only(graph, &result);
}

/// Appends nodes to the graph.
class Adder {
 public:
  explicit Adder(asg::Graph& graph) : graph_(graph) {
    for (const Node* node : graph.nodes) next_id_ = std::max(next_id_, node->id + 1);
  }

  const Node* add(Node node, const std::vector<const Node*>& inputs) {
    node.id = next_id_++;
    node.inputs = graph_.arena->copy(inputs);
    for (const Node* input : inputs) node.depth = std::max(node.depth, input->depth + 1);
    graph_.nodes.push_back(graph_.arena->make<Node>(node));
    return graph_.nodes.back();
  }

  Node node(Op op, const Type* type) const {
    Node made{};
    made.op = op;
    made.type = type;
    made.loc = graph_.result->loc;
    return made;
  }

 private:
  asg::Graph& graph_;
  std::uint32_t next_id_ = 0;
};

}  // namespace

std::vector<std::string> add_row_places(asg::Graph& graph) {
  if (!fits(graph)) return {};
  const Node& before = *graph.result;
  const Node* const item = before.apply->operands[0];
  const bool vertices = before.inputs[0]->op == Op::Vertices;
  Adder adder(graph);
  std::vector<const Node*> columns;
  if (vertices) {
    columns.push_back(item);
  } else {
    for (std::int64_t end = 0; end < 2; ++end) {
      Node position = adder.node(Op::GetPos, graph.types->int_type());
      position.int_value = end;
      columns.push_back(adder.add(position, {item}));
    }
  }
  columns.push_back(before.apply->body);
  std::vector<const Type*> types;
  for (const Node* column : columns) types.push_back(column->type);
  const Node* const row = adder.add(adder.node(Op::MkTuple, graph.types->tuple(types)), columns);
  asg::Apply function = *before.apply;
  function.body = row;
  Node rows = adder.node(Op::Apply, graph.types->list(row->type));
  rows.apply = graph.arena->make<asg::Apply>(function);
  rows.depth = row->depth + 1;
  const Node* const result = adder.add(rows, {before.inputs.begin(), before.inputs.end()});
  std::erase(graph.nodes, &before);
  graph.result = result;
  if (vertices) return {"vertex", "count"};
  return {"source", "target", "count"};
}

}  // namespace matcha::frontend
