#pragma once

#include <cstdint>

/// Membership against an ascending list, for operands that are not "ascending ranks without repeats": `a` has any order
/// and keeps its repeats, `b` is ascending and may repeat. `out` needs room for `na` items and may be `a` itself. Each
/// returns the number of items of the result. Cost: a merge while `a` ascends, else a binary search for each item.
namespace matcha::runtime {

extern "C" {

std::uint64_t rt_intersect_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                      std::uint64_t nb, std::uint32_t* out);
/// For ascending `a` without repeats; `out` needs room for min(na, nb) items plus one, and is not `a`. Cost:
/// proportional to the shorter list if the lengths differ much.
std::uint64_t rt_intersect_distinct_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                        std::uint64_t nb, std::uint32_t* out);
std::uint64_t rt_intersect_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b, std::uint64_t nb,
                                      std::int64_t* out);
std::uint64_t rt_intersect_count_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                            std::uint64_t nb);
std::uint64_t rt_intersect_count_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b,
                                            std::uint64_t nb);
std::uint64_t rt_diff_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb,
                                 std::uint32_t* out);
std::uint64_t rt_diff_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b, std::uint64_t nb,
                                 std::int64_t* out);
std::uint64_t rt_diff_count_sorted_u32(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b,
                                       std::uint64_t nb);
std::uint64_t rt_diff_count_sorted_i64(const std::int64_t* a, std::uint64_t na, const std::int64_t* b,
                                       std::uint64_t nb);

/// True if `x` is in the ascending list `b`.
bool rt_contains_u32(const std::uint32_t* b, std::uint64_t nb, std::uint32_t x);
bool rt_contains_i64(const std::int64_t* b, std::uint64_t nb, std::int64_t x);

/// Position of the first item not below `x` in the ascending list `b`.
std::uint64_t rt_lower_bound_i64(const std::int64_t* b, std::uint64_t nb, std::int64_t x);

/// Sorts in place, ascending.
void rt_sort_u32(std::uint32_t* items, std::uint64_t count);
void rt_sort_i64(std::int64_t* items, std::uint64_t count);

}  // extern "C"

}  // namespace matcha::runtime
