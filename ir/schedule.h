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

/// How an idle worker gets a part of what a busy one has left.
enum class Stealing : std::uint8_t {
  Give,     ///< A busy worker sees that others are idle and gives them half of a loop: what the CPU's run time does.
  None,     ///< Not at all: positions of the outermost loop are dealt in chunks, and that is it.
  Half,     ///< It takes half of a loop (STMatch 1.5): in its block from anyone, beyond it from a worker it has asked.
  Timeout,  ///< A worker that has worked on a task for long hands on the rest of it (T-DFS III).
  Kernel,   ///< A worker that comes to a loop of many positions starts a kernel that takes them (EGSM, in T-DFS I).
};

/// `give`, `none`, `half`, `timeout`, `kernel`.
std::string_view keyword(Stealing steal);

/// Where the stored lists of a worker are.
enum class Stack : std::uint8_t {
  Array,  ///< In arrays as large as the buffers say.
  Paged,  ///< In pages of an arena that are taken as lists grow (T-DFS III, Algorithm 5).
};

/// `array`, `paged`.
std::string_view keyword(Stack stack);

/// Lanes that can work together.
inline constexpr std::uint32_t kMostLanes = 32;
/// Loop levels whose positions a task can name.
inline constexpr std::uint32_t kMostSplit = 3;

/// How one region runs. Text leaves out `steal`, `stack` and `shared_rows` where they are as here.
struct Schedule {
  bool parallel = true;  ///< Positions of the outermost loop are dealt to workers.
  /// Loop levels, from the outermost one on, whose remaining positions idle workers may get; at most kMostSplit.
  std::uint32_t split = 2;
  std::uint32_t group = 1;  ///< Lanes: threads that work together on one position. A power of two, at most kMostLanes.
  Stealing steal = Stealing::Give;  ///< The same for all regions of a module, as it is part of the code of a worker.
  Stack stack = Stack::Array;       ///< The same for all regions of a module.
  /// Rows of bits, and counts of what vertices have in common, that tasks of one outermost position make once and
  /// share: all that the position makes (`row_stores` in analysis/spine.h), or none.
  std::uint32_t shared_rows = 0;
  bool operator==(const Schedule&) const = default;
};

}  // namespace matcha::ir
