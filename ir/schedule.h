#pragma once

#include <cstdint>
#include <string_view>

namespace matcha::ir {

/// How the lanes of a group of threads walk a loop; analysis/lane_modes.h decides which modes are possible.
enum class LaneMode : std::uint8_t {
  Together,  ///< All lanes take the same item.
  Items,     ///< Each lane takes another item.
  Pairs,     ///< Each lane takes a pair: an item and one of the inner loop, which is walked by items.
  Arcs,      ///< Each lane takes an arc: a vertex of the outermost loop and an item of the loop over its neighbours,
             ///< which is walked by items.
};

/// `together`, `items`, `pairs`, `arcs`.
std::string_view keyword(LaneMode mode);

/// How an idle worker gets a part of a busy worker's remaining work.
enum class Stealing : std::uint8_t {
  Give,     ///< A busy worker sees idle ones and gives them half of a loop: the CPU's run time.
  None,     ///< Not at all: positions of the outermost loop are dealt in chunks.
  Half,     ///< The idle worker takes half of a loop (STMatch 1.5): from any worker of its block, or on request from
            ///< one of another block.
  Timeout,  ///< A worker hands on the rest of a task that took long (T-DFS III).
  Kernel,   ///< A worker starts a kernel for a loop of many positions (EGSM, in T-DFS I).
};

/// `give`, `none`, `half`, `timeout`, `kernel`.
std::string_view keyword(Stealing steal);

/// Storage of a worker's stored lists.
enum class Stack : std::uint8_t {
  Array,  ///< In arrays with the capacities of the buffers.
  Paged,  ///< In pages of an arena that are allocated as lists grow (T-DFS III, Algorithm 5).
};

/// `array`, `paged`.
std::string_view keyword(Stack stack);

/// Lanes that can work together.
inline constexpr std::uint32_t kMostLanes = 32;
/// Loop levels whose positions a task can name.
inline constexpr std::uint32_t kMostSplit = 3;

/// How one region runs. The text omits `steal`, `stack` and `shared_rows` if they have these defaults.
struct Schedule {
  bool parallel = true;  ///< Positions of the outermost loop are dealt to workers.
  /// Loop levels, from the outermost one on, whose remaining positions can be stolen; at most kMostSplit.
  std::uint32_t split = 2;
  std::uint32_t group = 1;  ///< Lanes: threads that work together on one position. A power of two, at most kMostLanes.
  Stealing steal = Stealing::Give;  ///< The same for all regions of a module, because it is part of the code of a
                                    ///< worker.
  Stack stack = Stack::Array;       ///< The same for all regions of a module.
  /// Rows of bits, and counts of common neighbours, that tasks of one outermost position compute once and share: all of
  /// the position's (`row_stores` in analysis/spine.h), or none.
  std::uint32_t shared_rows = 0;
  bool operator==(const Schedule&) const = default;
};

}  // namespace matcha::ir
