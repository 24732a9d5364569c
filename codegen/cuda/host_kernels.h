// Kernels started by groups, in a program that was compiled ahead of time: options, memory, arguments.
#pragma once

#include "codegen/cuda/host_gpu.h"

namespace matcha_program {

inline constexpr const char* kRunnerHelp =
    R"(  --device N             the GPU, from 0 (default 0)
  --fanout N             when made with --steal=kernel: positions of a loop beyond which it gets kernels (default 1024)
  --kernels N            and how many of them may be there at a time (default 256)
)";

/// False if the option is not one of these.
inline bool take_kernels(Schedule& schedule, const std::string& option, const std::string& value) {
  constexpr u64 kMostKernels = 2048;
  if (option == "--fanout") schedule.fanout = std::max<u64>(number_of(option, value), 1);
  if (option == "--kernels") schedule.kernels = std::min<u64>(number_of(option, value), kMostKernels);
  return option == "--fanout" || option == "--kernels";
}

/// The most kernels that groups may start at the same time. If memory is short, a quarter of it is for their lists, and
/// fewer groups work.
inline u64 plan_kernels(Gpu& gpu, const RegionPlan& plan, const Schedule& schedule, const ListPlan& lists,
                        u64& workers) {
  if (schedule.steal != kKernel || !plan.parallel) return 0;
  constexpr u64 kPart = 4;
  u64 bytes = lists.scratch_bytes + lists.tables * kPageBytes;
  u64 room = bytes == 0 ? ~0ull : gpu.room() / bytes;
  if (room >= workers + schedule.kernels * kKernelGroups) return schedule.kernels;
  u64 kernels = std::min(schedule.kernels, room / kPart / kKernelGroups);
  workers = std::min(workers, room - kernels * kKernelGroups);
  return kernels;
}

/// The states of the started kernels, and the frame of their region, on the GPU.
class KernelRoom {
 public:
  KernelRoom(u64 count, const Kernel& kernel) : count_(count), kernel_(kernel) {}

  /// Without memory for kernels nothing is split. `frame` has addresses of the device.
  void open(const void* frame, const Schedule& schedule, Launch& launch) {
    if (launch.stealing == kKernel && count_ == 0) launch.split = 0;
    if (count_ == 0) return;
    std::vector<u64> words(bit_words_ + count_, 0);
    for (u64 i = 0; i < count_; ++i) words[i / 64] |= 1ull << (i % 64);
    places_.write(words.data(), words.size() * 8);
    frame_.write(frame, kernel_.frame_bytes);
    u64* const places = places_.as<u64>();
    launch.kernels = {places, places + bit_words_, count_, schedule.fanout, kernel_.region, frame_.as<u8>()};
  }
  void note(KernelFacts& facts, const Shared& shared, u64 list_bytes) const {
    facts.kernels += shared.kernels;
    facts.kernels_refused += shared.kernels_refused;
    facts.kernels_at_once = std::max(facts.kernels_at_once, count_);
    facts.kernel_bytes = std::max(facts.kernel_bytes, count_ * kKernelGroups * list_bytes);
  }

 private:
  u64 count_;
  const Kernel& kernel_;
  u64 bit_words_ = (count_ + 63) / 64;
  DeviceArray places_{(bit_words_ + count_) * 8};
  DeviceArray frame_{count_ != 0 ? kernel_.frame_bytes : 0};
};

}  // namespace matcha_program
