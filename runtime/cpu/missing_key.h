#pragma once

#include <cstdint>

namespace matcha::runtime {

/// The size that `rt_note_index` gets where a table has no row with a key.
inline constexpr std::uint64_t kOfTable = UINT64_MAX;

}  // namespace matcha::runtime
