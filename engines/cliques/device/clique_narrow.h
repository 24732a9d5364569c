// Narrow pivot trees, of at most 32 candidates: a set is one word, and a lane has the row of a candidate.
#pragma once

#include "engines/cliques/device/clique_rows.h"

namespace matcha_program {

/// `Leaves` counts leaves, and has a function for each change of the vertices on the way (`join_…`, `return_to`).
/// `Walk` has `share`, which hands branches to waiting groups.
template <typename Leaves, typename Walk>
class CliqueNarrow : public Leaves {
 public:
  using typename Leaves::Way;

 protected:
  using Leaves::Leaves;

  /// Walks the tree of `set` and the branches of the frames; without `has_set` only the latter. The rows are in shared
  /// memory. False: the launch ends.
  MATCHA_MEMBER bool walk_narrow(bool has_set, u32 set, Way way) {
    for (;;) {
      if (!has_set) {
        if (depth_ == 0) {
          this->return_to(way, this->way_of(0));
          return true;
        }
        next(set, way);
      }
      has_set = false;
      const u32 count = size_of(set);
      if (!suffices(way.tally, count)) continue;
      bool lists = is_listed(way.tally);
      if (!lists && count <= 3) {
        if constexpr (Leaves::kListsFew) {
          lists = true;
        } else {
          this->count_leaf(set, count, way);
          continue;
        }
      }
      if (!polls()) return false;
      if (lists) {
        this->list(set, way);
      } else {
        has_set = branch(set, way);
      }
    }
  }

  /// Hands half of the branches of the first frame to another group.
  MATCHA_MEMBER void share_narrow() {
    if (depth_ == 0) return;
    CliqueFrame<Way>& frame = room_.frames[0];
    u32 given = frame.left, kept = 0;
    for (u32 i = size_of(given) / 2; i > 0; --i) {
      kept |= given & (0 - given);
      given &= given - 1;
    }
    const bool pushed = tasks_.push([&](CliquePart& part) {
      part.is_narrow = 1;
      part.frame.base = frame.base;
      part.frame.branches = frame.branches;
      part.frame.left = given;
      part.frame.way.tally = frame.way.tally;
      for (u32 i = 0; i < kCliqueNarrow; ++i) part.words[i] = room_.rows[i];
      this->give_parts(part, frame.way);
    });
    if (!pushed) return;
    if (group_.leads()) frame.left = kept;
    if (kept == 0) drop_first();
    group_.sync();
  }

  u32 depth_ = 0;  ///< Frames of this walk; each has branches left.

  using Leaves::for_lanes, Leaves::is_listed, Leaves::most_of, Leaves::suffices, Leaves::word_of, Leaves::size_of;
  using Leaves::group_, Leaves::launch_, Leaves::nodes_, Leaves::room_, Leaves::since_look_, Leaves::tasks_,
      Leaves::kItems, Leaves::kWidth;

  /// Counts a node that costs as much as `weight` nodes. Every `patience` nodes it tests for a stop and shares branches
  /// with groups that wait. False: the launch ends.
  MATCHA_MEMBER bool polls(u32 weight = 1) {
    ++nodes_;
    since_look_ += weight;
    if (since_look_ < launch_.patience) return true;
    since_look_ = 0;
    if (!tasks_.poll()) return false;
    static_cast<Walk*>(this)->share();
    return true;
  }

 private:
  /// Branches a set of more than three vertices. True: the walk continues with `set` and `way`, and the other branches
  /// are in a new frame. False: the set was a leaf and is counted.
  MATCHA_MEMBER bool branch(u32& set, Way& way) {
    const u32 count = size_of(set);
    u32 best = 0, mine[kItems];
    for (u32 first = 0; first < 32; first += kWidth) {
      const u32 i = first + group_.lane;
      const u32 degree = size_of(room_.rows[i] & set);
      mine[first / kWidth] = (set >> i & 1) != 0 ? degree : 0;
      if ((set >> i & 1) != 0 && degree + 1 != count) best = larger(best, degree << 5 | (31 - i));
    }
    const u32 universal = word_of([&](u32 i) { return mine[i / kWidth] + 1 == count; });
    const u32 but_one = word_of([&](u32 i) { return mine[i / kWidth] + 2 == count; });
    this->join_free(way, universal);
    set &= ~universal;
    if (but_one == set) {
      this->count_pairs(set, way);
      return false;
    }
    if (but_one != 0) {
      // Removes the pairs of vertices that lack only the edge between them.
      const u32 removed =
          word_of([&](u32 i) { return (but_one >> i & 1) != 0 && (set & ~room_.rows[i] & ~bit_of(i) & but_one) != 0; });
      if (removed != 0) {
        this->join_pairs(way, removed);
        set &= ~removed;
        return true;
      }
    }
    best = most_of(best);
    if ((best >> 5) > size_of(universal) + 1) {
      descend(set, way, 31 - (best & 31));
      return true;
    }
    const u32 ends = word_of([&](u32 i) { return (set >> i & 1) != 0 && mine[i / kWidth] > size_of(universal); });
    this->count_edges(set, ends, way);
    return false;
  }

  /// Continues with the pivot's branch. Lanes count the other branches that are leaves; the rest get a frame.
  MATCHA_MEMBER void descend(u32& set, Way& way, u32 pivot) {
    const u32 near = set & room_.rows[pivot], base = set & ~bit_of(pivot), branches = base & ~near;
    const u32 left = word_of([&](u32 v) {
      if ((branches >> v & 1) == 0) return false;
      const u32 child = room_.rows[v] & base & ~(branches & bits_below(v)), count = size_of(child);
      if (!suffices(way.tally + kOneHeld, count)) return false;
      if (count > 3) return true;
      this->count_child(child, count, way);
      return false;
    });
    this->count_children(base, branches, branches & ~left, way);
    if (left != 0) {
      if (group_.leads()) room_.frames[depth_] = {base, branches, left, way};
      ++depth_;
      group_.sync();
    }
    set = near;
    this->join_free(way, bit_of(pivot));
  }

  /// Takes the next branch of the last frame.
  MATCHA_MEMBER void next(u32& set, Way& way) {
    const CliqueFrame<Way> frame = room_.frames[depth_ - 1];
    const u32 v = first_of(frame.left), left = frame.left & (frame.left - 1);
    group_.sync();
    if (left == 0) {
      --depth_;
    } else {
      if (group_.leads()) room_.frames[depth_ - 1].left = left;
      group_.sync();
    }
    set = room_.rows[v] & frame.base & ~(frame.branches & bits_below(v));
    this->return_to(way, frame.way);
    this->join_held(way, v);
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
