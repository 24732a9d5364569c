#pragma once

#include <unordered_map>
#include <unordered_set>

#include "codegen/cuda/frame_layout.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/spread_graph.h"
#include "codegen/host/arguments.h"
#include "codegen/host/host_plan.h"
#include "ir/nodes.h"

namespace matcha::codegen::gpu {

/// Facts about a module that hold for all of its runs.
struct ModulePlan {
  /// Requires: a verified module of stage kernel, which outlives the plan.
  explicit ModulePlan(const ir::Module& module) : host(module), signature(module), layout(module), device_graphs(host) {
    for (const host::RegionStep* region : host.regions()) {
      on_device.insert(region->reads.begin(), region->reads.end());
      reads_ids = reads_ids || region->reads_ids;
    }
    for (const ir::Var* param : module.params) {
      if (param->type->is_graph()) rows_of_inputs.emplace(param, rows_read(module, param));
    }
  }

  host::Plan host;
  host::Signature signature;
  FrameLayout layout;
  DeviceGraphs device_graphs;
  std::unordered_set<const ir::Var*> on_device;  ///< Top-level values that regions read.
  std::unordered_map<const ir::Var*, RowsRead> rows_of_inputs;
  bool reads_ids = false;  ///< True if a region converts between ids and vertices.
};

}  // namespace matcha::codegen::gpu
