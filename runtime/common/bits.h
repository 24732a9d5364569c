// Sets of positions in a short list, a bit each, in words of 64. A set is a view with `words` words: `word(k)` returns
// one and `pair(k)` two, from an even one on, computed on access; positions end there. Stored words are aligned in
// pairs, because a lane that reads its own row waits for every load.
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/group.h"

/// Precedes a loop that is rarely entered and would take registers from its surroundings.
#ifdef __CUDA_ARCH__
#define MATCHA_ROLLED _Pragma("unroll 1")
#else
#define MATCHA_ROLLED
#endif

namespace matcha_program {

inline constexpr u32 kWordBits = 64;

MATCHA_FN constexpr u64 words_for(u64 positions) { return (positions + kWordBits - 1) / kWordBits; }
/// The number of words from one row to the next for a list of `items` items.
MATCHA_FN constexpr u64 row_stride(u64 items) { return items <= kWordBits ? 1 : (words_for(items) + 1) / 2 * 2; }
MATCHA_FN constexpr u64 row_words(u64 items) { return items * row_stride(items); }

/// The bits of word `k` of the positions below `end`, which may be any number.
MATCHA_FN u64 first_bits(u64 end, u32 k) {
  u64 begin = u64(k) * kWordBits;
  if (end <= begin) return 0;
  return end - begin >= kWordBits ? ~0ull : (1ull << (end - begin)) - 1;
}

MATCHA_FN u32 bit_count(u32 word) { return Group<1>::bits(word); }
MATCHA_FN u32 bit_count(u64 word) { return bit_count(u32(word)) + bit_count(u32(word >> 32)); }

/// The place of bit number `n` of `word`, which has more than n bits.
MATCHA_FN u32 nth_bit(u64 word, u32 n) {
  u32 low = u32(word);
  u32 place = 0;
  u32 below = bit_count(low);
  if (n >= below) {
    n -= below;
    low = u32(word >> 32);
    place = 32;
  }
  for (u32 half = 16; half > 0; half /= 2) {
    below = bit_count(low & ((1u << half) - 1));
    if (n < below) continue;
    n -= below;
    low >>= half;
    place += half;
  }
  return place;
}

template <typename A>
MATCHA_FN WordPair single_words(const A& set, u32 k) {
  return {set.word(k), set.word(k + 1)};
}

struct StoredBits {
  const u64* data;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return data[k]; }
  MATCHA_MEMBER WordPair pair(u32 k) const { return *reinterpret_cast<const WordPair*>(data + k); }
};
/// A set that one thread stores for itself, with its first words in registers.
struct KeptBits {
  u64 first, second;
  const u64* data;  ///< All words except those two.
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return k == 0 ? first : k == 1 ? second : data[k]; }
  MATCHA_MEMBER WordPair pair(u32 k) const {
    if (k == 0) return {first, second};
    return *reinterpret_cast<const WordPair*>(data + k);
  }
};
struct AllBits {
  u64 size;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return first_bits(size, k); }
  MATCHA_MEMBER WordPair pair(u32 k) const { return single_words(*this, k); }
};
template <typename A>
struct BitsBelow {
  A set;
  u64 position;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return set.word(k) & first_bits(position, k); }
  MATCHA_MEMBER WordPair pair(u32 k) const {
    const WordPair all = set.pair(k);
    return {all.first & first_bits(position, k), all.second & first_bits(position, k + 1)};
  }
};
template <typename A>
struct BitsAbove {
  A set;
  u64 position;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return set.word(k) & ~first_bits(position + 1, k); }
  MATCHA_MEMBER WordPair pair(u32 k) const {
    const WordPair all = set.pair(k);
    return {all.first & ~first_bits(position + 1, k), all.second & ~first_bits(position + 1, k + 1)};
  }
};
template <typename A, typename B>
struct CommonBits {
  A a;
  B b;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return a.word(k) & b.word(k); }
  MATCHA_MEMBER WordPair pair(u32 k) const {
    const WordPair x = a.pair(k);
    const WordPair y = b.pair(k);
    return {x.first & y.first, x.second & y.second};
  }
};
template <typename A, typename B>
struct OtherBits {
  A a;
  B b;
  u32 words;
  MATCHA_MEMBER u64 word(u32 k) const { return k < b.words ? a.word(k) & ~b.word(k) : a.word(k); }
  MATCHA_MEMBER WordPair pair(u32 k) const { return single_words(*this, k); }
};

/// The bit rows of a list: for each of its items a set of positions. If rows hold lower neighbours, the row of an item
/// has only the words of earlier positions.
template <bool lower>
struct BitRows {
  const u64* data;
  u32 size;
  u32 stride;
};

template <bool lower>
MATCHA_FN StoredBits bit_row(const BitRows<lower>& rows, i64 i) {
  const u32 positions = lower ? smaller(u32(i), rows.size) : rows.size;
  return {rows.data + u32(i) * rows.stride, (positions + kWordBits - 1) / kWordBits};
}
template <bool lower>
MATCHA_FN AllBits all_bits(const BitRows<lower>& rows) {
  return {rows.size, u32(words_for(rows.size))};
}
template <typename A>
MATCHA_FN BitsBelow<A> bits_below(const A& set, i64 position) {
  return {set, u64(position), smaller(set.words, u32(words_for(u64(position))))};
}
template <typename A>
MATCHA_FN BitsAbove<A> bits_above(const A& set, i64 position) {
  return {set, u64(position), set.words};
}
template <typename A, typename B>
MATCHA_FN CommonBits<A, B> common_bits(const A& a, const B& b) {
  return {a, b, smaller(a.words, b.words)};
}
template <typename A, typename B>
MATCHA_FN OtherBits<A, B> other_bits(const A& a, const B& b) {
  return {a, b, a.words};
}

template <typename A>
MATCHA_FN bool has_bit(const A& set, i64 position) {
  u32 k = u32(u64(position) / kWordBits);
  return k < set.words && (set.word(k) >> (u64(position) % kWordBits) & 1) != 0;
}
/// The number of positions of a set, counted by one thread.
template <typename A>
MATCHA_FN i64 count_bits(const A& set) {
  if (set.words <= 1) return set.words == 0 ? 0 : bit_count(set.word(0));
  const WordPair front = set.pair(0);
  u32 count = bit_count(front.first) + bit_count(front.second);
  u32 k = 2;
  MATCHA_ROLLED for (; k + 1 < set.words; k += 2) {
    const WordPair words = set.pair(k);
    count += bit_count(words.first) + bit_count(words.second);
  }
  if (k < set.words) count += bit_count(set.word(k));
  return count;
}
/// Stores a set in `data`, which has room for its words and belongs to this thread.
template <typename A>
MATCHA_FN KeptBits keep_bits(const A& set, u64* data) {
  MATCHA_ROLLED for (u32 k = 2; k < set.words; ++k) data[k] = set.word(k);
  return {set.words > 0 ? set.word(0) : 0, set.words > 1 ? set.word(1) : 0, data, set.words};
}

}  // namespace matcha_program
