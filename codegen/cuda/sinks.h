#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "ir/nodes.h"
#include "runtime/common/exact_sum.h"
#include "runtime/common/launch.h"

/// What the groups of a region hand back, put together.
namespace matcha::codegen::gpu {

bool is_exact_sum(const ir::Sink& sink);

/// The empty value that a group starts from.
matcha_program::Slot empty_slot(const ir::Sink& sink);

/// The value of scalar sink `sink`, number `index` of `sinks`, from the slots of all groups; `sums` has the exact sums
/// of a float sum, one a group. `monostate`: an empty min or max. Throws Trap at `loc` when an int has no room.
host::Scalar merge_slots(const ir::Sink& sink, const std::vector<matcha_program::Slot>& slots, std::uint64_t index,
                         std::uint64_t sinks, const std::vector<runtime::ExactSum>& sums, SourceLoc loc);

/// Writes a word of a row as item `at` of a column.
void put_word(runtime::ElementKind kind, void* column, std::uint64_t at, std::uint64_t word);

/// The `count` rows of a list sink in order of their places. `words` is laid out as RowArea says, with room for no more
/// than them; `positions`: of the region's outermost loop.
host::List ordered_rows(const ir::Sink& sink, const std::vector<std::uint64_t>& words, std::uint64_t count,
                        std::uint64_t positions);

}  // namespace matcha::codegen::gpu
