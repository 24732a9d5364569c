// The base of all walks: the group, its tasks, and the rows and sets of candidates. In a narrow tree, of at most 32
// candidates, a set is one word, and a lane has the row of a candidate. In a wide tree a set has a word for each 32
// candidates. Rows are then stored by words, so that lanes read the words of neighbouring candidates together.
#pragma once

#include "engines/cliques/device/clique_data.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

/// Sets bits of a word; other lanes may change the same word at once.
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

template <typename OneGroup, typename OneRoom>
class CliqueRows {
 public:
  using Group = OneGroup;
  using Room = OneRoom;

 protected:
  MATCHA_MEMBER CliqueRows(const CliqueLaunch& launch, Room& room)
      : launch_(launch), group_(Group::here()), tasks_(launch, group_), room_(room) {}

  static constexpr u32 kWidth = Group::kWidth;
  /// The share of a lane of 32 candidates.
  static constexpr u32 kItems = 32 / kWidth;
  MATCHA_MEMBER static u32 size_of(u32 bits) { return Group::bits(bits); }

  /// Calls `visit(i)` for each i below 32, each in one lane.
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

  /// True if `count` more vertices may complete a clique of the wanted size; always if all sizes are wanted.
  MATCHA_MEMBER bool suffices(u32 tally, u32 count) const {
    return launch_.size == 0 || held_of(tally) + free_of(tally) + pairs_of(tally) + count >= launch_.size;
  }
  /// True if at most three vertices complete a clique of the wanted size, so that sets are counted by `list`.
  MATCHA_MEMBER bool is_listed(u32 tally) const { return launch_.size != 0 && launch_.size <= held_of(tally) + 3; }
  MATCHA_MEMBER u32 missing(u32 tally) const { return launch_.size - held_of(tally); }

  MATCHA_MEMBER ItemSet candidates_of(u32 vertex) const {
    const u64 begin = launch_.begin[vertex];
    return {launch_.near + begin, u32(launch_.begin[vertex + 1] - begin)};
  }
  MATCHA_MEMBER u32 row(u32 vertex, u32 word) const { return rows_[word * 32 * words_ + vertex]; }
  MATCHA_MEMBER bool has(const u32* words, u32 vertex) const { return (words[vertex / 32] >> vertex % 32 & 1) != 0; }
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

  const CliqueLaunch& launch_;
  Group group_;
  UnitTasks<Group, CliqueLaunch> tasks_;
  Room& room_;
  u64 nodes_ = 0;
  u64 since_look_ = 0;
  u32 root_ = 0;         ///< The root, a vertex.
  u32 words_ = 0;        ///< Words of a set of a wide tree.
  u32* rows_ = nullptr;  ///< The rows of the candidates of a wide tree.
};

}  // namespace matcha_program
