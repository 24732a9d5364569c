// Pivot trees of cliques, walked by groups of a device. Plain words, the same on host and device; see
// engines/cliques/README.md.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// The most candidates of a root, and the words of their sets.
inline constexpr u32 kCliqueWidest = 1024, kCliqueWords = kCliqueWidest / 32;
/// Sets of so many candidates have a word, and rows of one.
inline constexpr u32 kCliqueNarrow = 32;
/// Rows of so many candidates lie in shared memory.
inline constexpr u32 kCliqueNear = 128;
inline constexpr u32 kNoRoot = ~0u;

/// The vertices on the way to a set, in one word: those that each clique has, those that it may have, and pairs of
/// which it has one or none.
inline constexpr u32 kHeldMask = 0x7ff, kFreeShift = 11, kPairShift = 22;
inline constexpr u32 kOneHeld = 1, kOneFree = 1u << kFreeShift, kOnePair = 1u << kPairShift;
MATCHA_FN u32 held_of(u32 tally) { return tally & kHeldMask; }
MATCHA_FN u32 free_of(u32 tally) { return tally >> kFreeShift & kHeldMask; }
MATCHA_FN u32 pairs_of(u32 tally) { return tally >> kPairShift; }

/// The vertices on the way to a set, for counts of the graph.
struct CliqueWay {
  u32 tally;
};
/// What a vertex on the way is to the cliques of a leaf: in all of them, in or out, or one of a pair.
inline constexpr u32 kHeldPart = 0, kFreePart = 1, kPairPart = 2, kParts = 3;
/// The same for counts at each vertex: of at most kCliqueNarrow candidates, also the vertices of each part.
struct CliqueSumWay {
  u32 tally;
  u32 held, free, pairs;
};

/// Branches of a node of at most kCliqueNarrow candidates. The set of branch v is `base` with v, without the branches
/// before v.
template <typename Way>
struct CliqueFrame {
  u32 base, branches, left;
  Way way;
};

/// Branches that a group gives away.
struct CliquePart {
  u32 root;                         ///< A vertex.
  u32 is_narrow;                    ///< Not 0: the candidates are few, and `words` has their rows.
  CliqueFrame<CliqueSumWay> frame;  ///< Of few candidates; of more, the tally alone:
  /// The set without the branches before these, and these branches.
  u32 words[2 * kCliqueWords];
  /// For counts at each vertex: the vertices that are the few candidates, and the parts of candidates of the root.
  u32 vertices[kCliqueNarrow];
  u32 parts[kParts * kCliqueWords];
};
struct CliqueTask {
  CliquePart part;
  u64 ready;  ///< A mark (`UnitTasks`).
};

/// What a group has in shared memory.
template <typename Way>
struct CliqueRoom {
  u32 rows[kCliqueNarrow];
  CliqueFrame<Way> frames[kCliqueNarrow];
  u32 set[kCliqueWords];                       ///< Of more candidates;
  u32 gone[kCliqueWords];                      ///< those that leave it,
  u32 but_one[kCliqueWords];                   ///< those that miss one other.
  u32 members[kCliqueNarrow];                  ///< The candidates whose rows are in `rows`.
  u32 near[kCliqueNear * (kCliqueNear / 32)];  ///< Rows of a root that has few candidates more than that.
};
/// The same for counts at each vertex. The members of a root with few candidates are vertices.
struct CliqueSumRoom : CliqueRoom<CliqueSumWay> {
  u32 parts[kParts * kCliqueWords];  ///< Of more candidates, those on the way.
};

/// Rows of w words of at most 32 w candidates: word j of row i is item j * 32 w + i.
struct CliqueLaunch {
  const u64* begin;  ///< By vertex, its first later neighbour;
  const u32* near;   ///< later neighbours, ascending.
  const u32* roots;  ///< Vertices whose trees are walked, those with the most candidates first.
  u64 root_count;
  u64 single_count;  ///< The first units are a root each; others are `roots_of_unit` of them.
  u64 roots_of_unit;
  u32 size;    ///< Cliques of so many vertices alone are wanted; 0: of all sizes.
  u32 widest;  ///< The most candidates.
  /// Leaves: item `held` of the row of (pairs, free) counts x^held (1+x)^free (1+2x)^pairs. That row begins at item
  /// `rows[pairs * (widest + 1) + free]`.
  u64* cells;
  const u32* rows;
  /// Of counts at each vertex: by vertex a number of a word or two, the lower first.
  u64* sums;
  /// Numbers as wide. Item k of the row of (pairs, free) is the coefficient of x^k in (1+x)^free (1+2x)^pairs. That row
  /// is the one of number pairs * (widest + 2 - pairs) + free, and all have `coefficients` items.
  const void* table;
  u64 coefficients;
  u32* scratch;  ///< Of each group: rows, if they do not fit shared memory, and frames.
  u64 scratch_words;
  u64* nodes;  ///< Sets that were branched, in all.
  UnitShared* shared;
  CliqueTask* tasks;
  u64 task_capacity;
  u64 number;
  u64 unit_count;
  u64 chunk;
  u64 patience;  ///< Nodes between two looks at what others wait for.
  u64 workers;
  const u64* wish;  ///< In host memory; not 0: stop.
};

/// Words of rows that are not in shared memory, of a root with so many candidates.
MATCHA_FN u64 clique_row_words(u32 candidates) {
  const u64 words = (candidates + 31) / 32;
  return candidates <= kCliqueNear ? 0 : words * words * 32;
}
/// Words of a frame with so many sets of so many words, and a tally: the set without its pivot, the branches that are
/// left, and, for counts at each vertex, the candidates of each part.
MATCHA_FN u64 clique_frame_words(u64 words, u32 sets) { return sets * words + 1; }
inline constexpr u32 kSetsOfFrame = 2, kSetsOfSumFrame = 2 + kParts;
/// What a group needs where a root has at most so many candidates, of each of which it has a number of so many words.
MATCHA_FN u64 clique_scratch_words(u32 widest, u32 sets, u64 words_of_number) {
  if (widest <= kCliqueNarrow) return 0;
  constexpr u64 kAligned = 4;
  const u64 words = (widest + 31) / 32;
  const u64 all = words * 32 * words_of_number + clique_row_words(widest) + widest * clique_frame_words(words, sets);
  return (all + kAligned - 1) / kAligned * kAligned;
}

}  // namespace matcha_program
