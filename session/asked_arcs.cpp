#include "session/asked_arcs.h"

#include <algorithm>

namespace matcha::session {

namespace {

/// The graph of which `graph` is a part.
const frontend::asg::Node* whole_of(const frontend::asg::Node* graph) {
  while (graph->op == frontend::asg::Op::WithLabel || graph->op == frontend::asg::Op::Backwards) {
    graph = graph->inputs[0];
  }
  return graph;
}

}  // namespace

bool asks_for_arcs(const frontend::asg::Graph& program, const frontend::asg::Param& param) {
  return std::ranges::any_of(program.nodes, [&param](const frontend::asg::Node* node) {
    if (node->op != frontend::asg::Op::Edges || node->text.empty()) return false;
    return whole_of(node->inputs[0]) == param.node;
  });
}

bool asks_for_symmetry(const frontend::asg::Graph& program, const frontend::asg::Param& param) {
  return std::ranges::any_of(program.symmetric,
                             [&param](const frontend::asg::Node* graph) { return whole_of(graph) == param.node; });
}

}  // namespace matcha::session
