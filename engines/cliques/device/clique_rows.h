// The rows and sets of more than 32 candidates: a set has a word for each 32, and rows lie one beside the other by
// words, so that lanes read those of neighboring candidates together.
#pragma once

#include "engines/cliques/device/clique_narrow.h"

namespace matcha_program {

template <typename Group, typename Walk>
class CliqueRows : public CliqueNarrow<Group, Walk> {
 protected:
  using Narrow = CliqueNarrow<Group, Walk>;
  using Narrow::add, Narrow::add_few, Narrow::for_lanes, Narrow::group_, Narrow::missing, Narrow::room_,
      Narrow::size_of;
  using Narrow::Narrow;

  MATCHA_MEMBER u32 size_of_set() const {
    u32 count = 0;
    for (u32 q = 0; q < words_; ++q) count += size_of(room_.set[q]);
    return count;
  }
  /// The neighbors of a candidate in the set.
  MATCHA_MEMBER u32 degree_of(u32 vertex) const {
    u32 degree = 0;
    for (u32 q = 0; q < words_; ++q) degree += size_of(row(vertex, q) & room_.set[q]);
    return degree;
  }
  MATCHA_MEMBER bool has(const u32* words, u32 vertex) const { return (words[vertex / 32] >> vertex % 32 & 1) != 0; }

  /// Rows of the few vertices of the set, with their bits side by side.
  MATCHA_MEMBER void gather() {
    u32 before = 0;
    for (u32 q = 0; q < words_; ++q) {
      const u32 set = room_.set[q];
      for_lanes([&](u32 i) {
        if ((set >> i & 1) != 0) room_.members[before + size_of(set & bits_below(i))] = q * 32 + i;
      });
      before += size_of(set);
    }
    group_.sync();
    for_lanes([&](u32 i) {
      u32 bits = 0, at = 0;
      if (i >= before) return;
      for (u32 q = 0; q < words_; ++q) {
        const u32 set = room_.set[q], mine = set == 0 ? 0 : row(room_.members[i], q);
        for (u32 left = set; left != 0; left &= left - 1) bits |= (mine >> first_of(left) & 1) << at++;
      }
      room_.rows[i] = bits;
    });
    group_.sync();
  }

  /// One, two or three vertices are missing: the sets of so many are listed.
  MATCHA_MEMBER void list_wide(u32 tally, u32 count) const {
    const u32 wanted = missing(tally);
    if (wanted == 0) {
      if (group_.leads()) add(tally);
      return;
    }
    u64 twos = 0, threes = 0;
    for (u32 q = 0; wanted > 1 && q < words_; ++q) {
      if (wanted == 2) {
        for_lanes([&](u32 i) { twos += has(room_.set, q * 32 + i) ? degree_of(q * 32 + i) : 0; });
        continue;
      }
      for (u32 left = room_.set[q]; left != 0; left &= left - 1) list_edges(q, first_of(left), twos, threes);
    }
    twos = group_.total(twos);
    add_few(tally, count, wanted == 2 ? twos / 2 : twos, group_.total(threes));
  }
  /// The edges from a vertex to those before it, and their triangles with one before both. A lane has an edge.
  MATCHA_MEMBER void list_edges(u32 q, u32 bit, u64& twos, u64& threes) const {
    u32* const near = room_.gone;
    group_.sync();
    for_lanes([&](u32 w) {
      if (w <= q) near[w] = row(q * 32 + bit, w) & room_.set[w] & (w == q ? bits_below(bit) : ~0u);
    });
    group_.sync();
    for (u32 w = 0; w <= q; ++w) {
      const u32 edges = near[w];
      if (edges == 0) continue;
      for_lanes([&](u32 i) {
        if ((edges >> i & 1) == 0) return;
        ++twos;
        u32 found = size_of(row(w * 32 + i, w) & edges & bits_below(i));
        for (u32 k = 0; k < w; ++k) found += size_of(row(w * 32 + i, k) & near[k]);
        threes += found;
      });
    }
  }

  MATCHA_MEMBER u32* frame_at(u32 depth) const { return frames_ + depth * clique_frame_words(words_); }
  MATCHA_MEMBER u32 row(u32 vertex, u32 word) const { return rows_[word * 32 * words_ + vertex]; }

  u32 root_ = kNoRoot;   ///< The vertex whose candidates they are.
  u32 words_ = 0;        ///< Of a set.
  u32* rows_ = nullptr;  ///< Of the candidates.
  u32* frames_ = nullptr;
  u32 wide_depth_ = 0;  ///< Frames; some may have no branches left.
};

}  // namespace matcha_program
