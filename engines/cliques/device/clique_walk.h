// Pivot trees below the vertices of a graph, the widest first; groups that wait get branches of others. Each leaf is
// counted once, in cells that all groups share.
#pragma once

#include "engines/cliques/device/clique_wide.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

template <typename Group>
class CliqueWorker : public CliqueWide<Group, CliqueWorker<Group>> {
 public:
  MATCHA_MEMBER CliqueWorker(const CliqueLaunch& launch, u64 index, CliqueRoom& room)
      : Base(launch, room), scratch_(launch.scratch + index * launch.scratch_words) {}

  /// Runs until all units and tasks of the launch are finished, or it should stop.
  MATCHA_MEMBER void work() {
    bool fresh = true;  // There are unclaimed units.
    for (;;) {
      u64 at = 0, end = 1;
      u32 root = kNoRoot;
      if (fresh) {
        const u64 unit = tasks_.next_units();
        fresh = unit < launch_.unit_count;
        if (!tasks_.look()) break;
        find_roots(unit, at, end);
      }
      const bool is_part = !fresh;
      if (is_part) {
        const auto read = [&](const volatile CliquePart& part) { root = read_part(part); };
        if (!tasks_.take(read)) break;
        at = 0;
        end = 1;
      }
      for (; at < end && !ended_; ++at) {
        if (!is_part) {
          root = begin_root(launch_.roots[at]);
        } else if (root != kNoRoot) {
          write_rows(candidates_of(root), rows_, words_, room_.set);
        }
        walk(!is_part, root != kNoRoot);
      }
      if (ended_) break;
      tasks_.finish(1);
    }
    if (group_.leads() && nodes_ != 0) atomic_add(launch_.nodes, nodes_);
  }

  /// Gives branches to a group that waits, if one does.
  MATCHA_MEMBER void share() {
    if (tasks_.is_wanted() && !this->share_wide()) this->share_narrow();
  }

 private:
  using Base = CliqueWide<Group, CliqueWorker<Group>>;
  using Base::depth_, Base::ended_, Base::finds_narrow, Base::frame_at, Base::frames_, Base::group_, Base::launch_,
      Base::nodes_, Base::room_, Base::root_, Base::rows_, Base::tasks_, Base::walk_narrow, Base::wide_depth_,
      Base::words_, Base::kWidth;

  /// The roots of a unit.
  MATCHA_MEMBER void find_roots(u64 unit, u64& at, u64& end) const {
    at = unit;
    end = unit + 1;
    if (unit < launch_.single_count) return;
    at = launch_.single_count + (unit - launch_.single_count) * launch_.roots_of_unit;
    end = smaller(at + launch_.roots_of_unit, launch_.root_count);
  }

  /// Walks the tree of all candidates, or, if `has_set` is false, the branches of the first frame.
  MATCHA_MEMBER void walk(bool has_set, bool is_wide) {
    u32 set = narrow_set_, tally = kOneHeld;
    for (;;) {
      if (is_wide && !finds_narrow(has_set, set, tally)) return;
      if (!walk_narrow(has_set || is_wide, set, tally)) ended_ = true;
      if (ended_ || !is_wide) return;
      has_set = false;
    }
  }

  MATCHA_MEMBER ItemSet candidates_of(u32 vertex) const {
    const u64 begin = launch_.begin[vertex];
    return {launch_.near + begin, u32(launch_.begin[vertex + 1] - begin)};
  }

  /// Makes the rows and the set of all candidates; returns the vertex, or kNoRoot if they are few.
  MATCHA_MEMBER u32 begin_root(u32 vertex) {
    const ItemSet candidates = candidates_of(vertex);
    const u32 count = candidates.size;
    depth_ = wide_depth_ = 0;
    if (count <= kCliqueNarrow) {
      narrow_set_ = count == kCliqueNarrow ? ~0u : bits_below(count);
      write_rows(candidates, room_.rows, 1, nullptr);
      return kNoRoot;
    }
    place_root(vertex, count);
    group_.sync();
    for (u32 q = group_.lane; q < words_; q += kWidth) {
      room_.set[q] = count - q * 32 >= 32 ? ~0u : bits_below(count - q * 32);
    }
    write_rows(candidates, rows_, words_, nullptr);
    return vertex;
  }
  MATCHA_MEMBER void place_root(u32 vertex, u32 count) {
    root_ = vertex;
    words_ = (count + 31) / 32;
    rows_ = count <= kCliqueNear ? room_.near : scratch_;
    frames_ = scratch_ + clique_row_words(count);
  }

  /// Branches of few candidates become the first frame, those of more the first frame of their root.
  MATCHA_MEMBER u32 read_part(const volatile CliquePart& part) {
    const u32 root = part.root;
    depth_ = wide_depth_ = 0;
    if (root == kNoRoot) {
      depth_ = 1;
      for (u32 i = group_.lane; i < kCliqueNarrow; i += kWidth) room_.rows[i] = part.words[i];
      if (group_.leads()) room_.frames[0] = {part.frame.base, part.frame.branches, part.frame.left, part.frame.tally};
      return root;
    }
    place_root(root, candidates_of(root).size);
    u32* const frame = frame_at(wide_depth_++);
    for (u32 q = group_.lane; q < words_; q += kWidth) {
      room_.set[q] = frame[q] = part.words[q];
      frame[words_ + q] = part.words[kCliqueWords + q];
    }
    if (group_.leads()) frame[2 * words_] = part.frame.tally;
    return root;
  }
  /// Rows of bits of the candidates, or of those of a set, within it.
  MATCHA_MEMBER void write_rows(ItemSet candidates, u32* rows, u32 words, const u32* maybe_set) {
    const u32 stride = 32 * words;
    group_.sync();
    for (u32 i = group_.lane; i < stride * words; i += kWidth) rows[i] = 0;
    group_.sync();
    const auto is_in = [&](u32 i) { return maybe_set == nullptr || (maybe_set[i / 32] >> i % 32 & 1) != 0; };
    for (u32 first = 0; first < candidates.size; first += kWidth) {
      u64 begin = 0;
      u32 length = 0;
      if (first + group_.lane < candidates.size && is_in(first + group_.lane)) {
        const ItemSet later = candidates_of(candidates.items[first + group_.lane]);
        begin = reinterpret_cast<u64>(later.items);
        length = later.size;
      }
      const u32 lists = smaller(candidates.size - first, kWidth);
      for (u32 k = 0; k < lists; ++k) {
        const u32* const items = reinterpret_cast<const u32*>(group_.from(begin, k));
        const u32 size = group_.from(length, k), i = first + k;
        for (u32 at = group_.lane; at < size; at += kWidth) {
          const u32 item = items[at], j = candidates.from(item);
          if (j == candidates.size || candidates.items[j] != item || !is_in(j)) continue;
          set_bits(rows + i / 32 * stride + j, bit_of(i % 32));
          set_bits(rows + j / 32 * stride + i, bit_of(j % 32));
        }
      }
    }
    group_.sync();
  }

  u32* scratch_;
  u32 narrow_set_ = 0;  ///< The candidates of a root that has few.
};

}  // namespace matcha_program
