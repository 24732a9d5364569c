#include "ir/analysis/sum_bounds.h"

#include <algorithm>
#include <cstdint>

#include "ir/analysis/bits.h"
#include "ir/analysis/blocks.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

constexpr __int128 kMostInList = __int128{1} << 40;       ///< As in Facts.
constexpr __int128 kMostInSet = (__int128{1} << 32) - 2;  ///< Ranks are 32-bit and the two highest are reserved.
constexpr __int128 kTooMuch = __int128{1} << 80;

__int128 product(__int128 a, __int128 b) { return a != 0 && b > kTooMuch / a ? kTooMuch : std::min(a * b, kTooMuch); }

/// An upper bound of the size of a list.
__int128 most_items(const Facts& facts, const Expr& list) {
  if (list.kind == Kind::Literal) return static_cast<__int128>(list.operands.size());
  if (list.type->bits) return most_items(facts, *base_of(facts, rows_of(facts, &list)));
  const Expr& value = *resolve(facts, &list);
  const ConstInt* end = value.kind == Kind::Span ? as<ConstInt>(value.operands[2]) : nullptr;
  if (end != nullptr) return std::max<std::int64_t>(end->value, 0);
  bool vids = list.type->is_set() && list.type->columns[0]->is_scalar(ScalarKind::Vid);
  return vids && facts.list(&list).unique ? kMostInSet : kMostInList;
}

SumBound value_bound(const Facts& facts, const Expr& value) {
  const Range range = facts.range(&value);
  SumBound result{std::max(-__int128{range.low}, __int128{range.high}), range.low < 0};
  if (value.kind == Kind::Size) result.magnitude = std::min(result.magnitude, most_items(facts, *value.operands[0]));
  return result;
}

}  // namespace

bool SumBound::fits_64_bits() const { return magnitude <= (negative ? __int128{INT64_MAX} : __int128{UINT64_MAX}); }

SumBound sum_bound(const Facts& facts, const For& loop, const Var* sink) {
  SumBound result = sum_bound(facts, *loop.body, sink);
  __int128 trips = kMostInList;
  for (const Expr* list : loop.lists) trips = std::min(trips, most_items(facts, *list));
  result.magnitude = product(result.magnitude, trips);
  return result;
}

SumBound sum_bound(const Facts& facts, const Block& block, const Var* sink) {
  SumBound result;
  const auto add = [&](const SumBound& more) {
    result.magnitude = std::min(result.magnitude + more.magnitude, kTooMuch);
    result.negative = result.negative || more.negative;
  };
  for (const Stmt* s : block.body) {
    match(
        *s,
        [&](const Yield& y) {
          if (y.sink == sink) add(value_bound(facts, *y.values[0]));
        },
        [&](const For& f) { add(sum_bound(facts, f, sink)); },
        [&](const OneOf<Block, If, Collect> auto& i) {
          for_each_block(i, [&](const Block& inner) { add(sum_bound(facts, inner, sink)); });
        },
        [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
  }
  return result;
}

}  // namespace matcha::ir
