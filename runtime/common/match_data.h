// Labelled patterns that groups of a device match: the graph, what the host knows of each pattern, and the state of a
// group. Plain words, the same on host and device. engines/search/README.md says what a search does.
#pragma once

#include "runtime/common/leaf_ways.h"
#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// So many vertices a pattern has at most. A part of a search begins behind any number of matched ones: in large
/// patterns the first dozens may have an image each.
inline constexpr u32 kMatchVertices = 64;

/// How the next vertex is chosen among those with a neighbour that has an image; as `Search::Order` of engines/search.
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
  u64 bits;    ///< Which of 64 vertices have a row.
  u64 before;  ///< Rows before theirs.
};
struct MatchSide {
  const MatchRowWord* words;  ///< Null: every vertex has a row, and neighbours may be there several times.
  const u64* offsets;         ///< Where the row of each vertex begins, without `words`;
  const u32* ends;            ///< with them, where each row ends.
  const u32* items;
};
/// What edges the images of two vertices have between them: numbers of sides, at `first` and behind it, that have one,
/// and then those that have none.
struct MatchTie {
  u32 first, with, without;
};
inline constexpr u64 kNoTies = ~0ull;

/// A pattern. Sets of its vertices are masks.
struct MatchQuery {
  u64 first_unit;    ///< Units of the patterns before it. A unit is an image of the first vertex, the root.
  const u32* roots;  ///< Images that the root may have, ascending.
  const u64* masks;  ///< For each rank the vertices of which it may be the image.
  u64 most;          ///< Matches that are enough; 0: all are counted.
  u32 size, root;
  u64 first_tie;              ///< Of the ties, in the order of pairs; kNoTies: all edges are alike.
  u64 near[kMatchVertices];   ///< For each vertex those that must be adjacent to it.
  u64 anti[kMatchVertices];   ///< Those that must not be.
  u64 alike[kMatchVertices];  ///< Those that may have the same images, with itself: groups that have none in common.
};

/// What was found of a pattern.
struct MatchSum {
  u64 low, high;  ///< 128 bits.
  u64 left;       ///< Units and tasks of it that are not finished.
  u64 done;       ///< Not 0: enough was found, or `refused`.
  u64 refused;    ///< Not 0: a number is so large that the host has to count.
  u64 tried;      ///< Images.
};

/// A part of a search: of the images of `vertices[depth]` those at [first, last), where the vertices before it have
/// `images`.
struct MatchPart {
  u32 query, depth, first, last;
  u32 vertices[kMatchVertices];
  u32 images[kMatchVertices];
};
/// A part that was given away.
struct MatchTask {
  MatchPart part;
  u64 ready;  ///< A mark (`UnitTasks`).
};

/// The list of a vertex before another one got an image.
struct MatchUndo {
  const u32* items;
  u32 size, vertex;
};

struct MatchLaunch {
  const u64* offsets;
  const u32* neighbors;
  const MatchQuery* queries;
  u64 query_count;
  MatchSum* sums;  ///< One a pattern.
  u64 unit_count;
  u64 chunk;
  UnitShared* shared;
  MatchTask* tasks;
  u64 task_capacity;
  u64 number;    ///< Of the launch, not 0; another one each time.
  u64 tried;     ///< Images after which a group looks whether others wait for work.
  u64 patience;  ///< Images of a part after which the rest of it goes behind all else that waits.
  u64 workers;
  MatchUndo* undos;
  u64 undo_room;  ///< Of a group.
  u32* lists;
  u64 list_room;
  LeafRoom* leaves;  ///< One a group.
  const MatchTie* ties;
  const u32* tie_sides;
  const MatchSide* sides;
  const u64* wish;  ///< Of the host; not 0: stop.
};

/// Neighbours of an image, and whether some may be there several times.
struct MatchRow {
  ItemSet items;
  bool repeats;
  MATCHA_MEMBER bool is_first(u32 i) const { return !repeats || i == 0 || items.items[i - 1] != items.items[i]; }
};
/// Those along the side at a place of `tie_sides`, or all, where edges are alike.
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
/// What the edges of two vertices must be.
MATCHA_FN MatchTie match_tie(const MatchLaunch& launch, const MatchQuery& query, u32 u, u32 w) {
  const u32 near = u32(query.near[u] >> w & 1);
  return query.first_tie == kNoTies ? MatchTie{0, near, 1 - near}
                                    : launch.ties[query.first_tie + u64(u) * query.size + w];
}

/// What the lanes of a group know together, in shared memory. Depths count the vertices that have images.
struct MatchState {
  const u32* items[kMatchVertices];  ///< The images that are left of a vertex, ascending.
  u32 sizes[kMatchVertices];
  u32 images[kMatchVertices];
  u32 weights[kMatchVertices];  ///< How often the last image of a vertex was lost.
  // By depth.
  u32 vertices[kMatchVertices];
  u32 at[kMatchVertices], end[kMatchVertices];  ///< Of its images, those that are not tried yet.
  u32 undone[kMatchVertices];
  u64 blame[kMatchVertices];   ///< The vertices that are to blame if nothing is found; all, if anything was.
  u64 listed[kMatchVertices];  ///< The vertices that had lists before.
  u64 used[kMatchVertices];    ///< Words of the group's memory for lists before.
};

/// An image that a candidate of the host may have: `masks[place] = mask`.
struct MatchPlace {
  u64 place, mask;
};

}  // namespace matcha_program
