// What the changed edges of a batch are counted with on a device: rows of a graph as each update finds them, terms as
// steps (incremental/runtime/delta_term.h says what these mean), and work for groups of threads. Plain words, the same
// on host and device.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// A row of a graph to which updates come, or from which they go.
struct DeltaRow {
  const u32* items;  ///< Ascending, as before all updates,
  u32 size;          ///< so many.
  /// 0: no update changes it. Else where in the words of the launch its changes are: how many there are; what comes and
  /// goes, ascending, each item once; and for each its stamp: of one that comes the number of its update and 1, which
  /// is the first one that sees it; of one that goes the number of its update and kDeltaGoes, so that those before it
  /// do.
  u32 changes;
};
inline constexpr u32 kDeltaGoes = 1u << 31;

/// The kinds of TermStep, in its order.
enum DeltaKind : u32 {
  kDeltaSlice,
  kDeltaBelow,
  kDeltaAbove,
  kDeltaIntersect,
  kDeltaRemove,
  kDeltaCountCommon,
  kDeltaCountRemoved,
};

struct DeltaStep {
  u32 kind;
  u32 to, from;     ///< Sets.
  u32 vertex;       ///< That was placed.
  u32 rows;         ///< Which ones are read: twice their layer, and 1 if they are of sources.
  u32 needed;       ///< Not 0: without an item there is no match.
  u32 room;         ///< Number of the array for its items.
  u32 first, last;  ///< Of a slice: places [first, last) are wanted.
};

/// The number of items of a set that are not placed.
struct DeltaValue {
  u32 set;
  u32 less;              ///< So many placed vertices are in it for certain.
  u32 maybe, maybe_end;  ///< Of the numbers: vertices that are looked for.
  u32 stored;            ///< 0: the set was only counted, by `counted`.
  DeltaStep counted;
};

struct DeltaProduct {
  i64 factor;
  u32 value, value_end;  ///< Of the numbers: values.
};
struct DeltaGroup {
  u32 product, product_end;
};

/// What is done once a vertex has a place.
struct DeltaLevel {
  u32 step, step_end;
  u32 candidates;        ///< The vertex's set.
  u32 other, other_end;  ///< Of the numbers: placed vertices that it may hold.
};

struct DeltaTerm {
  u32 walked;
  u32 layer;         ///< Of the rows that tell which end has fewer neighbours.
  u32 back;          ///< A BackArc.
  u32 end, end_end;  ///< Of the numbers, by twos: the rows of an arc that is wanted between the ends, and its source.
  u32 swappable;     ///< Not 0: the ends may be exchanged.
  u32 listed;        ///< Not 0: its matches are given, not counted, and all vertices are walked.
  u32 level;         ///< Of vertex 0.
  u32 group, group_end;
};

/// All terms, and what they are made of.
struct DeltaTerms {
  const DeltaTerm* terms;
  const DeltaLevel* levels;
  const DeltaStep* steps;
  const DeltaValue* values;
  const DeltaProduct* products;
  const DeltaGroup* groups;
  const u32* numbers;
};

/// So many sets a term may have at most, and vertices that are walked.
inline constexpr u32 kDeltaSets = 64, kDeltaWalked = 16;

/// An edge that comes or goes.
struct DeltaUpdate {
  u32 u, v;   ///< Places.
  u32 slot;   ///< Its matches are added to those of all updates with the same one.
  u32 layer;  ///< Its units are those of terms of this one.
};
/// An update that a term is to be looked at for.
struct DeltaUnit {
  u32 update, term;
};

/// A part of a unit: candidates [first, last) of vertex `depth`, 2 or 3. Of 3, vertex 2 is at `place`.
struct DeltaPart {
  u32 unit, depth, place, first, last;
};
/// A part that was given away.
struct DeltaTask {
  DeltaPart part;
  u64 ready;  ///< A mark (`UnitTasks`).
};

using DeltaShared = UnitShared;

/// 128 bits.
struct DeltaSum {
  u64 low, high;
};

struct DeltaLaunch {
  /// Row `layer` of place p is p * layers + layer.
  const DeltaRow* after;
  const DeltaRow* before;
  u32 layers;
  const u32* words;  ///< Changes of rows.
  /// Where the device's own rows lie, the others being in memory of the host: then reads of each are added to `reads`.
  const u32* near;
  const u32* near_end;
  u64* reads;  ///< Two words, or null.
  DeltaTerms terms;
  const DeltaUpdate* updates;
  const DeltaUnit* units;
  u64 unit_count;
  u64 chunk;  ///< Units that a group takes at a time.
  DeltaShared* shared;
  DeltaTask* tasks;
  u64 task_capacity;
  u64 number;  ///< Of the launch, not 0; another one each time.
  u64 tried;   ///< Candidates after which a group looks whether others wait for work.
  u64 workers;
  u32* scratch;
  u64 scratch_words;  ///< Of a group.
  u64 arrays;         ///< So many of a group.
  u64 room_words;     ///< Of an array.
  /// For sets with more items: so many groups at a time have as many arrays of `long_words`, which is as long as any
  /// row is; `long_taken` says who has them. None where all arrays are so long.
  u32* long_rooms;
  u64 long_words;
  u64* long_taken;
  u64 long_count;
  DeltaSum* sums;    ///< Slot by slot, one a term,
  u64 sums_of_slot;  ///< so many.
  const u64* wish;   ///< Of the host; not 0: stop.
  /// Matches that are given: each has its term, the place of each vertex, and nothing up to `match_words`.
  /// `match_count` is how many there are; with more than there is room for, the launch ends.
  u32* matches;
  u64 match_words;
  u64 match_room;
  u64* match_count;
};

/// A row that a graph gets.
struct DeltaPatch {
  u64 slot;
  DeltaRow row;
};

/// A part of a row that gets another place, and there is as it is after all updates.
struct DeltaMove {
  u64 slot;
  DeltaRow row;  ///< As it was.
  u32* to;       ///< Of the whole row,
  u32 size;      ///< which has so many items then.
  /// Of the items that it had, and what comes from the first of them on, up to that one, or, of the last part, the end;
  /// of the first part what comes before, too.
  u32 first, last;
};

}  // namespace matcha_program
