#include "codegen/cuda/region_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/host_values.h"
#include "runtime/common/rooms.h"

namespace matcha::codegen::gpu {

using runtime::ErrorKind;
using Wide = unsigned __int128;

namespace {

constexpr std::uint64_t kPageBytes = matcha_program::kPageBytes;
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kPointer = 8;

Wide in_lines(Wide bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Memory needs of one group.
struct Needs {
  std::vector<matcha_program::BufferPlan> buffers;
  Wide bytes = 0;           ///< Arrays or tables.
  Wide pages = 0;           ///< At most.
  std::uint64_t lists = 0;  ///< Page tables, each of which needs at least one page.
};

matcha_program::BufferPlan plan_of(const Needs& needs, const BufferSpec& buffer) {
  return {static_cast<std::uint64_t>(needs.bytes), std::min<std::uint64_t>(buffer.items, matcha_program::kMostItems)};
}

Needs array_needs(std::span<const BufferSpec> buffers) {
  Needs needs;
  for (const BufferSpec& buffer : buffers) {
    needs.buffers.push_back(plan_of(needs, buffer));
    needs.bytes += in_lines(Wide{buffer.items} * buffer.item_bytes);
  }
  return needs;
}

Needs paged_needs(std::span<const BufferSpec> buffers) {
  Needs needs;
  for (const BufferSpec& buffer : buffers) {
    needs.buffers.push_back(plan_of(needs, buffer));
    if (buffer.array) {
      needs.bytes += in_lines(Wide{buffer.items} * buffer.item_bytes);
      continue;
    }
    std::uint64_t columns = matcha_program::paged_columns(buffer.item_bytes);
    std::uint64_t page_items = matcha_program::page_items(buffer.item_bytes);
    Wide pages = (Wide{buffer.items} + page_items - 1) / page_items * columns;
    needs.pages += pages;
    needs.lists += columns;
    needs.bytes += in_lines(pages * kPointer);
  }
  return needs;
}

/// Number of groups whose arrays all fit, at most `workers`.
std::uint64_t array_groups(const Needs& needs, std::uint64_t workers, const ListMemory& memory) {
  return needs.bytes == 0 ? workers : static_cast<std::uint64_t>(std::min<Wide>(workers, memory.bytes / needs.bytes));
}

/// Number of groups whose tables all fit, with a page for each.
std::uint64_t paged_groups(const Needs& needs, std::uint64_t workers, const ListMemory& memory) {
  if (needs.bytes == 0) return workers;
  Wide pages = Wide{needs.lists} * kPageBytes;
  Wide groups = std::min<Wide>(workers, memory.bytes / (needs.bytes + pages));
  if (memory.arena != 0 && pages != 0) groups = std::min<Wide>(groups, memory.arena / pages);
  return static_cast<std::uint64_t>(groups);
}

[[noreturn]] void no_room(std::span<const BufferSpec> buffers, SourceLoc loc) {
  const auto bytes = [](const BufferSpec& b) { return Wide{b.items} * b.item_bytes; };
  const BufferSpec& largest = *std::max_element(
      buffers.begin(), buffers.end(), [&](const BufferSpec& a, const BufferSpec& b) { return bytes(a) < bytes(b); });
  fail(ErrorKind::Resource,
       fmt::format("the intermediate list `{}` of up to {} items does not fit the GPU's memory", largest.name,
                   largest.items),
       largest.counters
           ? "leave the counters out by --disable-pass count-wedges"
           : "use a list with a smaller capacity, or raise --scratch-mb and --arena-mb where they are given",
       loc);
}

RegionPlan plan_arrays(std::span<const BufferSpec> buffers, std::uint64_t workers, const ListMemory& memory,
                       SourceLoc loc) {
  Needs needs = array_needs(buffers);
  std::uint64_t groups = array_groups(needs, workers, memory);
  if (groups == 0) no_room(buffers, loc);
  RegionPlan plan{ir::Stack::Array, groups, std::move(needs.buffers), static_cast<std::uint64_t>(needs.bytes), 0, {}};
  if (groups < workers) {
    plan.note = fmt::format("{} of {} groups of threads work, because each needs {} bytes for its lists", groups,
                            workers, plan.scratch_bytes);
  }
  return plan;
}

RegionPlan plan_pages(std::span<const BufferSpec> buffers, std::uint64_t workers, const ListMemory& memory,
                      SourceLoc loc) {
  Needs needs = paged_needs(buffers);
  std::uint64_t groups = paged_groups(needs, workers, memory);
  if (groups == 0) no_room(buffers, loc);
  RegionPlan plan{ir::Stack::Paged, groups, std::move(needs.buffers), static_cast<std::uint64_t>(needs.bytes), 0, {}};
  std::uint64_t left = memory.bytes - groups * plan.scratch_bytes;
  if (memory.arena != 0) left = std::min(left, memory.arena);
  plan.pages = static_cast<std::uint64_t>(std::min<Wide>(needs.pages * groups, left / kPageBytes));
  if (groups < workers) {
    plan.note = fmt::format("{} of {} groups of threads work, because each needs {} pages of {} bytes at least", groups,
                            workers, needs.lists, kPageBytes);
  }
  return plan;
}

}  // namespace

std::uint64_t RegionPlan::bytes(std::uint64_t pages_taken) const {
  return workers * scratch_bytes + std::min(pages_taken, pages) * kPageBytes;
}

bool arrays_fit(std::span<const BufferSpec> buffers, std::uint64_t workers, std::uint64_t bytes) {
  return array_needs(buffers).bytes * workers <= bytes;
}

bool needs_pages(std::span<const BufferSpec> buffers, std::uint64_t workers, const ListMemory& memory) {
  constexpr std::uint64_t kFewest = 4;
  std::uint64_t arrays = array_groups(array_needs(buffers), workers, memory);
  return arrays < std::max<std::uint64_t>(workers / kFewest, 1) &&
         paged_groups(paged_needs(buffers), workers, memory) > arrays;
}

RegionPlan plan_lists(std::span<const BufferSpec> buffers, std::uint64_t workers, ir::Stack stack,
                      const ListMemory& memory, SourceLoc loc) {
  if (stack == ir::Stack::Paged) return plan_pages(buffers, workers, memory, loc);
  return plan_arrays(buffers, workers, memory, loc);
}

}  // namespace matcha::codegen::gpu
