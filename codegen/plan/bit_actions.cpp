#include <algorithm>
#include <bit>

#include "codegen/plan/actions.h"
#include "runtime/graph/graph.h"

/// Bit sets of positions in a short list. Words behind the last that may not be zero are not read.
namespace matcha::codegen::plan {

using runtime::TrapCode;

namespace {

constexpr Word kBits = 64;

/// The range of a set's possible positions: [low, high).
struct Range {
  Word low = 0;
  Word high = ~Word{0};

  Word words() const { return (high + kBits - 1) / kBits; }
  /// The bits of word `k` in the range. Requires: k < words().
  Word mask(Word k) const {
    Word bits = ~Word{0};
    if (high - k * kBits < kBits) bits >>= kBits - (high - k * kBits);
    if (low > k * kBits) bits = low - k * kBits < kBits ? bits & ~Word{0} << (low - k * kBits) : 0;
    return bits;
  }
};

Range range_of(const BitTable& set, const Word* r) {
  Range range;
  for (const Reg limit : set.limits) range.high = std::min(range.high, r[limit] * kBits);
  for (const Reg bound : set.below) range.high = std::min(range.high, r[bound]);
  for (const Reg bound : set.above) range.low = std::max(range.low, r[bound] + 1);
  return range;
}

/// Word `k` of the set; Requires: k < range.words().
Word word_of(const BitTable& set, const Range& range, const Word* r, Word k) {
  Word bits = range.mask(k);
  for (const Reg words : set.words) bits &= pointer<const Word>(r[words])[k];
  for (const BitTable& minus : set.minus) {
    const Range inside = range_of(minus, r);
    if (k < inside.words()) bits &= ~word_of(minus, inside, r, k);
  }
  return bits;
}

/// The common bits of whole words of one, two or three sets.
template <int sets>
inline __attribute__((always_inline)) Word count_words(const Word* const (&words)[3], Word begin, Word end) {
  Word count = 0;
  for (Word k = begin; k < end; ++k) {
    Word bits = words[0][k];
    if (sets > 1) bits &= words[1][k];
    if (sets > 2) bits &= words[2][k];
    count += static_cast<Word>(__builtin_popcountll(bits));
  }
  return count;
}

inline __attribute__((always_inline)) Word count_any(std::size_t sets, const Word* const (&words)[3], Word begin,
                                                     Word end) {
  return sets == 1   ? count_words<1>(words, begin, end)
         : sets == 2 ? count_words<2>(words, begin, end)
                     : count_words<3>(words, begin, end);
}

Word count_plainly(std::size_t sets, const Word* const (&words)[3], Word begin, Word end) {
  return count_any(sets, words, begin, end);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) Word count_by_instruction(std::size_t sets, const Word* const (&words)[3], Word begin,
                                                            Word end) {
  return count_any(sets, words, begin, end);
}
const auto kCount = __builtin_cpu_supports("popcnt") != 0 ? count_by_instruction : count_plainly;
#else
const auto kCount = count_plainly;
#endif

Word count_of(const BitTable& set, const Word* r) {
  const Range range = range_of(set, r);
  const Word words = range.words();
  const std::size_t sets = set.words.size();
  Word count = 0;
  if (sets == 0 || sets > 3 || !set.minus.empty()) {
    for (Word k = 0; k < words; ++k) count += static_cast<Word>(std::popcount(word_of(set, range, r, k)));
    return count;
  }
  const Word* sources[3] = {};
  for (std::size_t i = 0; i < sets; ++i) sources[i] = pointer<const Word>(r[set.words[i]]);
  Word begin = range.low / kBits;
  if (begin >= words) return 0;
  Word end = words;
  if (range.high % kBits != 0) --end;
  if (range.low % kBits != 0 && begin < end) {
    count += static_cast<Word>(std::popcount(word_of(set, range, r, begin)));
    ++begin;
  }
  count += kCount(sets, sources, begin, end);
  if (end < words) count += static_cast<Word>(std::popcount(word_of(set, range, r, end)));
  return count;
}

const BitTable& set_of(const Op* op) { return *pointer<const BitTable>(op->value); }

/// The next item of a walk: `state` holds the index of the next word, the number of words, and the rest of this one.
bool next_item(const Op* op, Word* r, const Range& range) {
  Word* state = r + op->a;
  while (state[2] == 0) {
    if (state[0] >= state[1]) return false;
    state[2] = word_of(set_of(op), range, r, state[0]++);
  }
  r[op->to] = (state[0] - 1) * kBits + static_cast<Word>(std::countr_zero(state[2]));
  state[2] &= state[2] - 1;
  return true;
}

// The same code is compiled twice: with the instruction that counts bits, and for processors without it.

inline __attribute__((always_inline)) const Op* count_two(const Op* op, Word* r) {
  const Word* const words[3] = {pointer<const Word>(r[op->a]), pointer<const Word>(r[op->b]), nullptr};
  r[op->to] = count_words<2>(words, 0, std::min(r[op->c], r[op->d]));
  return op + 1;
}

inline __attribute__((always_inline)) const Op* sum_common(const Op* op, Word* r) {
  const CommonForm& form = *pointer<const CommonForm>(op->value);
  const Range range = range_of(form.set, r);
  const Word* rows = pointer<const Word>(r[form.rows]);
  const Word stride = r[form.stride], limit = std::min(r[form.limit], stride), words = range.words();
  const Word* sets[3] = {pointer<const Word>(r[form.words]), nullptr, nullptr};
  Word total = 0;
  for (Word k = range.low / kBits; k < words; ++k) {
    for (Word left = word_of(form.set, range, r, k); left != 0; left &= left - 1) {
      const Word item = k * kBits + static_cast<Word>(std::countr_zero(left));
      sets[1] = rows + item * stride;
      total += count_words<2>(sets, 0, form.lower ? std::min(limit, (item + kBits - 1) / kBits) : limit);
    }
  }
  Word* sum = form.slot >= 0 ? &worker_of(r).slots[form.slot].low : r + op->to;
  set_wide(sum, wide(sum) + total);
  return op + 1;
}

const Op* count_two_plainly(const Op* op, Word* r) { return count_two(op, r); }
const Op* sum_common_plainly(const Op* op, Word* r) { return sum_common(op, r); }
#if defined(__x86_64__)
__attribute__((target("popcnt"))) const Op* count_two_by_instruction(const Op* op, Word* r) { return count_two(op, r); }
__attribute__((target("popcnt"))) const Op* sum_common_by_instruction(const Op* op, Word* r) {
  return sum_common(op, r);
}
const bool kCounts = __builtin_cpu_supports("popcnt") != 0;
const Action kCountTwo = kCounts ? count_two_by_instruction : count_two_plainly;
const Action kSumCommon = kCounts ? sum_common_by_instruction : sum_common_plainly;
#else
const Action kCountTwo = count_two_plainly;
const Action kSumCommon = sum_common_plainly;
#endif

}  // namespace

namespace act {

Action bits_count_two() { return kCountTwo; }
Action bits_sum_common() { return kSumCommon; }

const Op* bit_row(const Op* op, Word* r) {
  r[op->to] = word(pointer<const Word>(r[op->a]) + r[op->b] * r[op->c]);
  return op + 1;
}

const Op* store_rows(const Op* op, Word* r) {
  const Word size = r[op->a], stride = r[op->c];
  if (size * stride > r[op->d]) return trap(op, r, TrapCode::CapacityExceeded);
  // Tasks that walk parts of one position one after the other make its rows once.
  if ((op->n & kOuterLevel) != 0 && worker_of(r).kept_position == r[op->value] + 1) return op + 1;
  const runtime::CpuGraphView& view = graph_of(r[op->b]);
  const std::uint32_t* items = pointer<const std::uint32_t>(r[op->a + 1]);
  Word* out = pointer<Word>(r[op->to]);
  for (Word i = 0; i < size; ++i, out += stride) {
    runtime::ArcRange arcs = runtime::arcs_of(view.graph, items[i]);
    const bool lower = (op->n & kLowerRows) != 0;
    if (lower) arcs.end = half_offset(view.halves, 2 * std::uint64_t{items[i]} + 1);
    if ((op->n & kUpperRows) != 0) arcs.begin = half_offset(view.halves, 2 * std::uint64_t{items[i]} + 1);
    sets_of(r).member_bits(items, lower ? i : size, view.graph.neighbors + arcs.begin, arcs.end - arcs.begin, out);
  }
  return op + 1;
}

const Op* bits_count(const Op* op, Word* r) {
  r[op->to] = count_of(set_of(op), r);
  return op + 1;
}

const Op* bits_contain(const Op* op, Word* r) {
  const BitTable& set = set_of(op);
  const Range range = range_of(set, r);
  const Word position = r[op->a], k = position / kBits;
  r[op->to] = k < range.words() ? word_of(set, range, r, k) >> position % kBits & 1 : 0;
  return op + 1;
}

const Op* bits_store(const Op* op, Word* r) {
  const BitTable& set = set_of(op);
  const Range range = range_of(set, r);
  const Word words = range.words();
  if (words > r[op->b]) return trap(op, r, TrapCode::CapacityExceeded);
  Word* out = pointer<Word>(r[op->a]);
  if (set.words.size() == 2 && set.minus.empty() && range.low == 0) {
    const Word* a = pointer<const Word>(r[set.words[0]]);
    const Word* b = pointer<const Word>(r[set.words[1]]);
    for (Word k = 0; k < words; ++k) out[k] = a[k] & b[k];
    if (words != 0) out[words - 1] &= range.mask(words - 1);
  } else {
    for (Word k = 0; k < words; ++k) out[k] = word_of(set, range, r, k);
  }
  r[op->to] = words;
  return op + 1;
}

const Op* bits_begin(const Op* op, Word* r) {
  const Range range = range_of(set_of(op), r);
  Word* state = r + op->a;
  state[0] = std::min(range.low / kBits, range.words());
  state[1] = range.words();
  state[2] = 0;
  if (op->b != 0) r[op->b] = 0;
  return next_item(op, r, range) ? op + 1 : op->target;
}

const Op* bits_next(const Op* op, Word* r) {
  if (op->b != 0) ++r[op->b];
  Word* state = r + op->a;
  if (state[2] != 0) {
    r[op->to] = (state[0] - 1) * kBits + static_cast<Word>(std::countr_zero(state[2]));
    state[2] &= state[2] - 1;
    return op->target;
  }
  return next_item(op, r, range_of(set_of(op), r)) ? op->target : op + 1;
}

}  // namespace act

}  // namespace matcha::codegen::plan
