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

  MATCHA_MEMBER void list_wide(u32 tally, u32 count) const {
    const u32 wanted = missing(tally);
    if (wanted == 0) {
      if (group_.leads()) add(tally);
      return;
    }
    u64 twos = 0, threes = 0;
    for (u32 q = 0; wanted > 1 && q < words_; ++q) {
      for_lanes([&](u32 bit) {
        const u32 i = q * 32 + bit;
        if (!has(room_.set, i)) return;
        for (u32 w = 0; w <= q; ++w) {
          const u32 below = w == q ? bits_below(bit) : ~0u;
          const u32 near = row(i, w) & room_.set[w] & below;
          twos += size_of(near);
          for (u32 left = wanted < 3 ? 0 : near; left != 0; left &= left - 1) {
            const u32 j = w * 32 + first_of(left);
            for (u32 k = 0; k < w; ++k) threes += size_of(row(i, k) & row(j, k) & room_.set[k]);
            threes += size_of(row(i, w) & row(j, w) & room_.set[w] & bits_below(j % 32));
          }
        }
      });
    }
    add_few(tally, count, group_.total(twos), group_.total(threes));
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
