// What the walks of narrow and wide sets share: the leaves of pivot trees, and the looks at other groups.
#pragma once

#include "engines/cliques/device/clique_data.h"

namespace matcha_program {

/// Sets the bits of a word that other lanes change too.
MATCHA_FN void set_bits(u32* word, u32 bits) {
#ifdef MATCHA_ON_DEVICE
  atomicOr(word, bits);
#else
  *word |= bits;
#endif
}
MATCHA_FN u32 bit_of(u32 at) { return 1u << at; }
MATCHA_FN u32 bits_below(u32 at) { return (1u << at) - 1; }
MATCHA_FN u32 first_of(u32 bits) { return lowest_bit(bits); }

template <typename Group>
class CliqueLeaves {
 protected:
  MATCHA_MEMBER CliqueLeaves(const CliqueLaunch& launch, CliqueRoom& room)
      : launch_(launch), group_(Group::here()), tasks_(launch, group_), room_(room) {}

  static constexpr u32 kWidth = Group::kWidth;
  MATCHA_MEMBER static u32 size_of(u32 bits) { return Group::bits(bits); }

  /// Calls `visit(i)` for each i below 32 in one of the lanes.
  template <typename Visit>
  MATCHA_MEMBER void for_lanes(Visit visit) const {
    for (u32 i = group_.lane; i < 32; i += kWidth) visit(i);
  }
  /// The i below 32 for which `test(i)` is true, in all lanes.
  template <typename Test>
  MATCHA_MEMBER u32 word_of(Test test) const {
    u32 bits = 0;
    for (u32 first = 0; first < 32; first += kWidth) bits |= group_.ballot(test(first + group_.lane)) << first;
    return bits;
  }
  /// The largest value of all lanes, in all lanes.
  MATCHA_MEMBER u32 most_of(u32 value) const {
#if defined(MATCHA_ON_DEVICE) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(group_.mask, value);
#else
    for (u32 step = kWidth / 2; step > 0; step /= 2) value = larger(value, group_.from(value, group_.lane ^ step));
    return value;
#endif
  }

  /// Adds so many leaves, by the lane that calls.
  MATCHA_MEMBER void add(u32 tally, u64 count = 1) const {
    const u64 row = launch_.rows[u64(pairs_of(tally)) * (launch_.widest + 1) + free_of(tally)];
    atomic_add(launch_.cells + row + held_of(tally), count);
  }
  /// Leaves of a set with so many cliques of one, two and three vertices, and no larger ones that count.
  MATCHA_MEMBER void add_few(u32 tally, u64 ones, u64 twos, u64 threes) const {
    if (!group_.leads()) return;
    add(tally);
    add(tally + kOneHeld, ones);
    if (twos != 0) add(tally + 2 * kOneHeld, twos);
    if (threes != 0) add(tally + 3 * kOneHeld, threes);
  }

  /// Whether cliques of the size that is wanted, if one is, may be in a set.
  MATCHA_MEMBER bool suffices(u32 tally, u32 count) const {
    return launch_.size == 0 || held_of(tally) + free_of(tally) + pairs_of(tally) + count >= launch_.size;
  }
  /// Whether at most three vertices are missing, whose sets are listed.
  MATCHA_MEMBER bool is_listed(u32 tally) const { return launch_.size != 0 && launch_.size <= held_of(tally) + 3; }
  MATCHA_MEMBER u32 missing(u32 tally) const { return launch_.size - held_of(tally); }

  const CliqueLaunch& launch_;
  Group group_;
  UnitTasks<Group, CliqueLaunch> tasks_;
  CliqueRoom& room_;
  u64 nodes_ = 0;
  u64 since_look_ = 0;
};

}  // namespace matcha_program
