// Dealing out a region whose outermost loop walks the vertices of a graph and whose next loop walks their neighbours:
// in tiles of so many arcs instead of so many vertices, so that a vertex with many neighbours is shared by many workers
// from the start (edges as initial tasks: T-DFS, section III; G2Miner's edge parallelism). No list of edges is needed,
// only where each tile begins, which is looked for once for a graph: groups that each search the offsets for their
// tiles spend a fifth of a short kernel on it.
#pragma once

#include "runtime/common/prelude.h"
#include "runtime/common/task_queue.h"

namespace matcha_program {

/// What is dealt out: the vertices at some positions. Tile `t` has their arcs [t * tile, (t + 1) * tile).
struct Deal {
  const u64* offsets;   ///< Of the graph that is walked; by rank.
  const u32* vertices;  ///< Its vertices, ascending: position to rank; null: they are the same.
  u64 vertex_count;     ///< The end of the positions.
  u64 arcs;             ///< That these vertices have.
  u64 tile;             ///< Arcs of a tile; 0: whole positions are dealt out.
  u64 tiles;            ///< Number of tiles.
  u64 grab;           ///< Tiles that a worker takes at a time at most, and the unit in which several devices get them.
  const u32* starts;  ///< Of each tile the first position whose arcs begin in it or behind it; then `vertex_count`.

  u64 share_bits;       ///< See `share_bits_of`.
  u64 first = 0;        ///< The first position,
  u64 arcs_before = 0;  ///< and the arcs of the graph before its own.

  /// How many tiles to take when `taken` are gone: fewer towards the end, so that workers end together.
  MATCHA_MEMBER u64 share(u64 taken) const { return smaller(larger((tiles - taken) >> share_bits, 1ull), grab); }
};

/// So many workers each take about a sixteenth of what falls to them of the tiles that are left, as a power of two: a
/// division takes a device as long as all else that is done to get a tile.
MATCHA_FN u64 share_bits_of(u64 workers) {
  u64 bits = 4;
  for (; workers > 1; workers /= 2) ++bits;
  return bits;
}

/// Arcs of a tile. A group that takes them one after the other gets few, one whose lanes take an arc each as many as
/// these can use. One that makes rows of bits gets as many as leave work for all, as the arcs of a tile share its rows:
/// fewer where more loops over bits (`bit_loops`; 0: no rows) make an arc long. `light_arcs`: most arcs are left at
/// once, for a label, and the others do not take long.
MATCHA_FN u64 usual_tile(u64 arcs, u64 workers, bool lanes_take, u64 bit_loops, bool light_arcs) {
  constexpr u64 kFew = 4;
  constexpr u64 kFewLight = 8;
  constexpr u64 kSome = 24;
  constexpr u64 kMany = 64;
  constexpr u64 kTiles = 8;
  if (lanes_take) return kMany;
  if (bit_loops == 0 || bit_loops > 3) return light_arcs ? kFewLight : kFew;
  return bit_loops == 3 ? kSome : smaller(larger(arcs / (workers * kTiles), kMany / 2), 2 * kMany);
}

/// Positions that the lanes of a worker take side by side: fewer than there are lanes if not all workers had some to do
/// several times.
MATCHA_FN u64 usual_lanes(u64 positions, u64 workers, u64 width) {
  constexpr u64 kSteps = 4;
  constexpr u64 kFewest = 4;
  return smaller(larger(positions / (workers * kSteps), kFewest), width);
}

/// Positions that a worker takes at a time: so few that all have work to the end. `lanes`: those that it walks side by
/// side.
MATCHA_FN u64 usual_chunk(u64 positions, u64 workers, u64 lanes) {
  constexpr u64 kChunks = 8;
  constexpr u64 kMost = 64;
  constexpr u64 kMostALane = 16;
  u64 share = positions / (workers * kChunks);
  if (lanes == 1) return larger<u64>(smaller(share, kMost), 1);
  return larger<u64>(smaller(share / lanes, kMostALane), 1) * lanes;
}

/// The number of the first arc of a position, among those that are dealt out.
MATCHA_FN u64 first_arc(const Deal& deal, u64 position) {
  if (position == deal.vertex_count) return deal.arcs;
  return deal.offsets[deal.vertices == nullptr ? position : deal.vertices[position]] - deal.arcs_before;
}

/// The first position whose arcs begin at `arc` or behind it, by steps from `low` on that double. Requires: all below
/// `low` begin before it.
MATCHA_FN u64 first_from(const Deal& deal, u64 arc, u64 low) {
  u64 high = low;
  for (u64 step = 1; high < deal.vertex_count && first_arc(deal, high) < arc; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = smaller(high, deal.vertex_count);
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    if (first_arc(deal, middle) < arc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Fills in `starts` of a deal, of the tiles [first, end) and of the end behind the last one as a tile of its own.
MATCHA_FN void find_tile_starts(const Deal& deal, u32* starts, u64 first, u64 end) {
  u64 position = deal.first;
  for (u64 tile = first; tile < end; ++tile) {
    position = tile == deal.tiles ? deal.vertex_count : first_from(deal, tile * deal.tile, position);
    starts[tile] = u32(position);
  }
}

/// The depth of a task that stands for the tile `begin`. It never enters the queue.
inline constexpr u32 kTileDepth = 3;
/// An end behind all positions of any loop.
inline constexpr u64 kNoEnd = 1ull << 46;

/// The tasks of a tile, one after the other: the rest of a vertex that began in an earlier tile, the vertices that
/// begin here, and of the last one, if it goes on behind the tile, only the beginning. A vertex without arcs begins
/// where the next one does. Every position of the outermost loop is begun in exactly one tile.
struct TileWalk {
  u64 limit;  ///< Positions of the loop at level 1 that the first vertex of the current task may walk.
  u64 end;    ///< Of the tile's arcs.
  u32 first;  ///< The positions [first, behind) begin in the tile and are not walked yet;
  u32 whole;  ///< of those, [first, whole) also end in it.
  u32 behind;

  /// The first task of the tiles [tiles.begin, tiles.end). False when there is none.
  MATCHA_MEMBER bool open(const Deal& deal, const Task& tiles, Task& task) {
    u64 begin = tiles.begin * deal.tile;
    end = smaller(tiles.end * deal.tile, deal.arcs);
    first = deal.starts[tiles.begin];
    behind = deal.starts[tiles.end];
    whole = end == deal.arcs || first_arc(deal, behind) == end ? behind : behind - 1;
    u64 first_start = first_arc(deal, first);
    if (first_start == begin) return next(deal, task);
    u64 spilling_start = first_arc(deal, first - 1);
    task = Task{1, {first - 1, 0}, begin - spilling_start, first_start <= end ? kNoEnd : end - spilling_start};
    return true;
  }

  /// The next task of the tile; false when there is none.
  MATCHA_MEMBER bool next(const Deal& deal, Task& task) {
    limit = kNoEnd;
    if (first >= behind) return false;
    task = Task{0, {0, 0}, first, behind};
    if (first < whole) {
      task.end = whole;
    } else {
      limit = end - first_arc(deal, first);
    }
    first = u32(task.end);
    return true;
  }
};

}  // namespace matcha_program
