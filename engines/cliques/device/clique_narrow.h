// Pivot trees of at most 32 candidates: a set is a word, and a lane has the row of a candidate.
#pragma once

#include "engines/cliques/device/clique_leaves.h"

namespace matcha_program {

/// `Walk` has `share`, which gives branches away.
template <typename Group, typename Walk>
class CliqueNarrow : public CliqueLeaves<Group> {
 protected:
  using CliqueLeaves<Group>::CliqueLeaves;

  /// Walks the tree of a set, with rows in shared memory, or, if `has_set` is false, the branches of frames. False: the
  /// launch ends.
  MATCHA_MEMBER bool walk_narrow(bool has_set, u32 set, u32 tally) {
    for (;;) {
      if (!has_set) {
        if (depth_ == 0) return true;
        next(set, tally);
      }
      has_set = false;
      const u32 count = size_of(set);
      if (!suffices(tally, count)) continue;
      const bool lists = is_listed(tally);
      if (!lists && count <= 3) {
        if (group_.leads()) leaf(set, count, tally);
        continue;
      }
      if (!looks_around()) return false;
      if (lists) {
        list(set, tally);
      } else {
        has_set = branch(set, tally);
      }
    }
  }

  /// Gives half of the branches of the first frame to another group.
  MATCHA_MEMBER void share_narrow() {
    if (depth_ == 0) return;
    CliqueFrame& frame = room_.frames[0];
    u32 given = frame.left, kept = 0;
    for (u32 i = size_of(given) / 2; i > 0; --i) {
      kept |= given & (0 - given);
      given &= given - 1;
    }
    const bool pushed = tasks_.push([&](CliquePart& part) {
      part.root = kNoRoot;
      part.frame = {frame.base, frame.branches, given, frame.tally};
      for (u32 i = 0; i < kCliqueNarrow; ++i) part.words[i] = room_.rows[i];
    });
    if (!pushed) return;
    if (group_.leads()) frame.left = kept;
    if (kept == 0) drop_first();
    group_.sync();
  }

  u32 depth_ = 0;  ///< Frames of this walk; each has branches left.

  using Base = CliqueLeaves<Group>;
  using Base::add, Base::add_few, Base::for_lanes, Base::is_listed, Base::missing, Base::most_of, Base::suffices,
      Base::word_of, Base::size_of;
  using Base::group_, Base::launch_, Base::nodes_, Base::room_, Base::since_look_, Base::tasks_, Base::kWidth;

  /// Counts a node that takes as long as so many, and now and then looks at other groups. False: the launch ends.
  MATCHA_MEMBER bool looks_around(u32 weight = 1) {
    ++nodes_;
    since_look_ += weight;
    if (since_look_ < launch_.patience) return true;
    since_look_ = 0;
    if (!tasks_.look()) return false;
    static_cast<Walk*>(this)->share();
    return true;
  }

 private:
  /// A set of at most three, by one lane: all but those without or with one edge are free vertices and pairs.
  MATCHA_MEMBER void leaf(u32 set, u32 count, u32 tally) const {
    if (count < 2) return add(tally + count * kOneFree);
    const u32 a = first_of(set), rest = set & (set - 1);
    const u32 near = size_of(room_.rows[a] & rest);
    if (count == 2) return add(tally + (near != 0 ? 2 * kOneFree : kOnePair));
    const u32 b = first_of(rest), c = first_of(rest & (rest - 1));
    const u32 edges = near + (room_.rows[b] >> c & 1);
    if (edges == 3) return add(tally + 3 * kOneFree);
    if (edges == 2) return add(tally + kOneFree + kOnePair);
    add(tally + edges * 2 * kOneFree);
    add(tally + kOneHeld, edges == 0 ? 3 : 1);
  }

  /// One, two or three vertices are missing: the sets of so many are listed.
  MATCHA_MEMBER void list(u32 set, u32 tally) const {
    const u32 wanted = missing(tally);
    u32 twos = 0, threes = 0;
    if (wanted > 1) {
      for_lanes([&](u32 i) {
        if ((set >> i & 1) == 0) return;
        const u32 near = room_.rows[i] & set & bits_below(i);
        twos += size_of(near);
        if (wanted < 3) return;
        for (u32 left = near; left != 0; left &= left - 1) threes += size_of(room_.rows[first_of(left)] & near);
      });
      twos = group_.total(twos);
      threes = group_.total(threes) / 2;
    }
    if (wanted == 0) {
      if (group_.leads()) add(tally);
    } else {
      add_few(tally, size_of(set), twos, threes);
    }
  }

  /// Branches a set of more than three. True: `set` and `tally` are those to go on with; branches that are left have a
  /// frame.
  MATCHA_MEMBER bool branch(u32& set, u32& tally) {
    const u32 count = size_of(set);
    u32 best = 0, mine[32 / kWidth];
    for (u32 first = 0; first < 32; first += kWidth) {
      const u32 i = first + group_.lane;
      const u32 degree = size_of(room_.rows[i] & set);
      mine[first / kWidth] = (set >> i & 1) != 0 ? degree : 0;
      if ((set >> i & 1) != 0 && degree + 1 != count) best = larger(best, degree << 5 | (31 - i));
    }
    const u32 universal = word_of([&](u32 i) { return mine[i / kWidth] + 1 == count; });
    const u32 but_one = word_of([&](u32 i) { return mine[i / kWidth] + 2 == count; });
    tally += size_of(universal) * kOneFree;
    set &= ~universal;
    if (but_one == set) {
      if (group_.leads()) add(tally + size_of(set) / 2 * kOnePair);
      return false;
    }
    if (but_one != 0) {
      // Pairs that miss each other alone leave the set.
      const u32 gone =
          word_of([&](u32 i) { return (but_one >> i & 1) != 0 && (set & ~room_.rows[i] & ~bit_of(i) & but_one) != 0; });
      if (gone != 0) {
        tally += size_of(gone) / 2 * kOnePair;
        set &= ~gone;
        return true;
      }
    }
    best = most_of(best);
    if ((best >> 5) > size_of(universal) + 1) {
      descend(set, tally, 31 - (best & 31));
      return true;
    }
    const u32 ends = word_of([&](u32 i) { return (set >> i & 1) != 0 && mine[i / kWidth] > size_of(universal); });
    add_few(tally, size_of(set), size_of(ends) / 2, 0);
    return false;
  }

  /// Goes on with the pivot's branch. Lanes count the others that are leaves; those that are not have a frame.
  MATCHA_MEMBER void descend(u32& set, u32& tally, u32 pivot) {
    const u32 near = set & room_.rows[pivot], base = set & ~bit_of(pivot), branches = base & ~near;
    const u32 left = word_of([&](u32 v) {
      if ((branches >> v & 1) == 0) return false;
      const u32 child = room_.rows[v] & base & ~(branches & bits_below(v)), count = size_of(child);
      if (!suffices(tally + kOneHeld, count)) return false;
      if (count > 3) return true;
      leaf(child, count, tally + kOneHeld);
      return false;
    });
    if (left != 0) {
      if (group_.leads()) room_.frames[depth_] = {base, branches, left, tally};
      ++depth_;
      group_.sync();
    }
    set = near;
    tally += kOneFree;
  }

  /// The next branch of the last frame.
  MATCHA_MEMBER void next(u32& set, u32& tally) {
    const CliqueFrame frame = room_.frames[depth_ - 1];
    const u32 v = first_of(frame.left), left = frame.left & (frame.left - 1);
    group_.sync();
    if (left == 0) {
      --depth_;
    } else {
      if (group_.leads()) room_.frames[depth_ - 1].left = left;
      group_.sync();
    }
    set = room_.rows[v] & frame.base & ~(frame.branches & bits_below(v));
    tally = frame.tally + kOneHeld;
  }

  MATCHA_MEMBER void drop_first() {
    --depth_;
    group_.sync();
    if (group_.leads()) {
      for (u32 i = 0; i < depth_; ++i) room_.frames[i] = room_.frames[i + 1];
    }
  }
};

}  // namespace matcha_program
