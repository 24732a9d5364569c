#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "ir/nodes.h"
#include "runtime/common/exact_sum.h"
#include "runtime/common/launch.h"

/// Merges the values that the groups of a region return.
namespace matcha::codegen::gpu {

bool is_exact_sum(const ir::Sink& sink);

/// The initial value of a group.
matcha_program::Slot empty_slot(const ir::Sink& sink);

/// The value of a sink without yields.
PartialValue empty_partial(const ir::Sink& sink);

/// The merged value of scalar sink `sink`, number `index` of `sinks`, from the slots of all groups. `sums` has the
/// exact sums of a float sum, one for each group. Throws Trap at `loc` if an int sum needs more than 128 bits.
PartialValue merge_slots(const ir::Sink& sink, const std::vector<matcha_program::Slot>& slots, std::uint64_t index,
                         std::uint64_t sinks, const std::vector<runtime::ExactSum>& sums, SourceLoc loc);

/// The final value of a scalar sink. `monostate`: an empty min or max. Throws Trap at `loc` if an int is outside its
/// type.
host::Scalar scalar_of(const PartialValue& found, SourceLoc loc);

/// Writes a word of a row as item `at` of a column.
void put_word(runtime::ElementKind kind, void* column, std::uint64_t at, std::uint64_t word);

/// The `count` rows of a list sink in order of their places. `words` is laid out as RowArea, with exactly this
/// capacity. `positions`: of the region's outermost loop.
host::List ordered_rows(const ir::Sink& sink, const std::vector<std::uint64_t>& words, std::uint64_t count,
                        std::uint64_t positions);

}  // namespace matcha::codegen::gpu
