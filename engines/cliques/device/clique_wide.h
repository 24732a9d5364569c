// Wide pivot trees, of more than 32 candidates: nodes and branches as in clique_narrow.h.
#pragma once

#include "engines/cliques/device/clique_narrow.h"

namespace matcha_program {

template <typename Leaves, typename Walk>
class CliqueWide : public CliqueNarrow<Leaves, Walk> {
 protected:
  using Narrow = CliqueNarrow<Leaves, Walk>;
  using Narrow::degree_of, Narrow::for_lanes, Narrow::group_, Narrow::has, Narrow::is_listed, Narrow::polls,
      Narrow::most_of, Narrow::room_, Narrow::root_, Narrow::row, Narrow::size_of, Narrow::size_of_set,
      Narrow::suffices, Narrow::tasks_, Narrow::word_of, Narrow::words_, Narrow::kWidth;
  using Narrow::Narrow;
  using typename Narrow::Way;

  /// Walks the tree of the set in shared memory, or, without `has_set`, the branches of frames, down to the next narrow
  /// set, and makes its rows. False: no branch is left, or the launch ends (`ended_`).
  MATCHA_MEMBER bool finds_narrow(bool has_set, u32& set, Way& way) {
    for (;;) {
      if (!has_set && !next_wide(way)) return false;
      has_set = false;
      const u32 count = size_of_set();
      if (!suffices(way.tally, count)) continue;
      if (count <= kCliqueNarrow) {
        gather();
        set = count == kCliqueNarrow ? ~0u : bits_below(count);
        return true;
      }
      const bool lists = is_listed(way.tally);
      if (!polls(lists ? count : 1)) {
        ended_ = true;
        return false;
      }
      if (lists) {
        this->list_wide(count, way);
      } else {
        has_set = branch_wide(way);
      }
    }
  }

  /// Hands half of the branches of the first frame that has any to another group. False: there are none.
  MATCHA_MEMBER bool share_wide() {
    for (u32 depth = 0; depth < wide_depth_; ++depth) {
      u32* const frame = frame_at(depth);
      u32 count = 0;
      for (u32 q = 0; q < words_; ++q) count += size_of(frame[words_ + q]);
      if (count == 0) continue;
      const bool pushed = tasks_.push([&](CliquePart& part) {
        part.is_narrow = 0;
        part.root = root_;
        part.frame.way.tally = tally_of(frame);
        for_halves(frame, count / 2, [&](u32 q, u32 kept) {
          part.words[q] = frame[q] & ~kept;
          part.words[kCliqueWords + q] = frame[words_ + q] & ~kept;
        });
        this->give_wide_parts(part, parts_of(frame));
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

  MATCHA_MEMBER u32* frame_at(u32 depth) const {
    return frames_ + depth * clique_frame_words(words_, Leaves::kFrameSets);
  }
  MATCHA_MEMBER u32* parts_of(u32* frame) const { return frame + 2 * words_; }
  MATCHA_MEMBER u32& tally_of(u32* frame) const { return frame[Leaves::kFrameSets * words_]; }

  u32* frames_ = nullptr;
  u32 wide_depth_ = 0;  ///< The number of frames; some may have no branches left.
  bool ended_ = false;  ///< The launch ends.

 private:
  /// Makes the rows of a narrow set, with one bit for each vertex of it.
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
  MATCHA_MEMBER bool branch_wide(Way& way) {
    u32 count = size_of_set(), best = 0, universal = 0, pairable = 0;
    for (u32 q = 0; q < words_; ++q) {
      const u32 set = room_.set[q];
      u32 removed = 0, but_one = 0;
      for (u32 first = 0; set != 0 && first < 32; first += kWidth) {
        const u32 i = first + group_.lane;
        const bool is_in = (set >> i & 1) != 0;
        const u32 degree = is_in ? degree_of(q * 32 + i) : 0;
        if (is_in && degree + 1 != count) best = larger(best, degree << 10 | (kCliqueWidest - 1 - q * 32 - i));
        removed |= group_.ballot(is_in && degree + 1 == count) << first;
        but_one |= group_.ballot(is_in && degree + 2 == count) << first;
      }
      if (group_.leads()) {
        room_.removed[q] = removed;
        room_.but_one[q] = but_one;
      }
      universal += size_of(removed);
      pairable += size_of(but_one);
    }
    best = most_of(best);
    leave_set();
    this->join_wide_free(way, universal);
    count -= universal;
    if (pairable == count) {
      this->count_wide_pairs(count, way);
      return false;
    }
    const u32 stripped = pairable == 0 ? 0 : strip();
    if (stripped != 0) {
      this->join_wide_pairs(way, stripped);
      return true;
    }
    const u32 most = (best >> 10) - universal;
    if (most <= 1) {
      this->count_wide_edges(count, way);
      return false;
    }
    descend_wide(kCliqueWidest - 1 - (best & (kCliqueWidest - 1)), way);
    return true;
  }

  /// Removes the vertices in `removed` from the set.
  MATCHA_MEMBER void leave_set() {
    group_.sync();
    for_lanes([&](u32 q) {
      if (q < words_) room_.set[q] &= ~room_.removed[q];
    });
    group_.sync();
  }
  /// Removes the pairs of vertices that lack only the edge between them. Returns the number of their vertices.
  MATCHA_MEMBER u32 strip() {
    u32 stripped = 0;
    for (u32 q = 0; q < words_; ++q) {
      const u32 removed = word_of([&](u32 i) {
        const u32 vertex = q * 32 + i;
        if (!has(room_.but_one, vertex)) return false;
        for (u32 w = 0; w < words_; ++w) {
          const u32 others = room_.set[w] & ~row(vertex, w) & ~(w == q ? bit_of(i) : 0);
          if ((others & room_.but_one[w]) != 0) return true;
        }
        return false;
      });
      if (group_.leads()) room_.removed[q] = removed;
      stripped += size_of(removed);
    }
    if (stripped != 0) leave_set();
    return stripped;
  }

  /// Writes a frame of the other branches, and continues with the pivot's branch.
  MATCHA_MEMBER void descend_wide(u32 pivot, Way& way) {
    u32* const frame = frame_at(wide_depth_++);
    for_lanes([&](u32 q) {
      if (q >= words_) return;
      const u32 set = room_.set[q], near = row(pivot, q), others = set & ~(q == pivot / 32 ? bit_of(pivot % 32) : 0);
      frame[q] = others;
      frame[words_ + q] = others & ~near;
      room_.set[q] = set & near;
    });
    if (group_.leads()) tally_of(frame) = way.tally;
    this->keep_parts(parts_of(frame));
    this->join_wide_pivot(way, pivot);
    group_.sync();
  }

  /// Makes the set of the next branch. False: there is none.
  MATCHA_MEMBER bool next_wide(Way& way) {
    while (wide_depth_ != 0) {
      u32* const frame = frame_at(wide_depth_ - 1);
      u32 q = 0;
      while (q < words_ && frame[words_ + q] == 0) ++q;
      if (q == words_) {
        --wide_depth_;
        continue;
      }
      const u32 bit = first_of(frame[words_ + q]), vertex = q * 32 + bit;
      way = this->way_of(tally_of(frame));
      group_.sync();
      if (group_.leads()) {
        frame[q] &= ~bit_of(bit);
        frame[words_ + q] &= ~bit_of(bit);
      }
      group_.sync();
      for_lanes([&](u32 w) {
        if (w < words_) room_.set[w] = frame[w] & row(vertex, w);
      });
      this->return_to_parts(parts_of(frame));
      this->join_wide_held(way, vertex);
      group_.sync();
      return true;
    }
    return false;
  }
};

}  // namespace matcha_program
