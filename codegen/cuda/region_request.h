#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "codegen/c_family/emitter.h"
#include "codegen/cuda/cuda.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/module_plan.h"
#include "codegen/cuda/region_plan.h"
#include "codegen/host/host_plan.h"
#include "runtime/graph/cuts.h"
#include "runtime/work.h"

namespace matcha::codegen::gpu {

/// A region with its inputs, the same for all devices.
struct RegionRequest {
  const ir::Region* region = nullptr;  ///< With the schedule that its kernel is compiled for.
  std::uint64_t number = 0;            ///< Index among the program's regions.
  std::uint64_t positions = 1;
  /// The graph in host memory whose vertices are the positions; null: other positions, or a graph only on devices.
  const runtime::GraphView* maybe_walked = nullptr;
  bool walks_input = false;  ///< The walked graph is an input of the program.
  std::uint64_t parts = 1;   ///< Walks one of this many parts; see Sample.
  std::uint64_t unit = 0;    ///< For a region dealt to several runs: the current unit.
  std::uint64_t units = 1;   ///< Number of units (codegen/dealer.h).
  std::vector<BufferSpec> buffers;
  std::uint64_t row_items = 0;      ///< Largest number of items of a row of bits.
  std::uint64_t bit_loops = 0;      ///< Nested loops over sets of bits; 0 without rows of bits.
  bool light_arcs = false;          ///< Most arcs are skipped by a label test, and the others are short.
  bool rows_may_be_remote = false;  ///< Rows that it reads may be in host memory.
  std::uint64_t universe = 0;
  int lanes_level = 3;       ///< The level of the loop whose positions are divided among lanes.
  bool stream_rows = false;  ///< The rows of its list sink are streamed to the host while it runs, in no particular
                             ///< order.
  bool any_order = false;    ///< The order of the rows of its list sinks does not matter.
  bool kernel_times = true;  ///< Measure the device's time of the kernels.
  std::unordered_set<const ir::Var*> staying;  ///< List sinks whose rows stay on the devices.

  const ir::Schedule& schedule() const { return region->schedule; }
  /// The positions of the current unit; all positions if the region is not dealt to several runs.
  runtime::PositionRange range() const { return units == 1 ? runtime::PositionRange{0, positions} : piece(0, 1); }
  /// The work of the first `count` of these, as `work_of` measures it.
  std::uint64_t work_of_first(std::uint64_t count) const {
    const runtime::PositionRange all = range();
    return runtime::work_of(maybe_walked, all.begin, all.begin + std::min(count, all.end - all.begin));
  }
  bool has_rows() const;
  /// True if common neighbours of pairs of vertices are counted.
  bool counts_common() const;
  /// True if rows are kept until the region has ended.
  bool stores_rows() const { return has_rows() && !stream_rows; }
  /// True if rows are sorted by their places, so one group has to find all of a place.
  bool keeps_order() const { return stores_rows() && !any_order; }
  /// The positions of device `device` of `devices`, within the current unit. They depend only on the inputs, so all
  /// runs that share the region agree on them.
  runtime::PositionRange piece(std::uint64_t device, std::uint64_t devices) const;
};

/// Makes the request for each region of a run, from the values that the host has by then.
class RequestMaker {
 public:
  /// `universe`: number of vertices. The arguments must outlive this object and are read at each request.
  RequestMaker(const ModulePlan& plan, const CudaOptions& settings, const RunOptions& options, std::uint64_t universe,
               HostValues& values)
      : plan_(plan), settings_(settings), options_(options), universe_(universe), values_(values) {}

  /// The request, except for the fields that depend on the compiled kernels, which `emitted` gives. Throws Trap if the
  /// lists of the outermost loop differ in length.
  RegionRequest make(const host::RegionStep& s, const EmittedRegion& emitted);
  /// Updates the request for other kernels of the same region.
  static void take_kernels(RegionRequest& request, const EmittedRegion& emitted);

 private:
  std::uint64_t positions(const EmittedRegion& entry);
  void take_walked_graph(RegionRequest& request, const EmittedRegion& entry);
  std::uint64_t items_of(const host::BufferPlan& plan);
  std::uint64_t parts(const host::RegionStep& s, std::uint64_t positions) const;
  BufferSpec spec(const host::BufferPlan& plan);
  void take_rows(RegionRequest& request, const host::RegionStep& s) const;

  const ModulePlan& plan_;
  const CudaOptions& settings_;
  const RunOptions& options_;
  std::uint64_t universe_;
  HostValues& values_;
};

}  // namespace matcha::codegen::gpu
