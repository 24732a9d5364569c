#include "session/asked_arcs.h"

#include <algorithm>

namespace matcha::session {

bool asks_for_arcs(const frontend::asg::Graph& program, const frontend::asg::Param& param) {
  return std::ranges::any_of(program.nodes, [&param](const frontend::asg::Node* node) {
    if (node->op != frontend::asg::Op::Edges || node->text.empty()) return false;
    const frontend::asg::Node* graph = node->inputs[0];
    while (graph->op == frontend::asg::Op::WithLabel || graph->op == frontend::asg::Op::Backwards) {
      graph = graph->inputs[0];
    }
    return graph == param.node;
  });
}

}  // namespace matcha::session
