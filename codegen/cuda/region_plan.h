#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/schedule.h"
#include "ir/support/source.h"
#include "runtime/common/launch.h"

namespace matcha::codegen::gpu {

/// One planned buffer: at most so many items in each group.
struct BufferSpec {
  std::string name;
  std::uint64_t items;
  std::uint64_t item_bytes;  ///< Of several columns: 8 each.
  bool array = false;        ///< In any kind of stack, as those of bits are.
  bool counters = false;     ///< Zeros at the start.
};

/// What there is for the intermediate lists of a region.
struct ListMemory {
  std::uint64_t bytes = 0;  ///< In all.
  std::uint64_t arena = 0;  ///< Of them at most, for pages; 0: as many as are left.
};

/// How many groups work, and the memory of their lists.
struct RegionPlan {
  ir::Stack stack = ir::Stack::Array;
  std::uint64_t workers = 1;
  std::vector<matcha_program::BufferPlan> buffers;
  std::uint64_t scratch_bytes = 0;  ///< Of one group: its arrays, or its page tables.
  std::uint64_t pages = 0;          ///< Of the arena.
  std::string note;                 ///< What was cut down to fit; empty: nothing.

  /// Bytes of lists when `pages_taken` pages of the arena are in use.
  std::uint64_t bytes(std::uint64_t pages_taken) const;
};

/// Whether the arrays of so many groups have room in so many bytes.
bool arrays_fit(std::span<const BufferSpec> buffers, std::uint64_t workers, std::uint64_t bytes);
/// True when arrays for less than a quarter of `workers` groups fit, and pages serve more groups than arrays.
bool wants_pages(std::span<const BufferSpec> buffers, std::uint64_t workers, const ListMemory& memory);

/// A plan for at most `workers` groups: fewer when arrays, or page tables and a page a list, do not fit for all.
/// Throws Trap (Resource) when there is no room for one group.
RegionPlan plan_lists(std::span<const BufferSpec> buffers, std::uint64_t workers, ir::Stack stack,
                      const ListMemory& memory, SourceLoc loc);

}  // namespace matcha::codegen::gpu
