// Assigns a region whose outermost loop iterates over the vertices of a graph and whose next loop iterates over their
// neighbours: in tiles of arcs instead of vertices, so that a vertex with many neighbours is shared by many workers
// from the start (edges as initial tasks: T-DFS, section III; G2Miner's edge parallelism). It needs no list of edges,
// only the start of each tile, computed once for a graph: if groups searched the offsets for their tiles, a short
// kernel would spend 20 % of its time on it.
#pragma once

#include "runtime/common/prelude.h"
#include "runtime/common/task_queue.h"

namespace matcha_program {

/// The work to assign: the vertices at some positions. Tile `t` has their arcs [t * tile, (t + 1) * tile).
struct Deal {
  const u64* offsets;   ///< The offsets of the graph, by rank.
  const u32* vertices;  ///< Its vertices, ascending: position to rank; null: they are the same.
  u64 vertex_count;     ///< The end of the positions.
  u64 arcs;             ///< The number of arcs of these vertices.
  u64 tile;             ///< Arcs of a tile; 0: whole positions are assigned.
  u64 tiles;            ///< Number of tiles.
  u64 grab;           ///< The most tiles that a worker takes at a time, and the unit of assignment to several devices.
  const u32* starts;  ///< For each tile the first position whose arcs begin in it or after it; then `vertex_count`.

  u64 share_bits;       ///< See `share_bits_of`.
  u64 first = 0;        ///< The first position,
  u64 arcs_before = 0;  ///< and the number of arcs of the graph before those of `first`.

  /// The number of tiles to take when `taken` are gone: fewer towards the end, so that workers finish together.
  MATCHA_MEMBER u64 share(u64 taken) const { return smaller(larger((tiles - taken) >> share_bits, 1ull), grab); }
};

/// Each worker takes about a sixteenth of its part of the remaining tiles, rounded to a power of two: a division on the
/// device takes as long as all other steps of getting a tile.
MATCHA_FN u64 share_bits_of(u64 workers) {
  u64 bits = 4;
  for (; workers > 1; workers /= 2) ++bits;
  return bits;
}

/// Arcs of a tile. Few for a group that processes arcs one after the other; for a group whose lanes take an arc each,
/// as many as they can use. If the group builds bit rows, the arcs of a tile share its rows: as many as leave work for
/// all groups, fewer if more loops over bits (`bit_loops`; 0: no rows) make an arc expensive. `light_arcs`: most arcs
/// are rejected at once by a label, and the others are cheap.
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

/// Positions that the lanes of a worker process in parallel: fewer than the number of lanes if not every worker would
/// get several rounds.
MATCHA_FN u64 usual_lanes(u64 positions, u64 workers, u64 width) {
  constexpr u64 kSteps = 4;
  constexpr u64 kFewest = 4;
  return smaller(larger(positions / (workers * kSteps), kFewest), width);
}

/// Positions that a worker takes at a time: few enough that all workers have work to the end. `lanes`: those processed
/// in parallel.
MATCHA_FN u64 usual_chunk(u64 positions, u64 workers, u64 lanes) {
  constexpr u64 kChunks = 8;
  constexpr u64 kMost = 64;
  constexpr u64 kMostALane = 16;
  u64 share = positions / (workers * kChunks);
  if (lanes == 1) return larger<u64>(smaller(share, kMost), 1);
  return larger<u64>(smaller(share / lanes, kMostALane), 1) * lanes;
}

/// The number of the first arc of a position, among the assigned ones.
MATCHA_FN u64 first_arc(const Deal& deal, u64 position) {
  if (position == deal.vertex_count) return deal.arcs;
  return deal.offsets[deal.vertices == nullptr ? position : deal.vertices[position]] - deal.arcs_before;
}

/// The first position whose arcs begin at `arc` or after it, by doubling steps from `low` on. Requires: all below `low`
/// begin before it.
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

/// Computes `starts` of a deal for the tiles [first, end); the end after the last tile counts as a tile.
MATCHA_FN void find_tile_starts(const Deal& deal, u32* starts, u64 first, u64 end) {
  u64 position = deal.first;
  for (u64 tile = first; tile < end; ++tile) {
    position = tile == deal.tiles ? deal.vertex_count : first_from(deal, tile * deal.tile, position);
    starts[tile] = u32(position);
  }
}

/// The depth of a task that represents the tile `begin`. It never enters the queue.
inline constexpr u32 kTileDepth = 3;
/// An end after all positions of any loop.
inline constexpr u64 kNoEnd = 1ull << 46;

/// The tasks of a tile, one after the other: the rest of a vertex that began in an earlier tile, the vertices that
/// begin here, and the start of the last vertex if it continues after the tile. A vertex without arcs begins where the
/// next one does. Every position of the outermost loop begins in exactly one tile.
struct TileWalk {
  u64 limit;  ///< Positions of the loop at level 1 for the first vertex of the current task.
  u64 end;    ///< The end of the tile's arcs.
  u32 first;  ///< The positions [first, behind) begin in the tile and are not processed so far;
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
