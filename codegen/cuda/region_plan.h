#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/schedule.h"
#include "ir/support/source.h"
#include "runtime/common/launch.h"

namespace matcha::codegen::gpu {

/// One planned buffer: its largest number of items in each group.
struct BufferSpec {
  std::string name;
  std::uint64_t items;
  std::uint64_t item_bytes;  ///< Several columns: 8 bytes each.
  bool array = false;        ///< An array in every kind of stack, as for bits.
  bool counters = false;     ///< Initially zero.
};

/// Memory available for the intermediate lists of a region.
struct ListMemory {
  std::uint64_t bytes = 0;  ///< In all.
  std::uint64_t arena = 0;  ///< Most of them for pages; 0: the rest.
};

/// The number of groups, and the memory of their lists.
struct RegionPlan {
  ir::Stack stack = ir::Stack::Array;
  std::uint64_t workers = 1;
  std::vector<matcha_program::BufferPlan> buffers;
  std::uint64_t scratch_bytes = 0;  ///< The bytes for one group: its arrays, or its page tables.
  std::uint64_t pages = 0;          ///< The number of pages in the arena.
  std::string note;                 ///< A message about reduced memory or groups; empty: none.

  /// Bytes of lists if `pages_taken` pages of the arena are in use.
  std::uint64_t bytes(std::uint64_t pages_taken) const;
};

/// True if the arrays of `workers` groups fit `bytes` bytes.
bool arrays_fit(std::span<const BufferSpec> buffers, std::uint64_t workers, std::uint64_t bytes);
/// True if arrays fit for less than a quarter of `workers` groups, and pages serve more groups than arrays.
bool needs_pages(std::span<const BufferSpec> buffers, std::uint64_t workers, const ListMemory& memory);

/// A plan for at most `workers` groups: fewer if arrays, or page tables and a page for each list, do not fit for all.
/// Throws Trap (Resource) if one group does not fit.
RegionPlan plan_lists(std::span<const BufferSpec> buffers, std::uint64_t workers, ir::Stack stack,
                      const ListMemory& memory, SourceLoc loc);

}  // namespace matcha::codegen::gpu
