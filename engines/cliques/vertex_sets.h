#pragma once

#include <bit>
#include <cstdint>

#include "engines/cliques/few_cliques.h"

/// Sets of vertices as bits, for the walk of pivot trees. Included by one file a tier, as tree_walk.h.
namespace matcha::runtime::cliques {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define MATCHA_CLIQUE_INLINE __attribute__((always_inline)) inline

/// A set of at most 8 * sizeof(Word) vertices.
template <typename Word>
struct OneWord {
  Word bits;

  static constexpr u32 kBits = 8 * sizeof(Word);
  static constexpr u64 kWords = 1;
  MATCHA_CLIQUE_INLINE u32 size() const { return static_cast<u32>(std::popcount(bits)); }
  MATCHA_CLIQUE_INLINE bool is_empty() const { return bits == 0; }
  MATCHA_CLIQUE_INLINE bool has(u32 vertex) const { return (bits >> vertex & 1) != 0; }
  MATCHA_CLIQUE_INLINE u32 first() const { return static_cast<u32>(std::countr_zero(bits)); }
  MATCHA_CLIQUE_INLINE void take_first() { bits &= static_cast<Word>(bits - 1); }
  template <typename Visit>
  MATCHA_CLIQUE_INLINE void for_each(const Visit& visit) const {
    for (Word left = bits; left != 0; left &= static_cast<Word>(left - 1)) {
      visit(static_cast<u32>(std::countr_zero(left)));
    }
  }
  MATCHA_CLIQUE_INLINE void remove(u32 vertex) { bits &= static_cast<Word>(~(Word{1} << vertex)); }
  MATCHA_CLIQUE_INLINE void insert(u32 vertex) { bits |= static_cast<Word>(Word{1} << vertex); }
  MATCHA_CLIQUE_INLINE bool operator==(const OneWord& other) const { return bits == other.bits; }
  MATCHA_CLIQUE_INLINE OneWord operator&(const OneWord& other) const { return {static_cast<Word>(bits & other.bits)}; }
  MATCHA_CLIQUE_INLINE OneWord without(const OneWord& other) const { return {static_cast<Word>(bits & ~other.bits)}; }
  static MATCHA_CLIQUE_INLINE OneWord from(const u64* words) { return {static_cast<Word>(words[0])}; }
  static MATCHA_CLIQUE_INLINE OneWord none() { return {0}; }
  /// The first `count` vertices.
  static MATCHA_CLIQUE_INLINE OneWord first_of(u32 count) {
    return {static_cast<Word>(count == 64 ? ~u64{0} : (u64{1} << count) - 1)};
  }
  const u64* words() const { return reinterpret_cast<const u64*>(&bits); }
};

/// A set of at most 64 * Words vertices.
template <u64 Words>
struct ManyWords {
  u64 bits[Words];

  static constexpr u32 kBits = 64 * Words;
  static constexpr u64 kWords = Words;
  MATCHA_CLIQUE_INLINE u32 size() const {
    u32 sum = 0;
    for (u64 i = 0; i < Words; ++i) sum += static_cast<u32>(std::popcount(bits[i]));
    return sum;
  }
  MATCHA_CLIQUE_INLINE bool is_empty() const {
    u64 any = 0;
    for (u64 i = 0; i < Words; ++i) any |= bits[i];
    return any == 0;
  }
  MATCHA_CLIQUE_INLINE bool has(u32 vertex) const { return (bits[vertex / 64] >> vertex % 64 & 1) != 0; }
  MATCHA_CLIQUE_INLINE u32 first() const {
    u64 i = 0;
    while (bits[i] == 0) ++i;
    return static_cast<u32>(i * 64) + static_cast<u32>(std::countr_zero(bits[i]));
  }
  MATCHA_CLIQUE_INLINE void take_first() {
    u64 i = 0;
    while (bits[i] == 0) ++i;
    bits[i] &= bits[i] - 1;
  }
  /// Visits its vertices in order.
  template <typename Visit>
  MATCHA_CLIQUE_INLINE void for_each(const Visit& visit) const {
    for (u64 i = 0; i < Words; ++i) {
      for (u64 left = bits[i]; left != 0; left &= left - 1) {
        visit(static_cast<u32>(i * 64) + static_cast<u32>(std::countr_zero(left)));
      }
    }
  }
  MATCHA_CLIQUE_INLINE void remove(u32 vertex) { bits[vertex / 64] &= ~(u64{1} << vertex % 64); }
  MATCHA_CLIQUE_INLINE void insert(u32 vertex) { bits[vertex / 64] |= u64{1} << vertex % 64; }
  MATCHA_CLIQUE_INLINE bool operator==(const ManyWords& other) const {
    u64 differ = 0;
    for (u64 i = 0; i < Words; ++i) differ |= bits[i] ^ other.bits[i];
    return differ == 0;
  }
  MATCHA_CLIQUE_INLINE ManyWords operator&(const ManyWords& other) const {
    ManyWords both;
    for (u64 i = 0; i < Words; ++i) both.bits[i] = bits[i] & other.bits[i];
    return both;
  }
  MATCHA_CLIQUE_INLINE ManyWords without(const ManyWords& other) const {
    ManyWords rest;
    for (u64 i = 0; i < Words; ++i) rest.bits[i] = bits[i] & ~other.bits[i];
    return rest;
  }
  static MATCHA_CLIQUE_INLINE ManyWords from(const u64* words) {
    ManyWords set;
    for (u64 i = 0; i < Words; ++i) set.bits[i] = words[i];
    return set;
  }
  static MATCHA_CLIQUE_INLINE ManyWords none() {
    ManyWords set;
    for (u64 i = 0; i < Words; ++i) set.bits[i] = 0;
    return set;
  }
  static MATCHA_CLIQUE_INLINE ManyWords first_of(u32 count) {
    ManyWords set = none();
    for (u32 i = 0; i < count; ++i) set.insert(i);
    return set;
  }
  const u64* words() const { return bits; }
};

/// Calls `visit.template operator()<Set>()` with the type of sets that have this number of words: a power of two, at
/// most 64.
template <typename Visit>
auto with_sets_of(u64 words, const Visit& visit) {
  switch (words) {
    case 1: return visit.template operator()<OneWord<u64>>();
    case 2: return visit.template operator()<ManyWords<2>>();
    case 4: return visit.template operator()<ManyWords<4>>();
    case 8: return visit.template operator()<ManyWords<8>>();
    case 16: return visit.template operator()<ManyWords<16>>();
    case 32: return visit.template operator()<ManyWords<32>>();
    default: return visit.template operator()<ManyWords<64>>();
  }
}

/// The degrees of the vertices of a set among each other, from one pass over their rows.
template <typename Set>
struct Degrees {
  Set universal;  ///< Vertices that are adjacent to all others of the set.
  Set but_one;    ///< Vertices that are adjacent to all others but one.
  u32 pivot;      ///< The vertex with the most neighbours among those that are not universal; any if all are.
  u32 most;       ///< The number of its neighbours in the set.
};

template <typename Set, typename Rows>
MATCHA_CLIQUE_INLINE Degrees<Set> plain_degrees(const Rows* rows, const Set& set, u32 count) {
  Degrees<Set> degrees{Set::none(), Set::none(), 0, 0};
  bool any = false;
  set.for_each([&](u32 vertex) {
    const u32 degree = (rows[vertex] & set).size();
    if (degree + 1 == count) return degrees.universal.insert(vertex);
    if (degree + 2 == count) degrees.but_one.insert(vertex);
    if (any && degree <= degrees.most) return;
    any = true;
    degrees.most = degree;
    degrees.pivot = vertex;
  });
  return degrees;
}

/// The edges among at most eight vertices, in the form that `few_cliques` takes.
struct FewEdges {
  u64 key = 0, seventh = 0, eighth = 0;
};

/// `extract`: as PEXT.
template <typename Set, typename Extract>
MATCHA_CLIQUE_INLINE FewEdges plain_few_edges(const Set* rows, Set set, u32 count, const Extract& extract) {
  const u64 all = set.bits;
  FewEdges edges;
  set.take_first();
  for (u32 i = 1; i < count; ++i) {
    const u64 before = extract(rows[set.first()].bits, all) & ((u64{1} << i) - 1);
    set.take_first();
    if (i < kMostOfTable) {
      edges.key |= before << first_pair(i);
    } else {
      (i == kMostOfTable ? edges.seventh : edges.eighth) = before;
    }
  }
  return edges;
}

/// The steps of a walk without vectors. `Word::extract`: as PEXT.
template <typename Word>
struct PlainSteps : Word {
  template <typename Set>
  static MATCHA_CLIQUE_INLINE Degrees<Set> degrees(const Set* rows, const Set& set, u32 count) {
    return plain_degrees(rows, set, count);
  }
  template <typename Set>
  static MATCHA_CLIQUE_INLINE u64 twice_edges(const Set* rows, const Set& set) {
    u64 twice = 0;
    set.for_each([&](u32 vertex) { twice += (rows[vertex] & set).size(); });
    return twice;
  }
  template <typename Set>
  static MATCHA_CLIQUE_INLINE FewEdges few_edges(const Set* rows, const Set& set, u32 count) {
    return plain_few_edges(rows, set, count, Word::extract);
  }
  static MATCHA_CLIQUE_INLINE void add_bytes(u64* line, u64 bytes) {
    for (; bytes != 0; bytes >>= 8, ++line) *line += bytes & 0xff;
  }
};

}  // namespace
}  // namespace matcha::runtime::cliques
