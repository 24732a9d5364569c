#pragma once

#include <atomic>
#include <cstdint>

#include "codegen/cpu/code.h"
#include "codegen/plan/op.h"

namespace matcha::codegen::plan {

/// A region as a plan, and as native code once there is some. `kPlanSlot` points to one.
struct Region {
  const Function* function = nullptr;
  std::atomic<const cpu::RegionCode*> native{nullptr};
  std::atomic<bool> every_other{false};  ///< Native code gets every other task; for tests.
  mutable std::atomic<unsigned> tasks{0};
};

/// Items [begin, end) of the second-level loop of an outer position.
struct Items {
  std::uint64_t position = 0, begin = 0, end = 0;
};

/// Has native code walk the items, if there is some; they count as done only if the walk is not `whole`.
bool native_walks(runtime::RegionContext& context, runtime::Worker& worker, bool whole, const Items& items);

/// RegionBody and RegionInner of every plan: its native code does it if it is there.
void walk_positions(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t begin, std::uint64_t end);
void walk_items(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t position, std::uint64_t begin,
                std::uint64_t end);

}  // namespace matcha::codegen::plan
