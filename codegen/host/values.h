#pragma once

#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/host/list.h"
#include "codegen/host/trap.h"
#include "ir/nodes.h"

namespace matcha::codegen::host {

/// `monostate`: an empty min or max, which must not be read.
using Scalar = std::variant<std::monostate, bool, VertexValue, std::int64_t, __int128, double>;

/// A scalar as the result of a run.
ResultValue result_value(const Scalar& scalar);

/// A graph of the run, its view completed with the labels of the run.
struct Graph {
  runtime::Graph* graph = nullptr;  ///< Null: its arrays are only on a device.
  runtime::GraphView view{};
  std::shared_ptr<std::vector<std::uint32_t>> vertices;  ///< Made at the first use if the graph has no array of them.

  /// Its vertices as an array, which the view also has from then on.
  const std::uint32_t* vertex_array();
  /// The copies that devices keep from run to run; null: none.
  runtime::DeviceCopies* kept() const;
};

/// The values of the top level of a run, for back ends that do not compile the steps outside regions.
struct Values {
  std::unordered_map<const ir::Var*, Scalar> scalars;
  std::unordered_map<const ir::Var*, List> lists;
  std::unordered_map<const ir::Var*, Graph> graphs;
};

}  // namespace matcha::codegen::host
