// Pivot trees of cliques, walked by groups of a device. Plain words, the same on host and device; see
// engines/cliques/README.md.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// The most candidates of a root, and the words of their sets.
inline constexpr u32 kCliqueWidest = 1024, kCliqueWords = kCliqueWidest / 32;
/// The most candidates of a narrow tree: a set is one word, and so is a row.
inline constexpr u32 kCliqueNarrow = 32;
/// The most candidates whose rows are in shared memory.
inline constexpr u32 kCliqueNear = 128;
inline constexpr u32 kNoRoot = ~0u;

/// A tally counts the vertices on the way to a set, in one word: the held vertices, which every clique has; the free
/// ones, which it may have; and the pairs, of which it has one or none.
inline constexpr u32 kHeldMask = 0x7ff, kFreeShift = 11, kPairShift = 22;
inline constexpr u32 kOneHeld = 1, kOneFree = 1u << kFreeShift, kOnePair = 1u << kPairShift;
MATCHA_FN u32 held_of(u32 tally) { return tally & kHeldMask; }
MATCHA_FN u32 free_of(u32 tally) { return tally >> kFreeShift & kHeldMask; }
MATCHA_FN u32 pairs_of(u32 tally) { return tally >> kPairShift; }

/// The vertices on the way to a set, for counts of the graph.
struct CliqueWay {
  u32 tally;
};
/// The part of a vertex on the way: held, free, or one of a pair.
inline constexpr u32 kHeldPart = 0, kFreePart = 1, kPairPart = 2, kParts = 3;
/// The same for counts at each vertex. In a narrow tree it also has the vertices of each part.
struct CliqueSumWay {
  u32 tally;
  u32 held, free, pairs;
};

/// Branches of a node of a narrow tree; `left` are those that are not walked yet. The set of branch v is the neighbours
/// of v in `base`, without the branches before v.
template <typename Way>
struct CliqueFrame {
  u32 base, branches, left;
  Way way;
};

/// Branches that a group hands over to another one.
struct CliquePart {
  u32 root;                         ///< A vertex.
  u32 is_narrow;                    ///< Not 0: a narrow tree.
  CliqueFrame<CliqueSumWay> frame;  ///< The branches of a narrow tree; of a wide tree only `way.tally` is set.
  /// The rows of a narrow tree; of a wide tree the set without the branches before these, then these branches.
  u32 words[2 * kCliqueWords];
  /// For counts at each vertex: the vertices of the candidates of a narrow tree; the parts of the root's candidates.
  u32 vertices[kCliqueNarrow];
  u32 parts[kParts * kCliqueWords];
};
struct CliqueTask {
  CliquePart part;
  u64 ready;  ///< A mark (`UnitTasks`).
};

/// The shared memory of a group.
template <typename Way>
struct CliqueRoom {
  u32 rows[kCliqueNarrow];
  CliqueFrame<Way> frames[kCliqueNarrow];
  u32 set[kCliqueWords];                       ///< The set of a wide tree.
  u32 removed[kCliqueWords];                   ///< Candidates that leave it.
  u32 but_one[kCliqueWords];                   ///< Candidates that are adjacent to all others of it but one.
  u32 members[kCliqueNarrow];                  ///< The candidates whose rows are in `rows`.
  u32 near[kCliqueNear * (kCliqueNear / 32)];  ///< Rows of a root with more than kCliqueNarrow, at most kCliqueNear.
};
/// The same for counts at each vertex. The members of a narrow root are vertices, not places of candidates.
struct CliqueSumRoom : CliqueRoom<CliqueSumWay> {
  u32 parts[kParts * kCliqueWords];  ///< The candidates of each part on the way, in a wide tree.
};

/// Rows of w words of at most 32 w candidates: word j of row i is item j * 32 w + i.
struct CliqueLaunch {
  const u64* begin;  ///< By vertex, the item of `near` that is its first later neighbour.
  const u32* near;   ///< The later neighbours of each vertex, ascending.
  const u32* roots;  ///< Vertices whose trees are walked, those with the most candidates first.
  u64 root_count;
  u64 single_count;  ///< The number of units that are one root each, the first ones; later units have `roots_of_unit`.
  u64 roots_of_unit;
  u32 size;    ///< The number of vertices of the counted cliques; 0: all sizes.
  u32 widest;  ///< The most candidates of a root.
  /// Leaves: item `held` of the row of (pairs, free) counts x^held (1+x)^free (1+2x)^pairs. That row begins at item
  /// `rows[pairs * (widest + 1) + free]`.
  u64* cells;
  const u32* rows;
  /// For counts at each vertex: a number of one or two words for each vertex, the lower word first.
  u64* sums;
  /// Numbers of the same width. Item k of the row of (pairs, free) is the coefficient of x^k in
  /// (1+x)^free (1+2x)^pairs. It is row pairs * (widest + 2 - pairs) + free; each row has `coefficients` items.
  const void* table;
  u64 coefficients;
  u32* scratch;  ///< `scratch_words` words for each group: frames, and rows that do not fit shared memory.
  u64 scratch_words;
  u64* nodes;  ///< The number of branched sets of all groups.
  UnitShared* shared;
  CliqueTask* tasks;
  u64 task_capacity;
  u64 number;
  u64 unit_count;
  u64 chunk;
  u64 patience;  ///< Nodes between two tests for a stop and for groups without work.
  u64 workers;
  const u64* stop_word;  ///< In host memory; not 0: stop.
};

/// Words of the rows of a root with this number of candidates in scratch memory; 0: they fit shared memory.
MATCHA_FN u64 clique_row_words(u32 candidates) {
  const u64 words = (candidates + 31) / 32;
  return candidates <= kCliqueNear ? 0 : words * words * 32;
}
/// Words of a frame: a tally and `sets` sets of `words` words. The sets are the set without its pivot, the branches
/// that are left and, for counts at each vertex, the candidates of each part.
MATCHA_FN u64 clique_frame_words(u64 words, u32 sets) { return sets * words + 1; }
inline constexpr u32 kSetsOfFrame = 2, kSetsOfSumFrame = 2 + kParts;
/// Words of scratch memory of a group, for roots with at most `widest` candidates, frames with `sets` sets and, for
/// each candidate, a number of `words_of_number` words.
MATCHA_FN u64 clique_scratch_words(u32 widest, u32 sets, u64 words_of_number) {
  if (widest <= kCliqueNarrow) return 0;
  constexpr u64 kAligned = 4;
  const u64 words = (widest + 31) / 32;
  const u64 all = words * 32 * words_of_number + clique_row_words(widest) + widest * clique_frame_words(words, sets);
  return (all + kAligned - 1) / kAligned * kAligned;
}

}  // namespace matcha_program
