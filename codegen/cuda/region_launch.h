#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/region_memory.h"
#include "codegen/cuda/region_plan.h"
#include "codegen/cuda/region_request.h"
#include "codegen/cuda/row_stream.h"
#include "codegen/cuda/tiles.h"
#include "runtime/common/exact_sum.h"
#include "runtime/common/launch.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/graph/cuts.h"
#include "runtime/work.h"

namespace matcha::codegen::gpu {

/// The kernels of a region on one device.
struct RegionKernels {
  runtime::cuda::Module module;
  runtime::cuda::Function run;
  std::optional<runtime::cuda::Function> hubs;   ///< Makes rows of hubs, if the region looks into them.
  std::optional<runtime::cuda::Function> tiles;  ///< Finds where tiles begin, if it is dealt out in them.
  int blocks = 0;                                ///< Blocks of `run` that a multiprocessor holds.
};

/// What a region reads on one device.
struct RegionInputs {
  const RegionKernels* kernels = nullptr;
  std::vector<std::uint8_t> frame;
  const std::int64_t* original_ids = nullptr;
  const runtime::GraphView* dealt_graph = nullptr;  ///< By whose arcs the region may be dealt out; or null.
  DeviceTiles* tiles = nullptr;                     ///< Of that graph.
};

/// How a region is dealt out, to the groups of a device one after the other: units of tiles go to devices in turn;
/// positions are cut by arcs (runtime/graph/cuts.h). Of a sample, not all of these devices are there; of a unit of a
/// region, each has one range of positions.
struct RegionShare {
  std::uint64_t device = 0;
  std::uint64_t devices = 1;
  std::uint64_t groups = 1;                     ///< Of all devices that are there.
  std::vector<runtime::PositionRange> ranges;   ///< Of several devices: the positions of this one.
  std::optional<runtime::PositionRange> piece;  ///< Of a unit: the positions of this device.
  bool is_sample = false;

  /// What falls to device `device` of the `devices` that are there.
  static RegionShare of_device(const RegionRequest& request, std::uint64_t device, std::uint64_t devices,
                               std::uint64_t groups);

  /// Tiles of a deal that a device gets side by side.
  std::uint64_t unit_tiles(const matcha_program::Deal& deal) const;
  /// How many tiles of a deal fall to this device.
  std::uint64_t tiles(const matcha_program::Deal& deal) const;
  /// How many of all positions do.
  std::uint64_t positions(std::uint64_t all) const;
};

/// Runs regions on one device; memory, streams and events are kept from region to region.
/// For each region: `plan`, `start`, `done` until true, `take`.
class RegionLauncher {
 public:
  RegionLauncher(runtime::cuda::DeviceRef device, const CudaOptions& options);

  const runtime::cuda::Stream& stream() const { return stream_; }
  const runtime::cuda::DeviceRef& device() const { return device_; }

  /// True when the region should be compiled for paged lists, because arrays for enough groups do not fit.
  bool wants_pages(const RegionRequest& request, const RegionInputs& inputs) const;
  /// Decides how many groups work, `most_groups` at most; gives their number, without those of kernels that they may
  /// start. `note`: what a user should know of it; else untouched.
  std::uint64_t plan(const RegionRequest& request, const RegionInputs& inputs, std::uint64_t most_groups,
                     std::string& note);
  /// Positions that a group takes at a time, of so many groups on all devices.
  std::uint64_t chunk(const RegionRequest& request, std::uint64_t groups) const;
  /// Hands everything to the device and returns; nothing is waited for. `row_capacity`: rows of each list sink.
  void start(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share,
             std::uint64_t row_capacity);
  /// The region has ended here. Throws Trap when the kernel failed.
  bool done(const RegionRequest& request);
  /// Outermost positions that it is to walk, if whole ones are dealt out; of tiles, `Shared::live` tells the rest.
  std::optional<std::uint64_t> share() const { return share_; }
  /// Asks the groups to leave soon. The words that a region begins with may be written over a wish that comes at once:
  /// who means it repeats it until the region has ended.
  void stop();
  /// Waits for the words that `stop` and `drain` have sent. After the kernel has ended, they would reach the next one,
  /// whose words may lie in the same memory.
  void settle();
  /// Outermost positions that are done so far; the value of an earlier moment.
  std::uint64_t walked();
  /// Hands over streamed rows that are complete and counts them; false: no more are wanted. `done`: the kernel has
  /// ended.
  bool drain(const RowStream::Give& give, bool done, std::uint64_t& rows);

  // After `done`

  const matcha_program::Shared& shared() const { return *static_cast<const matcha_program::Shared*>(control_.host()); }
  /// Milliseconds of the device's time that the kernel took. Requires: the request asked for them.
  double milliseconds() const;
  /// Bytes that the intermediate lists of the groups took.
  std::uint64_t list_bytes() const { return plan_.bytes(shared().pages_taken); }
  /// Kernels that groups may start at a time; and bytes of the intermediate lists of their groups, with their page
  /// tables alone where lists are paged.
  std::uint64_t kernels() const { return kernels_; }
  std::uint64_t kernel_bytes() const { return (plan_.workers - groups_) * plan_.scratch_bytes; }
  /// Rows that a list sink found, whether they had room or not.
  std::uint64_t row_count(std::size_t sink) const { return counts()[sink]; }
  /// Adds what the groups found: `slots` sink by sink for each group; exact sums of sink i to `sums[i]`.
  void take(const RegionRequest& request, std::vector<matcha_program::Slot>& slots,
            std::vector<std::vector<runtime::ExactSum>>& sums);
  /// The rows of a list sink that had room, which stay where they are.
  DeviceRows::Part take_rows(std::size_t sink);

 private:
  /// The words that host and workers share, in one piece so that one copy takes them: Shared, the counts of rows, the
  /// slots unless there are many, and then, of no use to the host afterwards, the plans of buffers, the areas of rows,
  /// the ranges of positions, and for kernels that groups start their places and the frame.
  struct ControlLayout {
    std::uint64_t counts = 0, slots = 0, buffers = 0, areas = 0, ranges = 0, places = 0, frame = 0, bytes = 0;
    std::uint64_t slot_bytes = 0;  ///< Of the slots that are in the piece.
  };
  /// The words of the queue after a run that emptied it: the next one goes on from there, since clearing them takes
  /// longer than a small region.
  struct EmptyQueue {
    runtime::cuda::CuDevicePtr words = 0;  ///< 0: nothing is known of the words.
    std::uint64_t capacity = 0;
    std::uint64_t place = 0;  ///< The next one to be used.
  };

  matcha_program::Launch prepare(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share);
  matcha_program::Deal deal(const RegionRequest& request, const RegionInputs& inputs, std::uint64_t groups,
                            const std::optional<runtime::PositionRange>& maybe_piece) const;
  /// Groups that the device holds at a time, or fewer when there is no work for all.
  std::uint64_t wanted_groups(const RegionRequest& request, const RegionInputs& inputs) const;
  /// Kernels that so many groups at most may start at a time, if there is memory for their lists.
  std::uint64_t wanted_kernels(const RegionRequest& request, std::uint64_t most_groups) const;
  ListMemory list_memory(const RegionRequest& request, std::uint64_t groups) const;
  void lay_out(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share);
  void continue_queue(const runtime::cuda::DeviceMemory& words, std::uint64_t capacity);
  void keep_queue();
  void prepare_stealing(const RegionRequest& request, matcha_program::Launch& launch);
  void prepare_kernels(const RegionRequest& request, const RegionInputs& inputs, matcha_program::Launch& launch);
  void prepare_lists(const RegionRequest& request, matcha_program::Launch& launch);
  void prepare_shared_rows(const RegionRequest& request, const RegionInputs& inputs, matcha_program::Launch& launch);
  std::uint64_t room_for_rows(std::uint64_t words, std::uint64_t state_bytes) const;
  void prepare_slots(const RegionRequest& request, matcha_program::Launch& launch);
  void prepare_rows(const RegionRequest& request);
  void prepare_share(const RegionRequest& request, const RegionShare& share, matcha_program::Launch& launch);
  std::uint64_t* counts() const;
  matcha_program::Slot* slots() const;

  runtime::cuda::DeviceRef device_;
  CudaOptions options_;
  runtime::cuda::Stream stream_;
  runtime::cuda::Stream side_;  ///< For words that travel while a kernel runs.
  runtime::cuda::Event begin_;
  runtime::cuda::Event end_;
  runtime::cuda::PinnedBuffer<std::uint64_t> words_;  ///< [0]: what is written to `stop`; [1]: progress.
  RegionMemory memory_;
  RegionPlan plan_;  ///< Of the groups and of those of kernels that they may start.
  std::uint64_t groups_ = 1;
  std::uint64_t kernels_ = 0;
  ControlLayout layout_;
  runtime::cuda::PinnedMemory control_;  ///< What the device gets at the start, and gives back at the end.
  runtime::cuda::PinnedMemory slots_;    ///< Of slots that are not in that piece.
  EmptyQueue queue_;
  runtime::cuda::CuDevicePtr shared_ = 0;
  std::optional<std::uint64_t> share_;
  std::uint64_t row_capacity_ = 0;
  RowStream rows_;
  std::size_t stream_sink_ = 0;
};

}  // namespace matcha::codegen::gpu
