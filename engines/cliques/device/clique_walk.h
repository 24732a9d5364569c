// Pivot trees below the vertices of a graph, those with the most candidates first. Groups without work get branches of
// others. Each leaf is counted once.
#pragma once

#include "engines/cliques/device/clique_wide.h"

namespace matcha_program {

/// `Leaves`: CliqueLeaves, or CliqueSums.
template <typename Leaves>
class CliqueWorker : public CliqueWide<Leaves, CliqueWorker<Leaves>> {
 public:
  using Room = typename Leaves::Room;

  MATCHA_MEMBER CliqueWorker(const CliqueLaunch& launch, u64 index, Room& room)
      : Base(launch, room), scratch_(launch.scratch + index * launch.scratch_words) {}

  /// Runs until all units and tasks of the launch are finished, or a stop is requested.
  MATCHA_MEMBER void work() {
    bool fresh = true;  // There are unclaimed units.
    for (;;) {
      u64 at = 0, end = 1;
      bool is_wide = false;
      if (fresh) {
        const u64 unit = tasks_.next_units();
        fresh = unit < launch_.unit_count;
        if (!tasks_.poll()) break;
        find_roots(unit, at, end);
      }
      const bool is_part = !fresh;
      if (is_part) {
        const auto read = [&](const volatile CliquePart& part) { is_wide = read_part(part); };
        if (!tasks_.take(read)) break;
        at = 0;
        end = 1;
      }
      for (; at < end && !ended_; ++at) {
        if (!is_part) {
          is_wide = begin_root(launch_.roots[at]);
        } else if (is_wide) {
          write_rows(this->candidates_of(root_), rows_, words_, room_.set);
        }
        walk(!is_part, is_wide);
      }
      if (ended_) break;
      tasks_.finish(1);
    }
    if (group_.leads() && nodes_ != 0) atomic_add(launch_.nodes, nodes_);
  }

  /// Hands branches to a waiting group, if there is one.
  MATCHA_MEMBER void share() {
    if (tasks_.is_wanted() && !this->share_wide()) this->share_narrow();
  }

 private:
  using Base = CliqueWide<Leaves, CliqueWorker<Leaves>>;
  using Base::depth_, Base::ended_, Base::finds_narrow, Base::frame_at, Base::frames_, Base::group_, Base::launch_,
      Base::nodes_, Base::room_, Base::root_, Base::rows_, Base::tally_of, Base::tasks_, Base::walk_narrow,
      Base::wide_depth_, Base::words_, Base::kWidth;
  using typename Base::Way;

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
    u32 set = has_set || is_wide ? narrow_set_ : ~0u;
    Way way = has_set || is_wide ? this->way_of(kOneHeld) : room_.frames[0].way;
    for (;;) {
      if (is_wide && !finds_narrow(has_set, set, way)) break;
      this->begin_narrow(set);
      if (!walk_narrow(has_set || is_wide, set, way)) ended_ = true;
      if (ended_) return;
      this->end_narrow();
      if (!is_wide) break;
      has_set = false;
    }
    if (!ended_) this->end_root();
  }

  /// Makes the rows and the set of all candidates of a root. Returns true if its tree is wide.
  MATCHA_MEMBER bool begin_root(u32 vertex) {
    const ItemSet candidates = this->candidates_of(vertex);
    const u32 count = candidates.size;
    depth_ = wide_depth_ = 0;
    if (count <= kCliqueNarrow) {
      root_ = vertex;
      narrow_set_ = count == kCliqueNarrow ? ~0u : bits_below(count);
      write_rows(candidates, room_.rows, 1, nullptr);
      this->begin_few(candidates);
      return false;
    }
    place_root(vertex, count);
    group_.sync();
    for (u32 q = group_.lane; q < words_; q += kWidth) {
      room_.set[q] = count - q * 32 >= 32 ? ~0u : bits_below(count - q * 32);
    }
    write_rows(candidates, rows_, words_, nullptr);
    return true;
  }
  MATCHA_MEMBER void place_root(u32 vertex, u32 count) {
    root_ = vertex;
    words_ = (count + 31) / 32;
    u32* const own = this->begin_wide(scratch_);
    rows_ = count <= kCliqueNear ? room_.near : own;
    frames_ = own + clique_row_words(count);
  }

  /// Makes branches that another group handed over the first frame of this walk. Returns true if their tree is wide.
  MATCHA_MEMBER bool read_part(const volatile CliquePart& part) {
    depth_ = wide_depth_ = 0;
    if (part.is_narrow != 0) {
      depth_ = 1;
      for (u32 i = group_.lane; i < kCliqueNarrow; i += kWidth) room_.rows[i] = part.words[i];
      if (group_.leads()) {
        CliqueFrame<Way>& frame = room_.frames[0];
        frame.base = part.frame.base;
        frame.branches = part.frame.branches;
        frame.left = part.frame.left;
        frame.way.tally = part.frame.way.tally;
      }
      this->take_parts(part);
      return false;
    }
    const u32 root = part.root;
    place_root(root, this->candidates_of(root).size);
    u32* const frame = frame_at(wide_depth_++);
    for (u32 q = group_.lane; q < words_; q += kWidth) {
      room_.set[q] = frame[q] = part.words[q];
      frame[words_ + q] = part.words[kCliqueWords + q];
    }
    if (group_.leads()) tally_of(frame) = part.frame.way.tally;
    this->take_wide_parts(part, this->parts_of(frame));
    return true;
  }
  /// Writes rows of bits for the edges among the candidates, or only among those in `maybe_set`.
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
        const ItemSet later = this->candidates_of(candidates.items[first + group_.lane]);
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
  u32 narrow_set_ = 0;  ///< All candidates of a narrow root.
};

}  // namespace matcha_program
