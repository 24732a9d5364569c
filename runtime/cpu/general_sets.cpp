#include "runtime/cpu/general_sets.h"

#include <algorithm>

namespace matcha::runtime {
namespace {

/// From this ratio of lengths on, each item of `a` is searched in `b` instead of merging.
constexpr std::uint64_t kSkew = 16;

/// Branch-free binary search.
template <typename T>
std::uint64_t lower_bound(const T* b, std::uint64_t nb, T x) {
  if (nb == 0) return 0;
  const T* q = b;
  std::uint64_t count = nb;
  while (count > 1) {
    std::uint64_t half = count / 2;
    q += (std::uint64_t{0} - std::uint64_t{q[half - 1] < x}) & half;
    count -= half;
  }
  return static_cast<std::uint64_t>(q - b) + std::uint64_t{*q < x};
}

/// Calls `item(x, is_member)` for the items of `a`, in order. While `a` ascends, the position in `b` advances with it;
/// a descent starts a search from the front.
template <typename T, typename Item>
void walk(const T* a, std::uint64_t na, const T* b, std::uint64_t nb, Item item) {
  bool search = nb / kSkew > na;
  std::uint64_t j = 0;
  for (std::uint64_t i = 0; i < na; ++i) {
    T x = a[i];
    if (search) {
      j = lower_bound(b, nb, x);
    } else {
      if (j > 0 && b[j - 1] >= x) j = lower_bound(b, j, x);
      while (j < nb && b[j] < x) ++j;
    }
    item(x, j < nb && b[j] == x);
  }
}

template <bool Members, typename T>
std::uint64_t select(const T* a, std::uint64_t na, const T* b, std::uint64_t nb, T* out) {
  std::uint64_t found = 0;
  walk(a, na, b, nb, [&](T x, bool member) {
    out[found] = x;
    found += member == Members;
  });
  return found;
}

template <bool Members, typename T>
std::uint64_t count(const T* a, std::uint64_t na, const T* b, std::uint64_t nb) {
  std::uint64_t found = 0;
  walk(a, na, b, nb, [&](T, bool member) { found += member == Members; });
  return found;
}

template <typename T>
bool contains(const T* b, std::uint64_t nb, T x) {
  std::uint64_t at = lower_bound(b, nb, x);
  return at < nb && b[at] == x;
}

}  // namespace

extern "C" {

std::uint64_t rt_intersect_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                      std::uint64_t nb, std::uint32_t* out) {
  return select<true>(a, na, b, nb, out);
}

std::uint64_t rt_intersect_distinct_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                        std::uint64_t nb, std::uint32_t* out) {
  std::uint64_t found = 0, at = 0;
  // In most graphs all vertices are consecutive ranks.
  if (na != 0 && std::uint64_t{a[na - 1]} - a[0] == na - 1) {
    for (std::uint64_t i = 0; i < nb; ++i) {
      if (b[i] < a[0] || b[i] > a[na - 1] || (i != 0 && b[i] == b[i - 1])) continue;
      out[found++] = b[i];
    }
    return found;
  }
  if (na / kSkew <= nb) return select<true>(a, na, b, nb, out);
  for (std::uint64_t i = 0; i < nb; ++i) {
    if (i != 0 && b[i] == b[i - 1]) continue;
    at += lower_bound(a + at, na - at, b[i]);
    if (at == na) break;
    out[found] = b[i];
    found += a[at] == b[i];
  }
  return found;
}

std::uint64_t rt_intersect_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b, std::uint64_t nb,
                                      std::int64_t* out) {
  return select<true>(a, na, b, nb, out);
}

std::uint64_t rt_intersect_count_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                            std::uint64_t nb) {
  return count<true>(a, na, b, nb);
}

std::uint64_t rt_intersect_count_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b,
                                            std::uint64_t nb) {
  return count<true>(a, na, b, nb);
}

std::uint64_t rt_diff_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb,
                                 std::uint32_t* out) {
  return select<false>(a, na, b, nb, out);
}

std::uint64_t rt_diff_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b, std::uint64_t nb,
                                 std::int64_t* out) {
  return select<false>(a, na, b, nb, out);
}

std::uint64_t rt_diff_count_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                       std::uint64_t nb) {
  return count<false>(a, na, b, nb);
}

std::uint64_t rt_diff_count_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b,
                                       std::uint64_t nb) {
  return count<false>(a, na, b, nb);
}

bool rt_contains_u32(const std::uint32_t* b, std::uint64_t nb, std::uint32_t x) { return contains(b, nb, x); }

bool rt_contains_i64(const std::int64_t* b, std::uint64_t nb, std::int64_t x) { return contains(b, nb, x); }

std::uint64_t rt_lower_bound_i64(const std::int64_t* b, std::uint64_t nb, std::int64_t x) {
  return lower_bound(b, nb, x);
}

void rt_sort_u32(std::uint32_t* items, std::uint64_t count) { std::sort(items, items + count); }

void rt_sort_i64(std::int64_t* items, std::uint64_t count) { std::sort(items, items + count); }

}  // extern "C"

}  // namespace matcha::runtime
