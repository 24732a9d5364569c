#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/context.h"
#include "ir/nodes.h"

namespace matcha::session::stream {

/// How the result of all roots is stored, so that the yields of some roots can be removed and replaced.
enum class StoredForm : std::uint8_t {
  Sum,     ///< The sum of ints.
  Trues,   ///< For `any`: the number of true values.
  Falses,  ///< For `all`: the number of false values.
  Count,   ///< The number of items of a list.
  Rows,    ///< The items of a list.
  Values,  ///< For `min`, `max` and sums of floats: the list of yielded values.
};

/// A sink of the module's outermost block.
struct RootSink {
  const ir::Var* var;  ///< In the module of the program.
  ir::SinkKind kind;
  StoredForm keep;
};

/// The sinks, in order. Requires: `ir::read_roots` accepts the module. `rows`: items of lists are stored.
std::vector<RootSink> root_sinks(const ir::Module& module, bool rows);

/// Additional parameters of the module of some roots, in this order.
struct RootParams {
  bool roots = false;    ///< The list of root vertices; false: all vertices are roots.
  bool degrees = false;  ///< A graph whose vertex labels are the degrees; false: the rows give them.
};

/// The module whose results are the stored values of each sink, in order. Requires: the same.
ir::Module root_module(ir::Context& context, const ir::Module& module, const std::vector<RootSink>& sinks,
                       const RootParams& more);

/// Why the results cannot be computed from its sinks; empty: they can. Requires: the same.
std::string results_problem(const ir::Module& module);

/// Why the totals of the sinks cannot be kept by root; empty: they can. `is_list`: the result is a list.
std::string sinks_problem(const std::vector<RootSink>& sinks, bool is_list);

/// True if labels are used other than in comparisons with labels: codes of label words change when words are added.
bool computes_with_labels(const ir::Module& module);

}  // namespace matcha::session::stream
