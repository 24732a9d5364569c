#pragma once

#include <cstdint>

#include "runtime/cpu/region.h"

/// Sorting and folding of rows in columns, and look-ups in tables. The order of items is total: numbers by value, -0
/// below +0, a NaN after all numbers.
namespace matcha::runtime {

/// A column of the rows that are read and of those that are written; they do not overlap.
struct RowColumn {
  const void* from;
  void* to;
  ElementKind kind;
};

/// The fate of rows of equal keys.
enum class RowFold : std::uint32_t { Keep, Sum, Min, Max };

/// A part of the key of a row: the column, and the item as a word (a rank, an i64 or a bool).
struct KeyPart {
  const void* items;
  std::uint64_t word;
  ElementKind kind;
};

extern "C" {

inline constexpr std::int64_t kRowsOverflow = -1;
inline constexpr std::int64_t kRowsMemory = -2;

/// Sorts `count` rows of `width` columns and folds those that agree in the first `keys`; `Keep` compares all columns
/// and folds nothing. `Sum`: the other columns are added, exactly, and rows of zeros alone are left out; `Min`, `Max`:
/// the least and the largest of them, compared from the left. Writes at most `count` rows. Returns the number of rows;
/// kRowsOverflow: a sum does not fit 64 bits; kRowsMemory: there is no memory. Cost: a sort, or one walk for sums of
/// ints by one rank.
std::int64_t rt_fold_rows(const RowColumn* columns, std::uint32_t width, std::uint32_t keys, std::uint32_t fold,
                          std::uint64_t count);

/// The position of `rank` among the ascending ranks of a table's rows; -1: it is not there. Cost: a comparison in a
/// table that has all smaller ranks too, else a binary search.
std::int64_t rt_find_rank(const std::uint32_t* ranks, std::uint64_t count, std::uint32_t rank);

/// The position of the row with a key in a table of `count` rows; -1: there is none. Cost: a binary search.
std::int64_t rt_find_row(const KeyPart* parts, std::uint32_t keys, std::uint64_t count);

}  // extern "C"

}  // namespace matcha::runtime
