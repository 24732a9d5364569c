// Data for counting matches of the changed edges of a batch on a device: rows of a graph as of each update, terms as
// steps (incremental/runtime/delta_term.h defines them), and work for groups of threads. Plain words, the same on host
// and device.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// A row of a graph with insertions and deletions.
struct DeltaRow {
  const u32* items;  ///< Ascending, as before all updates;
  u32 size;          ///< their number.
  /// 0: unchanged. Otherwise the index of its changes in the words of the launch: their number; the inserted and
  /// deleted items, ascending, each once; and for each its stamp. The stamp of an insertion is the number of its update
  /// plus 1, the first update that sees the item. The stamp of a deletion is the number of its update plus
  /// kDeltaDeletes: earlier updates see the item.
  u32 changes;
};
inline constexpr u32 kDeltaDeletes = 1u << 31;

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
  u32 vertex;       ///< The placed vertex.
  u32 rows;         ///< The rows to read: twice their layer, plus 1 if they are rows of sources.
  u32 needed;       ///< Not 0: without an item there is no match.
  u32 room;         ///< Number of the array for its items.
  u32 first, last;  ///< For a slice: places [first, last).
};

/// The number of items of a set, not counting placed vertices.
struct DeltaValue {
  u32 set;
  u32 less;              ///< The number of placed vertices that are certainly in it.
  u32 maybe, maybe_end;  ///< In `numbers`: vertices that may be in it.
  u32 stored;            ///< 0: the set was only counted, in `counted`.
  DeltaStep counted;
};

struct DeltaProduct {
  i64 factor;
  u32 value, value_end;  ///< In `numbers`: values.
};
struct DeltaGroup {
  u32 product, product_end;
};

/// The steps to do once a vertex is placed.
struct DeltaLevel {
  u32 step, step_end;
  u32 candidates;        ///< The vertex's set.
  u32 other, other_end;  ///< In `numbers`: placed vertices that the set may contain.
};

struct DeltaTerm {
  u32 walked;
  u32 layer;         ///< The layer of the rows that decide which end has fewer neighbours.
  u32 back;          ///< A BackArc.
  u32 end, end_end;  ///< In `numbers`, in pairs: the rows of an arc required between the ends, and its source.
  u32 swappable;     ///< Not 0: the ends may be exchanged.
  u32 listed;        ///< Not 0: its matches are listed, not counted, and all vertices are iterated over.
  u32 level;         ///< The level of vertex 0.
  u32 group, group_end;
};

/// All terms and their parts.
struct DeltaTerms {
  const DeltaTerm* terms;
  const DeltaLevel* levels;
  const DeltaStep* steps;
  const DeltaValue* values;
  const DeltaProduct* products;
  const DeltaGroup* groups;
  const u32* numbers;
};

/// The most sets of a term, and the most vertices with loops.
inline constexpr u32 kDeltaSets = 64, kDeltaWalked = 16;

/// An inserted or deleted edge.
struct DeltaUpdate {
  u32 u, v;   ///< Places.
  u32 slot;   ///< Matches are added to the sum of all updates with the same slot.
  u32 layer;  ///< Its units belong to terms of this layer.
};
/// An update to be searched for a term.
struct DeltaUnit {
  u32 update, term;
};

/// A part of a unit: candidates [first, last) of vertex `depth`, 2 or 3. If 3, vertex 2 is at `place`.
struct DeltaPart {
  u32 unit, depth, place, first, last;
};
/// A part that was offloaded.
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
  /// The range of the device's own rows; others are in host memory. Then reads of each kind are added to `reads`.
  const u32* resident;
  const u32* resident_end;
  u64* reads;  ///< Two words, or null.
  DeltaTerms terms;
  const DeltaUpdate* updates;
  const DeltaUnit* units;
  u64 unit_count;
  u64 chunk;  ///< Units that a group takes at a time.
  DeltaShared* shared;
  DeltaTask* tasks;
  u64 task_capacity;
  u64 number;  ///< The number of the launch, not 0; different each time.
  u64 tried;   ///< Candidates after which a group checks for idle groups.
  u64 workers;
  u32* scratch;
  u64 scratch_words;  ///< The words of each group.
  u64 arrays;         ///< The number of arrays of a group.
  u64 room_words;     ///< The words of each array.
  /// For sets with more items: this many groups at a time have additional arrays of `long_words` words, the longest
  /// row; `long_taken` holds their owners. None if all arrays are that long.
  u32* long_rooms;
  u64 long_words;
  u64* long_taken;
  u64 long_count;
  DeltaSum* sums;        ///< By slot, one for each term;
  u64 sums_of_slot;      ///< their number.
  const u64* stop_word;  ///< In host memory; not 0: stop.
  /// Matches to list: each has its term, the place of each vertex, and padding up to `match_words`. `match_count` is
  /// their number; if it exceeds the room, the launch ends.
  u32* matches;
  u64 match_words;
  u64 match_room;
  u64* match_count;
};

/// A new row of a graph.
struct DeltaPatch {
  u64 slot;
  DeltaRow row;
};

/// A part of a row that moves to another place with all updates applied.
struct DeltaMove {
  u64 slot;
  DeltaRow row;  ///< The old row.
  u32* to;       ///< For the whole row,
  u32 size;      ///< which then has this many items.
  /// The part covers the old items [first, last) and the inserted items between the first of them and the end of the
  /// part; the last part extends to the end, the first part also covers earlier insertions.
  u32 first, last;
};

}  // namespace matcha_program
