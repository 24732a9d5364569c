#pragma once

#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/host/list.h"
#include "codegen/host/trap.h"
#include "ir/nodes.h"

namespace matcha::codegen::host {

/// `monostate`: an empty min or max, which nobody may read.
using Scalar = std::variant<std::monostate, bool, VertexValue, std::int64_t, __int128, double>;

/// A scalar as the result of a run.
ResultValue result_value(const Scalar& scalar);

/// A graph of the run, its view completed with the labels of the run.
struct Graph {
  runtime::Graph* graph = nullptr;  ///< Null: its arrays are on a device alone.
  runtime::GraphView view{};
  std::shared_ptr<std::vector<std::uint32_t>> vertices;  ///< Made when the graph has no array of them.
};

/// The values of the top level of a run, for back ends that do not compile the steps outside regions.
struct Values {
  std::unordered_map<const ir::Var*, Scalar> scalars;
  std::unordered_map<const ir::Var*, List> lists;
  std::unordered_map<const ir::Var*, Graph> graphs;
};

}  // namespace matcha::codegen::host
