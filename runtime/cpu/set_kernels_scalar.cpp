#include <cstdint>

#include "runtime/cpu/set_kernels_tables.h"

namespace matcha::runtime {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// From this ratio of lengths on, searching the longer list beats merging.
constexpr u64 kSkew = 32;

u64 lower_bound(const u32* a, u64 na, u64 x) {
  if (na == 0) return 0;
  const u32* q = a;
  u64 count = na;
  while (count > 1) {
    u64 half = count / 2;
    q += (u64{0} - u64{q[half - 1] < x}) & half;
    count -= half;
  }
  return static_cast<u64>(q - a) + u64{*q < x};
}

/// Calls `member(x)` for the common items, in order.
template <typename Member>
[[gnu::always_inline]] inline void walk_common(const u32* a, u64 na, const u32* b, u64 nb, Member member) {
  if (nb / kSkew > na || na / kSkew > nb) {
    if (na > nb) {
      const u32* list = a;
      a = b;
      b = list;
      u64 count = na;
      na = nb;
      nb = count;
    }
    u64 from = 0;
    for (u64 i = 0; i < na; ++i) {
      from += lower_bound(b + from, nb - from, a[i]);
      if (from == nb) return;
      member(a[i], b[from] == a[i]);
    }
    return;
  }
  u64 i = 0;
  u64 j = 0;
  while (i < na && j < nb) {
    u32 x = a[i];
    u32 y = b[j];
    member(x, x == y);
    i += x <= y;
    j += y <= x;
  }
}

u64 intersect_count(const u32* a, u64 na, const u32* b, u64 nb) {
  u64 found = 0;
  walk_common(a, na, b, nb, [&](u32, bool hit) { found += hit; });
  return found;
}

u64 intersect(const u32* a, u64 na, const u32* b, u64 nb, u32* out) {
  u64 found = 0;
  walk_common(a, na, b, nb, [&](u32 x, bool hit) {
    out[found] = x;
    found += hit;
  });
  return found;
}

u64 diff_count(const u32* a, u64 na, const u32* b, u64 nb) { return na - intersect_count(a, na, b, nb); }

u64 diff(const u32* a, u64 na, const u32* b, u64 nb, u32* out) {
  u64 found = 0;
  u64 i = 0;
  u64 j = 0;
  if (nb / kSkew > na) {
    for (; i < na && j < nb; ++i) {
      j += lower_bound(b + j, nb - j, a[i]);
      out[found] = a[i];
      found += j == nb || b[j] != a[i];
    }
  }
  while (i < na && j < nb) {
    u32 x = a[i];
    u32 y = b[j];
    out[found] = x;
    found += x < y;
    i += x <= y;
    j += y <= x;
  }
  for (; i < na; ++i) out[found++] = a[i];
  return found;
}

void set_bit(u64* out, u64 i, bool hit) { out[i / 64] |= u64{hit} << i % 64; }

void member_bits(const u32* a, u64 na, const u32* b, u64 nb, u64* out) {
  for (u64 word = 0; word < (na + 63) / 64; ++word) out[word] = 0;
  u64 i = 0;
  u64 j = 0;
  if (nb / kSkew > na) {
    for (; i < na && j < nb; ++i) {
      j += lower_bound(b + j, nb - j, a[i]);
      set_bit(out, i, j < nb && b[j] == a[i]);
    }
    return;
  }
  if (na / kSkew > nb) {
    for (; j < nb && i < na; ++j) {
      i += lower_bound(a + i, na - i, b[j]);
      if (i < na) set_bit(out, i, a[i] == b[j]);
    }
    return;
  }
  while (i < na && j < nb) {
    u32 x = a[i];
    u32 y = b[j];
    set_bit(out, i, x == y);
    i += x <= y;
    j += y <= x;
  }
}

u64 count_pairs(const SetPair* pairs, u64 n, u64* counts) {
  u64 total = 0;
  for (u64 i = 0; i < n; ++i) {
    counts[i] = intersect_count(pairs[i].a, pairs[i].na, pairs[i].b, pairs[i].nb);
    total += counts[i];
  }
  return total;
}

u64 count_rows(SetPair* pairs, u64 n, u64* counts, const u32* items, const u64* places) {
  for (u64 i = 0; i < n; ++i) {
    const u64* row = places + pairs[i].nb;
    pairs[i].b = items + row[0];
    pairs[i].nb = row[1] - row[0];
    __builtin_prefetch(pairs[i].b);
  }
  return count_pairs(pairs, n, counts);
}

u64 count_halves(SetPair* pairs, u64 n, u64* counts, const u32* items, const SplitOffsets* halves, u64 side) {
  for (u64 i = 0; i < n; ++i) {
    const u64 at = 2 * pairs[i].nb + side;
    pairs[i].b = items + half_offset(*halves, at);
    pairs[i].nb = halves->offsets[at + 1] - halves->offsets[at];
    __builtin_prefetch(pairs[i].b);
  }
  return count_pairs(pairs, n, counts);
}

u64 marked(const std::uint8_t* marks, u64 n, u32* out) {
  u64 found = 0;
  for (u64 i = 0; i < n; ++i) {
    out[found] = static_cast<u32>(i);
    found += marks[i];
  }
  return found;
}

}  // namespace

const SetKernels kScalarKernels = {"scalar",    intersect_count, intersect,  diff_count,   diff,  lower_bound,
                                   member_bits, count_pairs,     count_rows, count_halves, marked};

}  // namespace matcha::runtime
