#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "frontend/asg_build.h"
#include "frontend/set_ops.h"
#include "ir/check.h"

/// Operands that may not be needed: the values that they bind to names are computed with them.
namespace matcha::frontend::asg {

const Node* Evaluator::branch(ast::Expr* expr, const Env& env, Names& names) {
  Names* outer = std::exchange(named_, &names);
  const Node* value = node(expr, env);
  named_ = outer;
  return value;
}

Evaluator::Names Evaluator::kept(const Names& names, const Node* value) {
  if (stopped_) return {};
  Names own = needed(names, value);
  std::unordered_set<const Node*> seen;
  for (const Node* name : own) name_loops(name, seen);
  return own;
}

/// Ids ascend from inputs to users, so that nodes older than the first name need no visit.
Evaluator::Names Evaluator::needed(const Names& names, const Node* root) {
  if (names.empty()) return {};
  const std::uint32_t first = std::ranges::min(names, {}, &Node::id)->id;
  std::unordered_set<const Node*> seen;
  Names stack;
  const auto visit = [&](const Node* node) {
    if (node != nullptr && node->id >= first && seen.insert(node).second) stack.push_back(node);
  };
  visit(root);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (const Node* input : node->inputs) visit(input);
    if (node->apply == nullptr) continue;
    visit(node->apply->body);
    visit(node->apply->maybe_cond);
  }
  Names out;
  std::ranges::copy_if(names, std::back_inserter(out), [&](const Node* name) { return seen.contains(name); });
  return out;
}

/// Loops at the top of a program run on all threads, those in a branch on one.
void Evaluator::name_loops(const Node* node, std::unordered_set<const Node*>& seen) {
  if (!seen.insert(node).second) return;
  bool lasts = false;
  switch (node->op) {
    case Op::And:
    case Op::Or:
    case Op::If: return name_loops(node->inputs[0], seen);
    case Op::Sum:
    case Op::Size:
    case Op::Any:
    case Op::All:
    case Op::Min:  // Ends the run where the value is read.
    case Op::Max: lasts = !may_end(node->inputs[0]); break;
    default:
      lasts = (node->type->is_table() || (node->type->is_list() && !node->type->is_nested_list())) && !may_end(node);
  }
  if (lasts) return named_->push_back(node);
  for (const Node* input : node->inputs) name_loops(input, seen);
}

bool Evaluator::may_end(const Node* node) {
  if (const auto known = ends_.find(node); known != ends_.end()) return known->second;
  bool ends = may_end_itself(*node);
  for (const Node* input : node->inputs) ends = ends || may_end(input);
  if (node->apply != nullptr) {
    ends = ends || may_end(node->apply->body);
    ends = ends || (node->apply->maybe_cond != nullptr && may_end(node->apply->maybe_cond));
  }
  ends_.emplace(node, ends);
  return ends;
}

bool Evaluator::may_end_itself(const Node& node) const {
  switch (node.op) {
    case Op::Div:
    case Op::Mod: {
      const Node& by = *node.inputs[1];
      return by.type->kind == Type::Kind::Int && (by.op != Op::Int || by.int_value == 0);
    }
    case Op::GetKey: return !node.has_info && node.inputs[0]->op != Op::SumBy && node.inputs[0]->op != Op::CountBy;
    case Op::Apply: return node.inputs.size() > 1;
    case Op::Neighbor:
    case Op::EdgeInfo: return !is_of_vertices(node.inputs[1]);
    case Op::HasEdge: return !is_of_vertices(node.inputs[1]) || !is_of_vertices(node.inputs[2]);
    case Op::MkGraph:
      return !is_of_vertices(node.inputs[0]) || node.has_labels || (node.has_info && node.inputs[0]->op != Op::Edges);
    case Op::Min:
    case Op::Max:
    case Op::GetItem:
    case Op::Capacity:
    case Op::VertexLabel:
    case Op::Iterate:
    case Op::Repeat: return true;
    default: return false;
  }
}

bool Evaluator::is_of_vertices(const Node* node) const {
  switch (node->op) {
    case Op::Vertices:
    case Op::Edges:
    case Op::Neighbor: return true;
    case Op::Param: return node->type->is_list();
    case Op::Apply: return is_of_vertices(node->apply->body);
    case Op::GetPos:
    case Op::Part:
    case Op::Sort:
    case Op::Flatten: return is_of_vertices(node->inputs[0]);
    case Op::Operand: {
      const auto list = walked_.find(node);
      return list != walked_.end() && is_of_vertices(list->second);
    }
    default: {
      const std::optional<ir::Kind> kind = set_kind(node->op);
      return kind && ir::filters_first(*kind) && is_of_vertices(node->inputs[0]);
    }
  }
}

}  // namespace matcha::frontend::asg
