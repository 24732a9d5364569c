// Builds a graph from rows of edges on the device, one kernel a step. The result is that of runtime/graph for the same
// list: neighbours ascend, repeats stay, edge information moves with its edge, equal edges keep their order, and
// vertices are those of edges and of labels.
//
//   keys     `source << bits | target` of each row
//   sort     by digits, the lowest first; each step is stable. Pieces of the keys are counted, the counts summed by
//            digit, and then the keys are scattered (Merrill and Grimshaw, High Performance and Scalable Radix
//            Sorting, 2011, section 3).
//   arcs     sources and targets are the halves of the sorted keys
//   offsets  are searched for in the sorted keys, so that a vertex with many neighbours delays no other
//   labels   are written to their vertices in any order; a second, different label is reported to the host
//
// Groups run in any order and none waits for another one. `number` is that of a group or a thread.
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/group.h"

namespace matcha_program {

inline constexpr u32 kDigitBits = 8;
inline constexpr u32 kDigits = 1u << kDigitBits;

/// Lanes with the same word: those before this one, and all.
struct Peers {
  u32 before, all;
};

#ifdef MATCHA_ON_DEVICE
template <typename Group>
MATCHA_FN Peers peers_of(const Group& group, u32 word) {
  u32 same = __match_any_sync(group.mask, word) >> group.shift;
  return {Group::bits(same & ((1u << group.lane) - 1)), Group::bits(same)};
}
/// The sum over the lanes before this one.
template <typename Group>
MATCHA_FN u32 sum_before(const Group& group, u32 value) {
  u32 sum = value;
  for (u32 step = 1; step < Group::kWidth; step *= 2) {
    u32 other = __shfl_up_sync(group.mask, sum, step, Group::kWidth);
    sum += group.lane >= step ? other : 0;
  }
  return sum - value;
}
#else
template <typename Group>
MATCHA_FN Peers peers_of(const Group&, u32) {
  return {0, 1};
}
template <typename Group>
MATCHA_FN u32 sum_before(const Group&, u32) {
  return 0;
}
#endif

/// `count` items divided into `pieces` of `size`; the last ones may be shorter or empty.
struct Pieces {
  u64 count, size, pieces;
  MATCHA_MEMBER u64 begin(u64 number) const { return smaller(number * size, count); }
  MATCHA_MEMBER u64 end(u64 number) const { return smaller((number + 1) * size, count); }
};

/// One step of a sort: by the digit at bit `shift`. `values` are permuted with the keys; null: no values.
struct SortStep {
  Pieces pieces;
  const u64* keys;
  u64* sorted_keys;
  const u32* values;
  u32* sorted_values;
  u32* counts;  ///< `kDigits` times one a piece, digit by digit.
  u32 shift;

  MATCHA_MEMBER u32 digit(u64 i) const { return u32(keys[i] >> shift) & (kDigits - 1); }
  MATCHA_MEMBER u32& count(u32 digit, u64 number) const { return counts[digit * pieces.pieces + number]; }
};

/// Counts the digits of a piece. `seen`: `kDigits` words of the group.
template <typename Group>
MATCHA_FN void count_digits(const SortStep& step, const Group& group, u64 number, u32* seen) {
  for (u32 digit = group.lane; digit < kDigits; digit += Group::kWidth) seen[digit] = 0;
  group.sync();
  const u64 end = step.pieces.end(number);
  for (u64 first = step.pieces.begin(number); first < end; first += Group::kWidth) {
    bool inside = first + group.lane < end;
    u32 digit = inside ? step.digit(first + group.lane) : kDigits;
    Peers peers = peers_of(group, digit);
    if (inside && peers.before == 0) seen[digit] += peers.all;
    group.sync();
  }
  for (u32 digit = group.lane; digit < kDigits; digit += Group::kWidth) step.count(digit, number) = seen[digit];
}

/// Scatters a piece, once `counts` are the positions of its digits. `next`: `kDigits` words of the group.
template <typename Group>
MATCHA_FN void move_by_digit(const SortStep& step, const Group& group, u64 number, u32* next) {
  for (u32 digit = group.lane; digit < kDigits; digit += Group::kWidth) next[digit] = step.count(digit, number);
  group.sync();
  const u64 end = step.pieces.end(number);
  for (u64 first = step.pieces.begin(number); first < end; first += Group::kWidth) {
    u64 i = first + group.lane;
    bool inside = i < end;
    u32 digit = inside ? step.digit(i) : kDigits;
    Peers peers = peers_of(group, digit);
    u32 place = inside ? next[digit] + peers.before : 0;
    group.sync();
    if (inside && peers.before == 0) next[digit] += peers.all;
    group.sync();
    if (!inside) continue;
    step.sorted_keys[place] = step.keys[i];
    if (step.values != nullptr) step.sorted_values[place] = step.values[i];
  }
}

/// Exclusive prefix sums of counts, in three steps.
struct Sums {
  Pieces pieces;
  u32* counts;
  u32* sums;  ///< One a piece, and the total behind them.
};

template <typename Group>
MATCHA_FN void sum_piece(const Sums& s, const Group& group, u64 number) {
  u64 sum = 0;
  for (u64 i = s.pieces.begin(number) + group.lane; i < s.pieces.end(number); i += Group::kWidth) sum += s.counts[i];
  sum = group.total(sum);
  if (group.leads()) s.sums[number] = u32(sum);
}
/// Replaces `words` by their exclusive prefix sums, starting with `before`; returns the total.
template <typename Group>
MATCHA_FN u32 sums_before(u32* words, u64 begin, u64 end, const Group& group, u32 before) {
  for (u64 first = begin; first < end; first += Group::kWidth) {
    u64 i = first + group.lane;
    u32 word = i < end ? words[i] : 0;
    u32 sum = before + sum_before(group, word);
    if (i < end) words[i] = sum;
    before += u32(group.total(word));
  }
  return before;
}
/// By one group.
template <typename Group>
MATCHA_FN void sum_sums(const Sums& s, const Group& group) {
  u32 total = sums_before(s.sums, 0, s.pieces.pieces, group, 0);
  if (group.leads()) s.sums[s.pieces.pieces] = total;
}
template <typename Group>
MATCHA_FN void spread_sums(const Sums& s, const Group& group, u64 number) {
  sums_before(s.counts, s.pieces.begin(number), s.pieces.end(number), group, s.sums[number]);
}

/// Rows of a list sink that stayed on the device: RowArea in launch.h describes the layout.
struct StoredRows {
  const u64* words;
  u64 capacity, count;
  const u32* order;  ///< The number of the row that is number i of the list; null: the order is irrelevant.

  MATCHA_MEMBER u64 row(u64 i) const { return order == nullptr ? i : order[i]; }
  MATCHA_MEMBER u64 word(u64 column, u64 i) const { return words[(column + 1) * capacity + row(i)]; }
};

/// The parts of a graph to build. Null: not requested.
struct GraphBuild {
  u64 universe;
  u32 bits;  ///< Bits of a rank.
  StoredRows edges, info;
  StoredRows labels;  ///< Pairs of a vertex and its label.
  u64* keys;
  u32* values;  ///< Numbers of the edges in their list, sorted with the keys; null without edge information.
  u64* offsets;
  u32* neighbors;
  u32* sources;
  u64* info_words;
  u64* halves;
  u64* vertex_labels;  ///< By rank.
  u64* clashes;        ///< Rows of labels that conflict with another label of their vertex.
  u64* marks;          ///< A bit for each rank: it occurs.
  u32* mark_counts;    ///< The number of bits in each word of `marks`; then their prefix sums.
  u32* vertices;
  u64* max_degree;
};

/// Keys that sort rows into the order of their list: rows of one place are in order already. `used`: the OR of all
/// keys.
MATCHA_FN void order_key(const StoredRows& rows, u64* keys, u32* values, u64* used, u64 i) {
  keys[i] = rows.words[i];
  values[i] = u32(i);
  if ((keys[i] & ~atomic_read(used)) != 0) atomic_or(used, keys[i]);
}
MATCHA_FN void edge_key(const GraphBuild& b, u64 i) {
  b.keys[i] = b.edges.word(0, i) << b.bits | b.edges.word(1, i);
  if (b.values != nullptr) b.values[i] = u32(i);
}
MATCHA_FN void mark(const GraphBuild& b, u64 rank) {
  u64 bit = 1ull << (rank & 63);
  if ((atomic_read(b.marks + (rank >> 6)) & bit) == 0) atomic_or(b.marks + (rank >> 6), bit);
}
/// Arc `i`, once the keys are sorted.
MATCHA_FN void place_arc(const GraphBuild& b, u64 i) {
  u64 key = b.keys[i];
  u64 source = key >> b.bits;
  u64 target = key & ((1ull << b.bits) - 1);
  b.neighbors[i] = u32(target);
  if (b.sources != nullptr) b.sources[i] = u32(source);
  if (b.info_words != nullptr) b.info_words[i] = b.info.word(0, b.values[i]);
  if (i == 0 || b.keys[i - 1] >> b.bits != source) mark(b, source);
  mark(b, target);
}
MATCHA_FN void clear_label(const GraphBuild& b, u64 rank) { b.vertex_labels[rank] = u64(kNoLabel); }
/// Row `i` of the labels, once all are cleared. A vertex may get the same label again. A row with the code of no label
/// is reported to the host like a conflict.
MATCHA_FN void place_label(const GraphBuild& b, u64 i) {
  u64 rank = b.labels.word(0, i);
  u64 label = b.labels.word(1, i);
  u64 before = atomic_exchange_if(b.vertex_labels + rank, u64(kNoLabel), label);
  if (label == u64(kNoLabel) || (before != u64(kNoLabel) && before != label)) atomic_add(b.clashes, 1);
  mark(b, rank);
}
/// For each `rank` from 0 to the universe, inclusive.
MATCHA_FN void place_offset(const GraphBuild& b, u64 rank) {
  const List<u64> keys{b.keys, b.edges.count};
  const u64 begin = rank == b.universe ? b.edges.count : position(keys, rank << b.bits);
  b.offsets[rank] = begin;
  if (b.halves == nullptr) return;
  b.halves[2 * rank] = begin;
  if (rank < b.universe) b.halves[2 * rank + 1] = position(keys, rank << b.bits | rank);
}
MATCHA_FN void count_marks(const GraphBuild& b, u64 word) {
  b.mark_counts[word] = Group<1>::bits(u32(b.marks[word])) + Group<1>::bits(u32(b.marks[word] >> 32));
}
/// The ranks of a word of `marks`, once `mark_counts` are sums.
MATCHA_FN void place_vertices(const GraphBuild& b, u64 word) {
  u32 at = b.mark_counts[word];
  for (u64 rest = b.marks[word]; rest != 0; rest &= rest - 1) b.vertices[at++] = u32(word * 64 + lowest_bit(rest));
}
/// Finds the longest of the lists of ranks `number`, `number + step`, ….
MATCHA_FN void find_max_degree(const GraphBuild& b, u64 number, u64 step) {
  u64 longest = 0;
  for (u64 rank = number; rank < b.universe; rank += step) {
    longest = larger(longest, b.offsets[rank + 1] - b.offsets[rank]);
  }
  u64 known = atomic_read(b.max_degree);
  while (known < longest) {
    u64 before = atomic_exchange_if(b.max_degree, known, longest);
    if (before == known) return;
    known = before;
  }
}

}  // namespace matcha_program
