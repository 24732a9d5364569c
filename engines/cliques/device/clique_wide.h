// Pivot trees of more than 32 candidates: nodes and branches as in clique_narrow.h.
#pragma once

#include "engines/cliques/device/clique_rows.h"

namespace matcha_program {

template <typename Group, typename Walk>
class CliqueWide : public CliqueRows<Group, Walk> {
 protected:
  using Rows = CliqueRows<Group, Walk>;
  using Rows::add, Rows::add_few, Rows::degree_of, Rows::for_lanes, Rows::frame_at, Rows::gather, Rows::group_,
      Rows::has, Rows::is_listed, Rows::list_wide, Rows::looks_around, Rows::most_of, Rows::room_, Rows::root_,
      Rows::row, Rows::size_of, Rows::size_of_set, Rows::suffices, Rows::tasks_, Rows::wide_depth_, Rows::word_of,
      Rows::words_, Rows::kWidth;
  using Rows::Rows;

  /// Walks the tree of the set in shared memory, or, if `has_set` is false, the branches of frames, down to a set that
  /// is narrow, whose rows it makes. False: there is none, or the launch ends.
  MATCHA_MEMBER bool finds_narrow(bool has_set, u32& set, u32& tally) {
    for (;;) {
      if (!has_set && !next_wide(tally)) return false;
      has_set = false;
      const u32 count = size_of_set();
      if (!suffices(tally, count)) continue;
      if (count <= kCliqueNarrow) {
        gather();
        set = count == kCliqueNarrow ? ~0u : bits_below(count);
        return true;
      }
      const bool lists = is_listed(tally);
      if (!looks_around(lists ? count : 1)) {
        ended_ = true;
        return false;
      }
      if (lists) {
        list_wide(tally, count);
      } else {
        has_set = branch_wide(tally);
      }
    }
  }

  /// Gives half of the branches of the first frame that has some to another group. False: none has.
  MATCHA_MEMBER bool share_wide() {
    for (u32 depth = 0; depth < wide_depth_; ++depth) {
      u32* const frame = frame_at(depth);
      u32 count = 0;
      for (u32 q = 0; q < words_; ++q) count += size_of(frame[words_ + q]);
      if (count == 0) continue;
      const bool pushed = tasks_.push([&](CliquePart& part) {
        part.root = root_;
        part.frame.tally = frame[2 * words_];
        for_halves(frame, count / 2, [&](u32 q, u32 kept) {
          part.words[q] = frame[q] & ~kept;
          part.words[kCliqueWords + q] = frame[words_ + q] & ~kept;
        });
      });
      group_.sync();
      if (pushed && group_.leads()) {
        for_halves(frame, count / 2, [&](u32 q, u32 kept) { frame[words_ + q] = kept; });
      }
      group_.sync();
      return true;
    }
    return false;
  }

  bool ended_ = false;  ///< The launch ends.

 private:
  /// Calls `visit(word, kept)` with the first `count` branches of a frame.
  template <typename Visit>
  MATCHA_MEMBER void for_halves(const u32* frame, u32 count, Visit visit) const {
    for (u32 q = 0; q < words_; ++q) {
      u32 left = frame[words_ + q], kept = 0;
      for (; left != 0 && count != 0; left &= left - 1, --count) kept |= left & (0 - left);
      visit(q, kept);
    }
  }

  /// As CliqueNarrow::branch.
  MATCHA_MEMBER bool branch_wide(u32& tally) {
    u32 count = size_of_set(), best = 0, universal = 0, pairable = 0;
    for (u32 q = 0; q < words_; ++q) {
      const u32 set = room_.set[q];
      u32 gone = 0, but_one = 0;
      for (u32 first = 0; set != 0 && first < 32; first += kWidth) {
        const u32 i = first + group_.lane;
        const bool is_in = (set >> i & 1) != 0;
        const u32 degree = is_in ? degree_of(q * 32 + i) : 0;
        if (is_in && degree + 1 != count) best = larger(best, degree << 10 | (kCliqueWidest - 1 - q * 32 - i));
        gone |= group_.ballot(is_in && degree + 1 == count) << first;
        but_one |= group_.ballot(is_in && degree + 2 == count) << first;
      }
      if (group_.leads()) {
        room_.gone[q] = gone;
        room_.but_one[q] = but_one;
      }
      universal += size_of(gone);
      pairable += size_of(but_one);
    }
    best = most_of(best);
    leave_set();
    tally += universal * kOneFree;
    count -= universal;
    if (pairable == count) {
      if (group_.leads()) add(tally + count / 2 * kOnePair);
      return false;
    }
    const u32 stripped = pairable == 0 ? 0 : strip();
    if (stripped != 0) {
      tally += stripped / 2 * kOnePair;
      return true;
    }
    const u32 most = (best >> 10) - universal;
    if (most <= 1) {
      u32 ends = 0;
      for (u32 q = 0; q < words_; ++q) {
        for_lanes([&](u32 i) { ends += has(room_.set, q * 32 + i) ? degree_of(q * 32 + i) : 0; });
      }
      add_few(tally, count, group_.total(ends) / 2, 0);
      return false;
    }
    descend_wide(kCliqueWidest - 1 - (best & (kCliqueWidest - 1)), tally);
    return true;
  }

  /// Those of `gone` leave the set.
  MATCHA_MEMBER void leave_set() {
    group_.sync();
    for_lanes([&](u32 q) {
      if (q < words_) room_.set[q] &= ~room_.gone[q];
    });
    group_.sync();
  }
  /// Pairs that miss each other alone leave the set; gives their vertices.
  MATCHA_MEMBER u32 strip() {
    u32 stripped = 0;
    for (u32 q = 0; q < words_; ++q) {
      const u32 gone = word_of([&](u32 i) {
        const u32 vertex = q * 32 + i;
        if (!has(room_.but_one, vertex)) return false;
        for (u32 w = 0; w < words_; ++w) {
          const u32 others = room_.set[w] & ~row(vertex, w) & ~(w == q ? bit_of(i) : 0);
          if ((others & room_.but_one[w]) != 0) return true;
        }
        return false;
      });
      if (group_.leads()) room_.gone[q] = gone;
      stripped += size_of(gone);
    }
    if (stripped != 0) leave_set();
    return stripped;
  }

  /// Writes a frame of the branches beside the pivot's, and goes on with that.
  MATCHA_MEMBER void descend_wide(u32 pivot, u32& tally) {
    u32* const frame = frame_at(wide_depth_++);
    for_lanes([&](u32 q) {
      if (q >= words_) return;
      const u32 set = room_.set[q], near = row(pivot, q), others = set & ~(q == pivot / 32 ? bit_of(pivot % 32) : 0);
      frame[q] = others;
      frame[words_ + q] = others & ~near;
      room_.set[q] = set & near;
    });
    if (group_.leads()) frame[2 * words_] = tally;
    tally += kOneFree;
    group_.sync();
  }

  /// The set of the next branch; false: there is none.
  MATCHA_MEMBER bool next_wide(u32& tally) {
    while (wide_depth_ != 0) {
      u32* const frame = frame_at(wide_depth_ - 1);
      u32 q = 0;
      while (q < words_ && frame[words_ + q] == 0) ++q;
      if (q == words_) {
        --wide_depth_;
        continue;
      }
      const u32 bit = first_of(frame[words_ + q]), vertex = q * 32 + bit;
      tally = frame[2 * words_] + kOneHeld;
      group_.sync();
      if (group_.leads()) {
        frame[q] &= ~bit_of(bit);
        frame[words_ + q] &= ~bit_of(bit);
      }
      group_.sync();
      for_lanes([&](u32 w) {
        if (w < words_) room_.set[w] = frame[w] & row(vertex, w);
      });
      group_.sync();
      return true;
    }
    return false;
  }
};

}  // namespace matcha_program
