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

/// A region, as all devices see it.
struct RegionRequest {
  const ir::Region* region = nullptr;  ///< With the schedule that its kernel is compiled for.
  std::uint64_t number = 0;            ///< Of the program's regions.
  std::uint64_t positions = 1;
  /// The graph, in memory of the host, whose vertices they are; null: something else, or only devices have it.
  const runtime::GraphView* maybe_walked = nullptr;
  bool walks_input = false;  ///< That graph is an input of the program.
  std::uint64_t parts = 1;   ///< One of so many is walked; see Sample.
  std::uint64_t unit = 0;    ///< Of a region that is dealt to several runs: the unit that is walked now,
  std::uint64_t units = 1;   ///< of so many (codegen/dealer.h).
  std::vector<BufferSpec> buffers;
  std::uint64_t row_items = 0;   ///< Of rows of bits, at most.
  std::uint64_t bit_loops = 0;   ///< Loops over sets of bits that stand in each other, where there are such rows.
  bool light_arcs = false;       ///< Most arcs are left at once, for a label, and the others do not take long.
  bool rows_may_be_far = false;  ///< Rows that it reads may be in memory of the host.
  std::uint64_t universe = 0;
  int lanes_level = 3;       ///< The loop level whose positions the lanes of a group take, each its own.
  bool stream_rows = false;  ///< The rows of its list sink go to the host while it runs, in no particular order.
  bool any_order = false;    ///< The order of the rows of its list sinks does not matter.
  bool kernel_times = true;  ///< The device measures how long its kernels take.
  std::unordered_set<const ir::Var*> staying;  ///< List sinks whose rows stay on the devices.

  const ir::Schedule& schedule() const { return region->schedule; }
  /// The positions of the unit that is walked now; all, if the region is not dealt to several runs.
  runtime::PositionRange range() const { return units == 1 ? runtime::PositionRange{0, positions} : piece(0, 1); }
  /// The work of the first so many of these, as `work_of` measures it.
  std::uint64_t work_of_first(std::uint64_t count) const {
    const runtime::PositionRange all = range();
    return runtime::work_of(maybe_walked, all.begin, all.begin + std::min(count, all.end - all.begin));
  }
  bool has_rows() const;
  /// What pairs of vertices have in common is counted.
  bool counts_common() const;
  /// Rows are kept until the region has ended.
  bool stores_rows() const { return has_rows() && !stream_rows; }
  /// Rows are put in order by their places, so one group finds all of a place.
  bool keeps_order() const { return stores_rows() && !any_order; }
  /// The positions that fall to device `device` of `devices`, of the unit that is walked now. They depend on the inputs
  /// alone, so that all who share the region find the same ones.
  runtime::PositionRange piece(std::uint64_t device, std::uint64_t devices) const;
};

/// Makes what is asked of the devices for each region of a run, from the values that the host has by then.
class RequestMaker {
 public:
  /// `universe`: vertices there are. All are read whenever a request is made.
  RequestMaker(const ModulePlan& plan, const CudaOptions& settings, const RunOptions& options, std::uint64_t universe,
               HostValues& values)
      : plan_(plan), settings_(settings), options_(options), universe_(universe), values_(values) {}

  /// All but what the kernels are compiled for, which `emitted` tells. Throws Trap when the lists of the outermost loop
  /// differ in length.
  RegionRequest make(const host::RegionStep& s, const EmittedRegion& emitted);
  /// Changes the request to one for other kernels of the same region.
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
