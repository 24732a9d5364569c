#pragma once

#include <atomic>
#include <cstdint>

#include "codegen/cpu/code.h"
#include "codegen/plan/op.h"

namespace matcha::codegen::plan {

/// A region as a plan, and as native code once compiled. `kPlanSlot` points to one.
struct Region {
  const Function* function = nullptr;
  std::atomic<const cpu::RegionCode*> native{nullptr};
  std::atomic<bool> every_other{false};  ///< Only every other task uses native code; for tests.
  mutable std::atomic<unsigned> tasks{0};
};

/// Items [begin, end) of the second-level loop of an outer position.
struct Items {
  std::uint64_t position = 0, begin = 0, end = 0;
};

/// Walks the items by native code if there is some; counts them as done unless the walk is `whole`.
bool native_walks(runtime::RegionContext& context, runtime::Worker& worker, bool whole, const Items& items);

/// RegionBody and RegionInner of every plan; uses native code if there is some.
void walk_positions(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t begin, std::uint64_t end);
void walk_items(runtime::RegionContext* context, runtime::Worker* worker, std::uint64_t position, std::uint64_t begin,
                std::uint64_t end);

}  // namespace matcha::codegen::plan
