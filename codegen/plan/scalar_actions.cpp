#include <cmath>
#include <optional>

#include "codegen/plan/actions.h"
#include "ir/check.h"
#include "runtime/cpu/missing_key.h"
#include "runtime/graph/universe.h"

#include "codegen/cpu/frame.h"

/// Scalars, jumps, the frame.
namespace matcha::codegen::plan {

using runtime::TrapCode;

const Op* trap(const Op* op, Word* r, TrapCode code) {
  const Place& place = *op->place;
  runtime::RegionContext& context = context_of(r);
  if (r[kWorker] != 0) {
    runtime::rt_trap(&context, static_cast<std::uint32_t>(code), place.line, place.column, place.file);
    return nullptr;
  }
  context.error_code = static_cast<std::uint32_t>(code);
  context.error_line = place.line;
  context.error_column = place.column;
  context.error_file = place.file;
  runtime::take_noted_index(context);
  return nullptr;
}

namespace {

std::int64_t whole(Word word) { return static_cast<std::int64_t>(word); }

template <auto compute>
const Op* binary(const Op* op, Word* r) {
  r[op->to] = compute(r[op->a], r[op->b]);
  return op + 1;
}

template <auto overflows>
const Op* checked(const Op* op, Word* r) {
  std::int64_t result = 0;
  if (overflows(whole(r[op->a]), whole(r[op->b]), &result)) [[unlikely]]
    return trap(op, r, TrapCode::IntegerOverflow);
  r[op->to] = static_cast<Word>(result);
  return op + 1;
}

template <auto overflows>
const Op* checked_wide(const Op* op, Word* r) {
  __int128 result = 0;
  if (overflows(wide(r + op->a), wide(r + op->b), &result)) return trap(op, r, TrapCode::IntegerOverflow);
  set_wide(r + op->to, result);
  return op + 1;
}

/// The lowest number of a type has no counterpart.
template <typename T>
constexpr T kLowest = static_cast<T>(static_cast<unsigned __int128>(1) << (sizeof(T) * 8 - 1));

template <typename T>
T number(const Word* r, Reg reg) {
  if constexpr (sizeof(T) == sizeof(__int128)) return wide(r + reg);
  return static_cast<T>(whole(r[reg]));
}

template <typename T>
void set_number(Word* r, Reg reg, T value) {
  if constexpr (sizeof(T) == sizeof(__int128)) {
    set_wide(r + reg, value);
  } else {
    r[reg] = static_cast<Word>(value);
  }
}

template <typename T, bool quotient>
const Op* divide(const Op* op, Word* r) {
  const T a = number<T>(r, op->a), b = number<T>(r, op->b);
  if (b == 0) return trap(op, r, TrapCode::DivisionByZero);
  if (b == -1) {
    if (quotient && a == kLowest<T>) return trap(op, r, TrapCode::IntegerOverflow);
    set_number<T>(r, op->to, quotient ? -a : 0);
    return op + 1;
  }
  set_number<T>(r, op->to, quotient ? a / b : a % b);
  return op + 1;
}

template <bool quotient>
const Op* divide_real(const Op* op, Word* r) {
  const double a = real(r[op->a]), b = real(r[op->b]);
  if (b == 0.0) return trap(op, r, TrapCode::DivisionByZero);
  r[op->to] = word(quotient ? a / b : std::fmod(a, b));
  return op + 1;
}

template <typename T>
const Op* negate(const Op* op, Word* r) {
  const T a = number<T>(r, op->a);
  if (a == kLowest<T>) return trap(op, r, TrapCode::IntegerOverflow);
  set_number<T>(r, op->to, -a);
  return op + 1;
}

const Op* negate_real(const Op* op, Word* r) {
  r[op->to] = word(-real(r[op->a]));
  return op + 1;
}

constexpr auto kAddWhole = [](std::int64_t a, std::int64_t b, std::int64_t* to) {
  return __builtin_add_overflow(a, b, to);
};
constexpr auto kSubWhole = [](std::int64_t a, std::int64_t b, std::int64_t* to) {
  return __builtin_sub_overflow(a, b, to);
};
constexpr auto kMulWhole = [](std::int64_t a, std::int64_t b, std::int64_t* to) {
  return __builtin_mul_overflow(a, b, to);
};
constexpr auto kAddWide = [](__int128 a, __int128 b, __int128* to) { return __builtin_add_overflow(a, b, to); };
constexpr auto kSubWide = [](__int128 a, __int128 b, __int128* to) { return __builtin_sub_overflow(a, b, to); };
constexpr auto kMulWide = [](__int128 a, __int128 b, __int128* to) { return __builtin_mul_overflow(a, b, to); };
constexpr auto kAddReal = [](Word a, Word b) { return word(real(a) + real(b)); };
constexpr auto kSubReal = [](Word a, Word b) { return word(real(a) - real(b)); };
constexpr auto kMulReal = [](Word a, Word b) { return word(real(a) * real(b)); };

/// How operands of a comparison are read.
enum class As : std::uint8_t { Unsigned, Signed, Real, Wide };

template <ir::Comparison comparison, As as>
bool holds(const Word* r, Reg left, Reg right) {
  const auto compare = [](auto a, auto b) {
    if constexpr (comparison == ir::Comparison::Eq) return a == b;
    if constexpr (comparison == ir::Comparison::Ne) return a != b;
    if constexpr (comparison == ir::Comparison::Lt) return a < b;
    return a <= b;
  };
  if constexpr (as == As::Unsigned) return compare(r[left], r[right]);
  if constexpr (as == As::Signed) return compare(whole(r[left]), whole(r[right]));
  if constexpr (as == As::Real) return compare(real(r[left]), real(r[right]));
  return compare(wide(r + left), wide(r + right));
}

template <ir::Comparison comparison, As as>
const Op* compare(const Op* op, Word* r) {
  r[op->to] = holds<comparison, as>(r, op->a, op->b) ? 1 : 0;
  return op + 1;
}

template <ir::Comparison comparison, As as, bool wanted>
const Op* compare_jump(const Op* op, Word* r) {
  return holds<comparison, as>(r, op->a, op->b) == wanted ? op + 1 : op->target;
}

template <ir::Comparison comparison, As as>
Action comparison_of(int jump) {
  return jump == 0   ? compare<comparison, as>
         : jump == 1 ? compare_jump<comparison, as, true>
                     : compare_jump<comparison, as, false>;
}

template <As as>
Action comparison_as(ir::Kind kind, int jump) {
  switch (ir::comparison_of(kind)) {
    case ir::Comparison::Eq: return comparison_of<ir::Comparison::Eq, as>(jump);
    case ir::Comparison::Ne: return comparison_of<ir::Comparison::Ne, as>(jump);
    case ir::Comparison::Lt: return comparison_of<ir::Comparison::Lt, as>(jump);
    case ir::Comparison::Le: return comparison_of<ir::Comparison::Le, as>(jump);
  }
  MATCHA_UNREACHABLE("a comparison");
}

Action comparison(ir::Kind kind, ir::ScalarKind type, int jump) {
  switch (type) {
    case ir::ScalarKind::Bool:
    case ir::ScalarKind::Vid: return comparison_as<As::Unsigned>(kind, jump);
    case ir::ScalarKind::I64: return comparison_as<As::Signed>(kind, jump);
    case ir::ScalarKind::F64: return comparison_as<As::Real>(kind, jump);
    case ir::ScalarKind::I128: return comparison_as<As::Wide>(kind, jump);
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

template <typename T, bool smaller>
const Op* extreme_of(const Op* op, Word* r) {
  const T a = number<T>(r, op->a), b = number<T>(r, op->b);
  set_number<T>(r, op->to, (a < b) == smaller ? a : b);
  return op + 1;
}

constexpr auto kMinReal = [](Word a, Word b) { return word(runtime::rt_min_f64(real(a), real(b))); };
constexpr auto kMaxReal = [](Word a, Word b) { return word(runtime::rt_max_f64(real(a), real(b))); };

const Op* whole_to_real(const Op* op, Word* r) {
  r[op->to] = word(static_cast<double>(whole(r[op->a])));
  return op + 1;
}

const Op* whole_to_wide(const Op* op, Word* r) {
  set_wide(r + op->to, whole(r[op->a]));
  return op + 1;
}

const Op* wide_to_real(const Op* op, Word* r) {
  r[op->to] = word(static_cast<double>(wide(r + op->a)));
  return op + 1;
}

}  // namespace

Action arithmetic(ir::Kind kind, ir::ScalarKind type) {
  const bool is_real = type == ir::ScalarKind::F64, is_wide = type == ir::ScalarKind::I128;
  switch (ir::arithmetic_of(kind)) {
    case ir::Arithmetic::Add: return is_real ? binary<kAddReal> : is_wide ? checked_wide<kAddWide> : checked<kAddWhole>;
    case ir::Arithmetic::Sub: return is_real ? binary<kSubReal> : is_wide ? checked_wide<kSubWide> : checked<kSubWhole>;
    case ir::Arithmetic::Mul: return is_real ? binary<kMulReal> : is_wide ? checked_wide<kMulWide> : checked<kMulWhole>;
    case ir::Arithmetic::Div:
      return is_real ? divide_real<true> : is_wide ? divide<__int128, true> : divide<std::int64_t, true>;
    case ir::Arithmetic::Mod:
      return is_real ? divide_real<false> : is_wide ? divide<__int128, false> : divide<std::int64_t, false>;
  }
  MATCHA_UNREACHABLE("an arithmetic operation");
}

Action negation(ir::ScalarKind type) {
  return type == ir::ScalarKind::F64    ? negate_real
         : type == ir::ScalarKind::I128 ? negate<__int128>
                                        : negate<std::int64_t>;
}

Action extreme(ir::Kind kind, ir::ScalarKind type) {
  const bool smaller = kind == ir::Kind::Min;
  if (type == ir::ScalarKind::F64) return smaller ? binary<kMinReal> : binary<kMaxReal>;
  if (type == ir::ScalarKind::I128) return smaller ? extreme_of<__int128, true> : extreme_of<__int128, false>;
  return smaller ? extreme_of<std::int64_t, true> : extreme_of<std::int64_t, false>;
}

Action comparison(ir::Kind kind, ir::ScalarKind type) { return comparison(kind, type, 0); }
Action jump_unless(ir::Kind kind, ir::ScalarKind type, bool wanted) { return comparison(kind, type, wanted ? 1 : 2); }

Action conversion(ir::ScalarKind from, ir::ScalarKind to) {
  if (to == ir::ScalarKind::Vid) return act::rank_of;
  switch (from) {
    case ir::ScalarKind::Bool: return nullptr;
    case ir::ScalarKind::Vid: return act::original_id;
    case ir::ScalarKind::I64: return to == ir::ScalarKind::F64 ? whole_to_real : whole_to_wide;
    case ir::ScalarKind::I128: return to == ir::ScalarKind::F64 ? wide_to_real : act::check_fits;
    case ir::ScalarKind::F64: break;
  }
  MATCHA_UNREACHABLE("a conversion");
}

namespace act {

const Op* end(const Op*, Word*) { return nullptr; }
const Op* jump(const Op* op, Word*) { return op->target; }
const Op* jump_if(const Op* op, Word* r) { return r[op->a] != 0 ? op->target : op + 1; }
const Op* jump_unless(const Op* op, Word* r) { return r[op->a] == 0 ? op->target : op + 1; }
const Op* jump_if_part(const Op* op, Word* r) { return r[kLast] != kAllItems ? op->target : op + 1; }

const Op* copy(const Op* op, Word* r) {
  for (std::uint32_t i = 0; i < op->n; ++i) r[op->to + i] = r[op->a + i];
  return op + 1;
}
const Op* negate_bool(const Op* op, Word* r) {
  r[op->to] = r[op->a] ^ 1;
  return op + 1;
}
const Op* logarithm(const Op* op, Word* r) {
  r[op->to] = word(runtime::rt_log(real(r[op->a])));
  return op + 1;
}
const Op* square_root(const Op* op, Word* r) {
  r[op->to] = word(runtime::rt_sqrt(real(r[op->a])));
  return op + 1;
}
const Op* load_slot(const Op* op, Word* r) {
  const Word* frame = pointer<const Word>(r[kFrame]);
  for (std::uint32_t i = 0; i < op->n; ++i) r[op->to + i] = frame[op->value + i];
  return op + 1;
}
const Op* store_slot(const Op* op, Word* r) {
  Word* frame = pointer<Word>(r[kFrame]);
  for (std::uint32_t i = 0; i < op->n; ++i) frame[op->value + i] = r[op->a + i];
  return op + 1;
}
const Op* load_field(const Op* op, Word* r) {
  r[op->to] = *pointer<const Word>(r[op->a] + op->value);
  return op + 1;
}
const Op* buffer_column(const Op* op, Word* r) {
  r[op->to] = word(worker_of(r).scratch) + pointer<const Word>(r[kFrame])[op->value];
  return op + 1;
}
const Op* area_address(const Op* op, Word* r) {
  r[op->to] = r[kArea] + op->value;
  return op + 1;
}

const Op* trap_unless(const Op* op, Word* r) {
  if (r[op->a] == 0) [[unlikely]]
    return trap(op, r, static_cast<TrapCode>(op->value));
  return op + 1;
}
const Op* check_most(const Op* op, Word* r) {
  if (r[op->a] > r[op->b]) [[unlikely]]
    return trap(op, r, TrapCode::CapacityExceeded);
  return op + 1;
}
const Op* check_equal(const Op* op, Word* r) {
  if (r[op->a] != r[op->b]) [[unlikely]]
    return trap(op, r, TrapCode::LengthMismatch);
  return op + 1;
}
const Op* at_most(const Op* op, Word* r) {
  if (whole(r[op->a]) > whole(r[op->b])) return trap(op, r, TrapCode::CapacityExceeded);
  r[op->to] = r[op->a];
  return op + 1;
}
const Op* check_item(const Op* op, Word* r) {
  if (r[op->a] >= r[op->b]) [[unlikely]] {
    runtime::rt_note_index(whole(r[op->a]), op->n != 0 ? runtime::kOfTable : r[op->b]);
    return trap(op, r, TrapCode::IndexOutOfRange);
  }
  return op + 1;
}
const Op* check_fits(const Op* op, Word* r) {
  const __int128 value = wide(r + op->a);
  if (value != static_cast<std::int64_t>(value)) return trap(op, r, TrapCode::IntegerOverflow);
  r[op->to] = static_cast<Word>(value);
  return op + 1;
}
const Op* min_unsigned(const Op* op, Word* r) {
  r[op->to] = r[op->a] < r[op->b] ? r[op->a] : r[op->b];
  return op + 1;
}
const Op* multiply(const Op* op, Word* r) {
  r[op->to] = r[op->a] * r[op->b];
  return op + 1;
}
const Op* words_for(const Op* op, Word* r) {
  r[op->to] = (r[op->a] + 63) / 64;
  return op + 1;
}

const Op* original_id(const Op* op, Word* r) {
  const std::int64_t* ids = pointer<const std::int64_t>(pointer<const Word>(r[kFrame])[cpu::kOriginalIdsSlot]);
  const Word rank = r[op->a];
  r[op->to] = ids != nullptr ? static_cast<Word>(ids[rank]) : rank;
  return op + 1;
}
const Op* rank_of(const Op* op, Word* r) {
  const runtime::Universe& universe =
      *pointer<const runtime::Universe>(pointer<const Word>(r[kFrame])[cpu::kUniverseSlot]);
  const std::optional<std::uint32_t> rank = universe.rank(whole(r[op->a]));
  if (!rank) return trap(op, r, TrapCode::UnknownVertex);
  r[op->to] = *rank;
  return op + 1;
}

}  // namespace act

}  // namespace matcha::codegen::plan
