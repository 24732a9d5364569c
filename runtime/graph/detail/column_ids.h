#pragma once

#include <vector>

#include "runtime/graph/int_column.h"
#include "runtime/graph/universe.h"

/// Ids in columns that the caller owns.
namespace matcha::runtime::detail {

/// As `Universe::from_ids`. Requires: every item is below 2^63.
Result<Universe> universe_of(const std::vector<IntColumn>& columns, const std::vector<IdRange>& ranges,
                             const IoOptions& options);

/// As `Universe::ranks`.
void ranks_of(const Universe& universe, const IntColumn& ids, std::uint32_t* out);

}  // namespace matcha::runtime::detail
