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
  std::optional<runtime::cuda::Function> hubs;   ///< Makes rows of hubs, if the region reads them.
  std::optional<runtime::cuda::Function> tiles;  ///< Finds the starts of tiles, if the region is dealt by them.
  int blocks = 0;                                ///< Resident blocks of `run` on a multiprocessor.
};

/// The inputs of a region on one device.
struct RegionInputs {
  const RegionKernels* kernels = nullptr;
  std::vector<std::uint8_t> frame;
  const std::int64_t* original_ids = nullptr;
  const runtime::GraphView* dealt_graph = nullptr;  ///< The graph by whose arcs the region may be dealt; null: by
                                                    ///< positions.
  DeviceTiles* tiles = nullptr;                     ///< The tiles of that graph.
};

/// How a region is dealt to the devices: units of tiles in turn, or positions cut by arcs (runtime/graph/cuts.h). For a
/// sample, some of the devices do not exist. For a unit of a region, each device has one range of positions.
struct RegionShare {
  std::uint64_t device = 0;
  std::uint64_t devices = 1;
  std::uint64_t groups = 1;                     ///< Groups of all existing devices.
  std::vector<runtime::PositionRange> ranges;   ///< With several devices: the positions of this one.
  std::optional<runtime::PositionRange> piece;  ///< For a unit: the positions of this device.
  bool is_sample = false;

  /// The share of device `device` of `devices`.
  static RegionShare of_device(const RegionRequest& request, std::uint64_t device, std::uint64_t devices,
                               std::uint64_t groups);

  /// Consecutive tiles of a deal that one device gets.
  std::uint64_t unit_tiles(const matcha_program::Deal& deal) const;
  /// Number of tiles of a deal that this device gets.
  std::uint64_t tiles(const matcha_program::Deal& deal) const;
  /// Number of positions that this device gets, of `all`.
  std::uint64_t positions(std::uint64_t all) const;
};

/// Runs regions on one device; memory, streams and events are kept from region to region. Calls for each region:
/// `plan`, `start`, `done` until true, `take`.
class RegionLauncher {
 public:
  RegionLauncher(runtime::cuda::DeviceRef device, const CudaOptions& options);

  const runtime::cuda::Stream& stream() const { return stream_; }
  const runtime::cuda::DeviceRef& device() const { return device_; }

  /// True if the region should be compiled for paged lists, because arrays do not fit for enough groups.
  bool needs_pages(const RegionRequest& request, const RegionInputs& inputs) const;
  /// Chooses the number of groups, at most `most_groups`, and returns it; groups of started kernels are not included.
  /// `note`: receives a message for the user if the number was reduced.
  std::uint64_t plan(const RegionRequest& request, const RegionInputs& inputs, std::uint64_t most_groups,
                     std::string& note);
  /// Positions that a group takes at a time, for `groups` groups on all devices.
  std::uint64_t chunk(const RegionRequest& request, std::uint64_t groups) const;
  /// Starts the region without waiting. `row_capacity`: rows of each list sink.
  void start(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share,
             std::uint64_t row_capacity);
  /// True once the region has ended here. Throws Trap if the kernel failed.
  bool done(const RegionRequest& request);
  /// Outermost positions to walk, if whole positions are dealt. Empty for tiles; `Shared::live` then tells the rest.
  std::optional<std::uint64_t> share() const { return share_; }
  /// Asks the groups to stop soon. The start of the region may overwrite a request that comes too early, so the caller
  /// repeats it until the region has ended.
  void stop();
  /// Waits for the words sent by `stop` and `drain`. Without waiting they could reach the next kernel, whose words may
  /// use the same memory.
  void settle();
  /// Outermost positions done so far; may be slightly out of date.
  std::uint64_t walked();
  /// Hands over complete streamed rows and counts them; false: no more are wanted. `done`: the kernel has ended.
  bool drain(const RowStream::Give& give, bool done, std::uint64_t& rows);

  // After `done`

  const matcha_program::Shared& shared() const { return *static_cast<const matcha_program::Shared*>(control_.host()); }
  /// Milliseconds of the device's time in the kernel. Requires: the request asked for them.
  double milliseconds() const;
  /// Bytes of the intermediate lists of the groups.
  std::uint64_t list_bytes() const { return plan_.bytes(shared().pages_taken); }
  /// Kernels that groups may start at the same time; and the bytes of the lists of their groups (with paged lists, only
  /// of their page tables).
  std::uint64_t kernels() const { return kernels_; }
  std::uint64_t kernel_bytes() const { return (plan_.workers - groups_) * plan_.scratch_bytes; }
  /// Rows that a list sink found, including those beyond its capacity.
  std::uint64_t row_count(std::size_t sink) const { return counts()[sink]; }
  /// Adds the values of the groups: `slots` sink by sink for each group; exact sums of sink i to `sums[i]`.
  void take(const RegionRequest& request, std::vector<matcha_program::Slot>& slots,
            std::vector<std::vector<runtime::ExactSum>>& sums);
  /// The rows of a list sink within its capacity, which stay on the device.
  DeviceRows::Part take_rows(std::size_t sink);

 private:
  /// The layout of the words shared by host and workers, in one piece so that one copy moves them. First come Shared,
  /// the counts of rows and, unless they are many, the slots. The host does not read back the rest: the plans of
  /// buffers, the areas of rows, the ranges of positions, and the places and frame of started kernels.
  struct ControlLayout {
    std::uint64_t counts = 0, slots = 0, buffers = 0, areas = 0, ranges = 0, places = 0, frame = 0, bytes = 0;
    std::uint64_t slot_bytes = 0;  ///< The bytes of the slots in the piece.
  };
  /// The state of the queue after a run that emptied it. The next run continues there, because clearing the words takes
  /// longer than a small region.
  struct EmptyQueue {
    runtime::cuda::CuDevicePtr words = 0;  ///< 0: the state of the words is unknown.
    std::uint64_t capacity = 0;
    std::uint64_t place = 0;  ///< The next place to use.
  };

  matcha_program::Launch prepare(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share);
  matcha_program::Deal deal(const RegionRequest& request, const RegionInputs& inputs, std::uint64_t groups,
                            const std::optional<runtime::PositionRange>& maybe_piece) const;
  /// Groups that the device holds at the same time, or fewer if there is not enough work.
  std::uint64_t wanted_groups(const RegionRequest& request, const RegionInputs& inputs) const;
  /// Most kernels that `most_groups` groups may start at the same time, if memory allows their lists.
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
  runtime::cuda::Stream side_;  ///< For words copied while a kernel runs.
  runtime::cuda::Event begin_;
  runtime::cuda::Event end_;
  runtime::cuda::PinnedBuffer<std::uint64_t> words_;  ///< [0]: the value written to `stop`; [1]: progress.
  RegionMemory memory_;
  RegionPlan plan_;  ///< For the groups and those of started kernels.
  std::uint64_t groups_ = 1;
  std::uint64_t kernels_ = 0;
  ControlLayout layout_;
  runtime::cuda::PinnedMemory control_;  ///< Sent to the device at the start, and read back at the end.
  runtime::cuda::PinnedMemory slots_;    ///< Slots that are not in that piece.
  EmptyQueue queue_;
  runtime::cuda::CuDevicePtr shared_ = 0;
  std::optional<std::uint64_t> share_;
  std::uint64_t row_capacity_ = 0;
  RowStream rows_;
  std::size_t stream_sink_ = 0;
};

}  // namespace matcha::codegen::gpu
