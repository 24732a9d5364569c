// Labelled patterns that groups of a device match: the graph, the host's data of each pattern, and the state of a
// group. Plain words, the same on host and device. engines/search/README.md describes the search.
#pragma once

#include "runtime/common/leaf_ways.h"
#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// The most vertices of a pattern. A part of a search may begin after any number of matched vertices: in large patterns
/// the first dozens may have one image each.
inline constexpr u32 kMatchVertices = 64;

/// How to choose the next vertex among the neighbours of matched ones; as `Search::Order` of engines/search.
enum MatchOrder : u32 {
  kMatchFewest,
  kMatchFewestOpen,
  kMatchFewestDegree,
  kMatchMostBound,
  kMatchPlain,
  kMatchOrders
};

/// The neighbours of each vertex by edges of one kind.
struct MatchRowWord {
  u64 bits;    ///< The vertices, of 64, that have a row.
  u64 before;  ///< The number of rows before theirs.
};
struct MatchSide {
  const MatchRowWord* words;  ///< Null: every vertex has a row, and neighbours may be repeated.
  const u64* offsets;         ///< The start of each vertex's row, without `words`;
  const u32* ends;            ///< with `words`, the end of each row.
  const u32* items;
};
/// The edges required between the images of two vertices: numbers of sides with an edge, at `first` and after it, then
/// those without one.
struct MatchTie {
  u32 first, with, without;
};
inline constexpr u64 kNoTies = ~0ull;

/// A pattern. Sets of its vertices are bit masks.
struct MatchQuery {
  u64 first_unit;    ///< Units of the patterns before it. A unit is an image of the first vertex, the root.
  const u32* roots;  ///< Images that the root may have, ascending.
  const u64* masks;  ///< For each rank the vertices whose image it may be.
  u64 most;          ///< The number of matches wanted; 0: all are counted.
  u32 size, root;
  u64 first_tie;             ///< The first tie, in the order of pairs; kNoTies: all edges are equivalent.
  u64 near[kMatchVertices];  ///< For each vertex those that must be adjacent to it.
  u64 anti[kMatchVertices];  ///< For each vertex those that must not be adjacent to it.
  /// For each vertex those that may have the same images, including itself; sets are equal or disjoint.
  u64 alike[kMatchVertices];
};

/// The result of a pattern.
struct MatchSum {
  u64 low, high;  ///< 128 bits.
  u64 left;       ///< Its unfinished units and tasks.
  u64 done;       ///< Not 0: enough matches were found, or `refused`.
  u64 refused;    ///< Not 0: a number is too large, so the host must count.
  u64 tried;      ///< Images tried.
};

/// A part of a search: the images [first, last) of `vertices[depth]`, with `images` assigned to the vertices before it.
struct MatchPart {
  u32 query, depth, first, last;
  u32 vertices[kMatchVertices];
  u32 images[kMatchVertices];
};
/// A part that was offloaded.
struct MatchTask {
  MatchPart part;
  u64 ready;  ///< A mark (`UnitTasks`).
};

/// The list of a vertex before another one was assigned.
struct MatchUndo {
  const u32* items;
  u32 size, vertex;
};

struct MatchLaunch {
  const u64* offsets;
  const u32* neighbors;
  const MatchQuery* queries;
  u64 query_count;
  MatchSum* sums;  ///< One per pattern.
  u64 unit_count;
  u64 chunk;
  UnitShared* shared;
  MatchTask* tasks;
  u64 task_capacity;
  u64 number;    ///< The number of the launch, not 0; different each time.
  u64 tried;     ///< Images after which a group checks for idle groups.
  u64 patience;  ///< Images of a part after which the rest of it is queued after all other waiting work.
  u64 workers;
  MatchUndo* undos;
  u64 undo_room;  ///< The number of `undos` of each group.
  u32* lists;
  u64 list_room;
  LeafRoom* leaves;  ///< One per group.
  const MatchTie* ties;
  const u32* tie_sides;
  const MatchSide* sides;
  const u64* stop_word;  ///< In host memory; not 0: stop.
};

/// Neighbours of an image; they may be repeated.
struct MatchRow {
  ItemSet items;
  bool repeats;
  MATCHA_MEMBER bool is_first(u32 i) const { return !repeats || i == 0 || items.items[i - 1] != items.items[i]; }
};
/// The row along the side at an index of `tie_sides`, or the whole row if edges are equivalent.
template <typename Group>
MATCHA_FN MatchRow match_row(const MatchLaunch& launch, const MatchQuery& query, u32 place, u32 image) {
  const bool alike = query.first_tie == kNoTies;
  const u64* offsets = launch.offsets;
  const u32* items = launch.neighbors;
  if (!alike) {
    const MatchSide& side = launch.sides[launch.tie_sides[place]];
    offsets = side.offsets;
    items = side.items;
    if (side.words != nullptr) {
      const MatchRowWord word = side.words[image / 64];
      const u64 bit = 1ull << image % 64, before = word.bits & (bit - 1);
      if ((word.bits & bit) == 0) return {{items, 0}, false};
      const u64 row = word.before + Group::bits(u32(before)) + Group::bits(u32(before >> 32));
      const u32 begin = row == 0 ? 0 : side.ends[row - 1];
      return {{items + begin, side.ends[row] - begin}, false};
    }
  }
  const u64 begin = offsets[image];
  return {{items + begin, u32(offsets[image + 1] - begin)}, !alike};
}
/// The edges required between two vertices.
MATCHA_FN MatchTie match_tie(const MatchLaunch& launch, const MatchQuery& query, u32 u, u32 w) {
  const u32 near = u32(query.near[u] >> w & 1);
  return query.first_tie == kNoTies ? MatchTie{0, near, 1 - near}
                                    : launch.ties[query.first_tie + u64(u) * query.size + w];
}

/// State shared by the lanes of a group, in shared memory. Depths count the matched vertices.
struct MatchState {
  const u32* items[kMatchVertices];  ///< The remaining images of a vertex, ascending.
  u32 sizes[kMatchVertices];
  u32 images[kMatchVertices];
  u32 weights[kMatchVertices];  ///< How often the last image of a vertex was removed.
  // By depth.
  u32 vertices[kMatchVertices];
  u32 at[kMatchVertices], end[kMatchVertices];  ///< The range of its untried images.
  u32 undone[kMatchVertices];
  u64 blame[kMatchVertices];   ///< The vertices that cause a failure; all, if a match was found.
  u64 listed[kMatchVertices];  ///< The vertices that had lists before.
  u64 used[kMatchVertices];    ///< Words of the group's memory in use for saved lists.
};

/// Sets the mask of a candidate: `masks[place] = mask`.
struct MatchPlace {
  u64 place, mask;
};

}  // namespace matcha_program
