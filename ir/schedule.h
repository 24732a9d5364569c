#pragma once

#include <cstdint>
#include <string_view>

namespace matcha::ir {

/// How the lanes of a group of threads walk a loop; analysis/lane_modes.h says which loops can be walked so.
enum class LaneMode : std::uint8_t {
  Together,  ///< All of them take one item after the other.
  Items,     ///< Each takes an item of its own.
  Pairs,     ///< Each takes an item together with one of the loop inside, which is walked by items.
  Arcs,      ///< Each takes a vertex of the outermost loop together with an item of the loop over its neighbours, which
             ///< is walked by items.
};

/// `together`, `items`, `pairs`, `arcs`.
std::string_view keyword(LaneMode mode);

/// Lanes that can work together.
inline constexpr std::uint32_t kMostLanes = 32;

/// What a schedule decided for one region; printed in full, never hidden.
struct Schedule {
  bool parallel = true;     ///< Positions of the outermost loop are dealt to workers.
  std::uint32_t split = 2;  ///< Loop levels at which a straggler's remaining positions may be dealt again.
  std::uint32_t group = 1;  ///< Lanes: threads that work together on one position. A power of two, at most kMostLanes.
  bool operator==(const Schedule&) const = default;
};

}  // namespace matcha::ir
