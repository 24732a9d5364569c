#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/context.h"
#include "ir/nodes.h"

namespace matcha::session::stream {

/// How a result of all roots is kept, so that what some of them yielded can be taken out, and put in anew.
enum class Keep : std::uint8_t {
  Sum,     ///< Of ints.
  Trues,   ///< Of `any`: how many there are.
  Falses,  ///< Of `all`.
  Count,   ///< Of a list: how many items.
  Rows,    ///< Of a list: its items.
  Values,  ///< Of `min`, `max` and sums of floats: what was yielded, as a list.
};

/// A sink of the module's own block.
struct RootSink {
  const ir::Var* var;  ///< In the module of the program.
  ir::SinkKind kind;
  Keep keep;
};

/// Its sinks, in order. Requires: `ir::read_roots` has no problem with it. `rows`: items of lists are kept.
std::vector<RootSink> root_sinks(const ir::Module& module, bool rows);

/// What the module of some roots has as further parameters, in this order.
struct RootParams {
  bool roots = false;    ///< A list of vertices, which are the roots; else all vertices are.
  bool degrees = false;  ///< A graph of which the label of a vertex is how many neighbours it has; else rows tell.
};

/// The module that gives what is kept of each sink, in order, in place of its results. Requires: the same.
ir::Module root_module(ir::Context& context, const ir::Module& module, const std::vector<RootSink>& sinks,
                       const RootParams& more);

/// Why the results cannot be told from its sinks; empty: they can. Requires: the same.
std::string results_problem(const ir::Module& module);

/// Whether a label is more than compared with others: numbers of label words change when words come.
bool computes_with_labels(const ir::Module& module);

}  // namespace matcha::session::stream
