#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "codegen/host/host_plan.h"
#include "ir/nodes.h"
#include "runtime/common/graph_build.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace matcha::codegen::gpu {

/// The graphs of a module that are built on its device, from rows that are never copied to the host. Such a graph is a
/// CSR, and the host reads only its counts. Its edges and edge information are lists found by regions and read only
/// here. Its labels may be such a list or one of the host. Other graphs are built on the host and copied.
struct DeviceGraphs {
  explicit DeviceGraphs(const host::Plan& plan);

  std::unordered_set<const ir::Stmt*> builds;     ///< BuildGraph statements.
  std::unordered_map<const ir::Var*, bool> rows;  ///< Lists that stay on the device; true: the order of the rows
                                                  ///< matters.
};

/// Rows of a list sink, on the devices that found them.
struct DeviceRows {
  /// The rows on one device, as RowArea says.
  struct Part {
    const runtime::cuda::Stream* stream = nullptr;  ///< The stream of the device.
    runtime::cuda::DeviceMemory words;
    std::uint64_t capacity = 0;
    std::uint64_t count = 0;
  };

  const ir::Sink* sink = nullptr;
  std::vector<Part> parts;
  std::uint64_t positions = 0;  ///< The number of positions of the region's outermost loop.

  std::uint64_t count() const;
  /// Columns of the area: those of the list, and the positions in front of them.
  std::uint64_t columns() const { return sink->var->type->columns.size() + 1; }
  /// The rows on the host, in order.
  host::List fetch() const;
};

/// The lists from which a graph is built.
struct GraphRows {
  DeviceRows edges;
  std::optional<DeviceRows> info;          ///< One for each edge.
  std::optional<DeviceRows> labels;        ///< Vertices and their labels.
  std::optional<host::List> known_labels;  ///< The same, if the host has them.
};

/// A graph whose arrays are on a device alone.
struct DeviceGraph {
  runtime::GraphView view{};
  std::vector<runtime::cuda::DeviceMemory> arrays;
};

/// The text of the kernels that build graphs, the same for all programs, and the kernels' names.
std::string graph_build_text();

/// Builds graphs on one device, and copies them to others: runtime/common/graph_build.h says how they are built.
class GraphBuilder {
 public:
  /// Takes the kernels out of the compiled text, which must outlive it. Throws Trap when one is missing.
  explicit GraphBuilder(const runtime::cuda::Module& module);

  /// Builds the graph of `rows` with the arrays of `wanted`; gives one graph for each stream, on its device. The device
  /// of the first stream builds it. Gives nothing if the host has to build it: too many edges, too little memory (then
  /// with a `note`), or two labels for a vertex. The rows are unchanged then. Throws Trap if a kernel fails.
  std::optional<std::vector<DeviceGraph>> build(const std::vector<const runtime::cuda::Stream*>& streams,
                                                std::uint64_t universe, const GraphRows& rows,
                                                const runtime::cuda::UploadOptions& wanted, std::string& note) const;

 private:
  class Build;

  std::unordered_map<std::string, runtime::cuda::Function> kernels_;
};

}  // namespace matcha::codegen::gpu
