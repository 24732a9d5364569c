#include <algorithm>

#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/bits.h"
#include "ir/match.h"

/// Which sums of ints may be carried in 64 bits, and where.
namespace matcha::codegen::jit {

using llvm::Value;

namespace {

constexpr __int128 kLongestList = __int128{1} << 40;       ///< As in `ir::Facts`.
constexpr __int128 kLongestSet = (__int128{1} << 32) - 2;  ///< Ranks are 32-bit and the two highest are reserved.
constexpr __int128 kTooMuch = __int128{1} << 80;

__int128 product(__int128 a, __int128 b) { return a != 0 && b > kTooMuch / a ? kTooMuch : std::min(a * b, kTooMuch); }

}  // namespace

/// A bound on the size of a list.
__int128 FunctionEmitter::most_items(const ir::Expr& list_expr) const {
  if (list_expr.kind == ir::Kind::Literal) return static_cast<__int128>(list_expr.operands.size());
  if (list_expr.type->bits) return most_items(*ir::base_of(module_.facts(), ir::rows_of(module_.facts(), &list_expr)));
  const ir::Expr& list = module_.resolve(list_expr);
  const ir::ConstInt* end = list.kind == ir::Kind::Span ? ir::as<ir::ConstInt>(list.operands[2]) : nullptr;
  if (end != nullptr) return std::max<std::int64_t>(end->value, 0);
  bool vids = list_expr.type->is_set() && list_expr.type->columns[0]->is_scalar(ir::ScalarKind::Vid);
  return vids && module_.facts().list(&list_expr).unique ? kLongestSet : kLongestList;
}

Total FunctionEmitter::value_bound(const ir::Expr& value) const {
  ir::Range range = module_.facts().range(&value);
  Total result{std::max(-__int128{range.low}, __int128{range.high}), range.low < 0};
  if (value.kind == ir::Kind::Size) result.magnitude = std::min(result.magnitude, most_items(*value.operands[0]));
  return result;
}

Total FunctionEmitter::total_of(const ir::For& loop, const ir::Var* sink) const {
  Total result = total_of(*loop.body, sink);
  __int128 trips = kLongestList;
  for (const ir::Expr* list_expr : loop.lists) trips = std::min(trips, most_items(*list_expr));
  result.magnitude = product(result.magnitude, trips);
  return result;
}

Total FunctionEmitter::total_of(const ir::Block& block, const ir::Var* sink) const {
  Total result;
  const auto add = [&](const Total& more) {
    result.magnitude = std::min(result.magnitude + more.magnitude, kTooMuch);
    result.negative = result.negative || more.negative;
  };
  for (const ir::Stmt* s : block.body) {
    ir::match(
        *s,
        [&](const ir::Yield& y) {
          if (y.sink == sink) add(value_bound(*y.values[0]));
        },
        [&](const ir::For& f) { add(total_of(f, sink)); },
        [&](const ir::If& i) {
          add(total_of(*i.then_body, sink));
          if (i.maybe_else != nullptr) add(total_of(*i.maybe_else, sink));
        },
        [&](const ir::Block& b) { add(total_of(b, sink)); },
        [&](const ir::Collect& c) { add(total_of(*c.body, sink)); },
        [](const ir::OneOf<ir::Let, ir::BuildGraph, ir::Return, ir::Region, ir::Store> auto&) {});
  }
  return result;
}

/// Before a loop: the sums of 128 bits whose part from this loop fits 64 get an accumulator of that width for its time.
void FunctionEmitter::open_partial_sums(const ir::For& s) {
  partial_marks_.push_back(partial_sums_.size());
  for (const ir::Var* var : open_sums_) {
    OpenSink& sink = sinks_.at(var);
    if (sink.value->getAllocatedType() != i128_) continue;
    Total total = total_of(s, var);
    bool fits = total.magnitude <= (total.negative ? __int128{INT64_MAX} : __int128{UINT64_MAX});
    if (!fits || total.magnitude == 0) continue;
    PartialSum partial{var, sink.value, local(i64_, name_of(*var)), total.negative};
    b_.CreateStore(integer(0), partial.part);
    sink.value = partial.part;
    partial_sums_.push_back(partial);
  }
}

void FunctionEmitter::add_partial(const PartialSum& partial) {
  Value* part = b_.CreateLoad(i64_, partial.part);
  Value* wide = partial.negative ? b_.CreateSExt(part, i128_) : b_.CreateZExt(part, i128_);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i128_, partial.whole), wide), partial.whole);
}

void FunctionEmitter::close_partial_sums() {
  while (partial_sums_.size() > partial_marks_.back()) {
    add_partial(partial_sums_.back());
    sinks_.at(partial_sums_.back().sink).value = partial_sums_.back().whole;
    partial_sums_.pop_back();
  }
  partial_marks_.pop_back();
}

}  // namespace matcha::codegen::jit
