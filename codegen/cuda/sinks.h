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

/// What a sink has before anything is found.
PartialValue empty_partial(const ir::Sink& sink);

/// What scalar sink `sink`, number `index` of `sinks`, found, from the slots of all groups; `sums` has the exact sums
/// of a float sum, one a group. Throws Trap at `loc` when an int sum needs more than 128 bits.
PartialValue merge_slots(const ir::Sink& sink, const std::vector<matcha_program::Slot>& slots, std::uint64_t index,
                         std::uint64_t sinks, const std::vector<runtime::ExactSum>& sums, SourceLoc loc);

/// The value of a scalar sink of which all is found. `monostate`: an empty min or max. Throws Trap at `loc` when an int
/// outgrew its type.
host::Scalar scalar_of(const PartialValue& found, SourceLoc loc);

/// Writes a word of a row as item `at` of a column.
void put_word(runtime::ElementKind kind, void* column, std::uint64_t at, std::uint64_t word);

/// The `count` rows of a list sink in order of their places. `words` is laid out as RowArea says, with room for no more
/// than them; `positions`: of the region's outermost loop.
host::List ordered_rows(const ir::Sink& sink, const std::vector<std::uint64_t>& words, std::uint64_t count,
                        std::uint64_t positions);

}  // namespace matcha::codegen::gpu
