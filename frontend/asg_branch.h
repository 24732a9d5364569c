#pragma once

#include <array>
#include <span>

#include "frontend/asg.h"

/// Private to the front end: operators with operands that may not be needed.
namespace matcha::frontend::asg {

/// The nodes that are bound to names in the second and in the third operand, in order: scalars, tuples, rounds, and
/// loops of these.
using BranchNames = std::array<std::span<const Node* const>, 2>;

/// The node of an If, And or Or.
struct Branch : Node {
  BranchNames named;
};

constexpr bool has_branches(Op op) { return op == Op::If || op == Op::And || op == Op::Or; }

/// The nodes that are bound to names in `node->inputs[input]`; `node` is an If, And or Or.
inline std::span<const Node* const> named_in(const Node* node, std::size_t input) {
  return static_cast<const Branch*>(node)->named[input - 1];
}

}  // namespace matcha::frontend::asg
