#pragma once

#include <unordered_map>
#include <vector>

#include "codegen/cuda/device_values.h"
#include "codegen/cuda/module_plan.h"
#include "codegen/cuda/region_launch.h"
#include "codegen/cuda/run_report.h"
#include "codegen/cuda/session.h"

namespace matcha::codegen::gpu {

/// The top-level values of a run on its devices: graphs copied or built there, lists, and rows that stayed on the
/// device whose region found them.
class RunDevices {
 public:
  RunDevices(const ModulePlan& plan, const CudaOptions& settings, const runtime::Universe& universe,
             const RunOptions& options, HostValues& values, RunReport& report)
      : plan_(plan), settings_(settings), universe_(universe), options_(options), values_(values), report_(report) {}

  /// To be called once, first. Requires: the devices of the session are open; the session outlives this object.
  void open(Session& session);
  /// Makes the sources of arcs and the halves of rows that regions read of a graph, unless they exist.
  void make_sides(const ir::Var* var);
  /// Starts the copy of a graph that regions read, so that it overlaps with the compilation of kernels.
  void upload_early(const ir::Var* var);
  /// Builds a graph from rows that stayed on the devices. False: the host has to build it and has the rows then.
  bool build(const ir::BuildGraph& s);
  /// Makes the rows of hubs that a region reads, on every device, unless they exist. `least`: smallest number of
  /// neighbours of a hub.
  void make_hub_rows(std::size_t region, std::uint64_t least);
  /// The inputs of the region on each device, without its kernels.
  std::vector<RegionInputs> inputs_of(const host::RegionStep& s, const EmittedRegion& emitted);
  /// Keeps rows for the graph to be built of them.
  void keep(DeviceRows rows);

 private:
  /// True for a graph that regions read.
  bool is_read_by_regions(const ir::Var* var) const;
  host::GraphNeeds needs_of(const ir::Var* graph) const;
  GraphRows rows_of(const ir::BuildGraph& s);
  void fetch(const GraphRows& rows);

  const ModulePlan& plan_;
  const CudaOptions& settings_;
  const runtime::Universe& universe_;
  const RunOptions& options_;
  HostValues& values_;
  RunReport& report_;
  Session* session_ = nullptr;
  std::vector<DeviceValues> devices_;
  std::unordered_map<const ir::Var*, DeviceRows> rows_;  ///< Rows that stayed on the devices.
};

}  // namespace matcha::codegen::gpu
