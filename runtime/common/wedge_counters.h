// Counters of the lanes of a group: the first ranks get a place in shared memory, by their hash; ranks whose place is
// taken are counted in memory, in a counter for each rank. In rows by degree the ends of most wedges come first.
#pragma once

#include "runtime/common/group.h"

namespace matcha_program {

inline constexpr u32 kNoRank = ~0u;

/// Counters that are all 0 before and after, unless other groups add to them too.
template <typename Group>
class WedgeCounters {
 public:
  /// `counters`: one for each rank; `shared`: with other groups. `most`: an upper bound of the counts.
  MATCHA_MEMBER WedgeCounters(Group group, u32* counters, bool shared, [[maybe_unused]] u64 most)
      : group_(group), counters_(counters), shared_(shared) {
#ifdef MATCHA_ON_DEVICE
    // Static shared memory is limited to 48 KiB; 8 KiB a warp allow several warps.
    __shared__ u32 ends[kPlaces * (kThreads / Group::kWidth)];
    __shared__ u32 counts[kPlaces * (kThreads / Group::kWidth)];
    ends_ = ends + threadIdx.x / Group::kWidth * kPlaces;
    counts_ = counts + threadIdx.x / Group::kWidth * kPlaces;
    while (places_ < kPlaces && places_ < 2 * most) places_ *= 2;
    for (u32 i = group.lane; i < places_; i += Group::kWidth) {
      ends_[i] = kNoRank;
      counts_[i] = 0;
    }
    group_.sync();
#endif
  }

  /// The sum of the previous counts of these ranks; kNoRank is skipped.
  template <u32 n>
  MATCHA_MEMBER u64 add(const u32 (&ends)[n]) {
    u64 before = 0;
    bool own[n];
    for (u32 k = 0; k < n; ++k) own[k] = ends[k] != kNoRank && claims(ends[k]);
    for (u32 k = 0; k < n; ++k) {
      if (ends[k] == kNoRank) continue;
      spilled_ = spilled_ || !own[k];
      before += one_more(own[k] ? counts_ + place(ends[k]) : counters_ + ends[k]);
    }
    return before;
  }
  /// Adds the shared-memory counts to the counters, which other groups may add to as well: each finds some of the
  /// pairs, and together they find all in any order. Returns this lane's part; the counters are no longer 0 then.
  MATCHA_MEMBER u64 flush() const {
    u64 pairs = 0;
#ifdef MATCHA_ON_DEVICE
    group_.sync();
    for (u32 i = group_.lane; i < places_; i += Group::kWidth) {
      const u32 count = ends_[i] == kNoRank ? 0 : counts_[i];
      if (count != 0) pairs += u64(count) * atomicAdd(counters_ + ends_[i], count);
    }
    group_.sync();
#endif
    return pairs;
  }
  /// True if `reset` must be called for all ranks that were added.
  MATCHA_MEMBER bool spilled() const {
    group_.sync();
    return group_.ballot(spilled_) != 0;
  }
  template <u32 n>
  MATCHA_MEMBER void reset(const u32 (&ends)[n]) const {
    for (u32 k = 0; k < n; ++k) {
      if (ends[k] != kNoRank && !holds(ends[k])) counters_[ends[k]] = 0;
    }
  }

 private:
#ifdef MATCHA_ON_DEVICE
  static constexpr u32 kThreads = 128;  ///< The number of threads of a block.
  static constexpr u32 kPlaces = 32 * Group::kWidth;
  MATCHA_MEMBER u32 place(u32 end) const { return (end * 0x9E3779B1u) >> 16 & (places_ - 1); }
  MATCHA_MEMBER bool claims(u32 end) const {
    const u32 there = atomicCAS(ends_ + place(end), kNoRank, end);
    return there == kNoRank || there == end;
  }
  MATCHA_MEMBER bool holds(u32 end) const { return ends_[place(end)] == end; }
  MATCHA_MEMBER u32 one_more(u32* counter) const { return atomicAdd(counter, 1u); }
  u32* ends_;
  u32 places_ = Group::kWidth;
#else
  MATCHA_MEMBER static u32 place(u32) { return 0; }
  MATCHA_MEMBER static bool claims(u32) { return false; }
  MATCHA_MEMBER static bool holds(u32) { return false; }
  MATCHA_MEMBER u32 one_more(u32* counter) const {
    return shared_ ? __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED) : (*counter)++;
  }
#endif
  Group group_;
  u32* counts_ = nullptr;
  u32* counters_;
  bool shared_;
  bool spilled_ = false;
};

}  // namespace matcha_program
