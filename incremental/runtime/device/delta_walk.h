// Counts the matches of the edges of a batch: the search of incremental/runtime/delta_search.h, with the items of a set
// shared among the lanes of a group. The rest of a long loop is given to idle groups (`give`). Sums are exact, or
// `refused`.
#pragma once

#include "incremental/runtime/device/delta_sets.h"
#include "runtime/common/unit_tasks.h"

namespace matcha_program {

template <typename Group>
class DeltaWorker {
 public:
  MATCHA_MEMBER DeltaWorker(const DeltaLaunch& launch, u64 index, DeltaState& state)
      : launch_(launch),
        group_(Group::here()),
        state_(state),
        tasks_(launch, group_),
        sets_(launch, group_, index, state) {}

  /// Runs until all units and tasks of the launch are finished, or it should stop.
  MATCHA_MEMBER void work() {
    work_on_units();
    sets_.add_reads();
  }

 private:
  MATCHA_MEMBER void work_on_units() {
    u64 unit = 0, last = 0, begun = 0;
    bool fresh = true;  // There are unclaimed units.
    for (;;) {
      DeltaPart part{};
      if (unit == last) {
        if (begun != 0) {
          flush();
          tasks_.finish(begun);
        }
        if (fresh) {
          unit = tasks_.next_units();
          fresh = unit < launch_.unit_count;
          last = fresh ? smaller(unit + launch_.chunk, launch_.unit_count) : unit;
          begun = last - unit;
          if (!tasks_.poll()) return;
        }
        if (!fresh) {
          const auto read = [&part](const volatile DeltaPart& there) {
            part = {there.unit, there.depth, there.place, there.first, there.last};
          };
          if (!tasks_.take(read)) return;
          begun = 1;
        }
      }
      if (fresh) part = {u32(unit++), 2, 0, 0, ~0u};
      const bool is_over = !search(part);
      sets_.give_back_long_rooms();
      if (is_over) return;
    }
  }

  /// Bound of the sums of one group, so that the total stays within 128 bits.
  static constexpr f64 kMostBound = 1e26;

  /// Gives half of the rest of the outermost loop to an idle group, if any. `at` and `end` of `level` are those of the
  /// state.
  MATCHA_MEMBER void give(u32 base, u32 level, u32 unit) {
    constexpr u32 kDeepest = 3;
    if (!tasks_.is_wanted()) return;
    for (u32 depth = base; depth <= smaller(level, kDeepest); ++depth) {
      const u32 at = state_.at[depth], end = state_.end[depth];
      // The group keeps at least one item.
      const u32 left = end - at, given = depth == level ? left / 2 : (left + 1) / 2;
      if (given == 0) continue;
      const DeltaPart part{unit, depth, depth == kDeepest ? state_.places[2] : 0, end - given, end};
      if (!tasks_.push([&part](DeltaPart& there) { there = part; })) return;
      sets_.put(state_.end[depth], end - given);
      return;
    }
  }

  /// Does the steps after the vertex is placed; false if there is no match.
  MATCHA_MEMBER bool place(u32 vertex) const {
    const DeltaLevel& level = launch_.terms.levels[term_->level + vertex];
    for (u32 i = level.step; i < level.step_end; ++i) {
      if (!sets_.run(launch_.terms.steps[i])) return false;
    }
    return true;
  }

  MATCHA_MEMBER u64 value(const DeltaValue& value) const {
    u64 size = u64(state_.sizes[value.set]) - value.less;
    if (size == 0) return 0;
    for (u32 i = value.maybe; i < value.maybe_end; ++i) {
      const u32 x = state_.places[launch_.terms.numbers[i]];
      if (value.stored != 0) {
        size -= sets_.set(value.set).holds(x) ? 1 : 0;
      } else if (sets_.set(value.counted.from).holds(x)) {
        const bool adjacent = sets_.is_adjacent(value.counted.rows, value.counted.vertex, x);
        size -= adjacent == (value.counted.kind == kDeltaCountCommon) ? 1 : 0;
      }
    }
    return size;
  }

  /// All vertices with loops are placed: adds the number of ways to place the others. False: there are too many.
  MATCHA_MEMBER bool add_products() {
    u128 all = 1;
    f64 bound = 1;  // Never below the sum of absolute values, up to rounding.
    for (u32 g = term_->group; g < term_->group_end; ++g) {
      const DeltaGroup& group = launch_.terms.groups[g];
      u128 ways = 0;
      f64 most = 0;
      for (u32 p = group.product; p < group.product_end; ++p) {
        const DeltaProduct& product = launch_.terms.products[p];
        u128 one = u128(i128(product.factor));
        f64 size = product.factor < 0 ? -f64(product.factor) : f64(product.factor);
        for (u32 i = product.value; i < product.value_end && one != 0; ++i) {
          const u64 factor = value(launch_.terms.values[launch_.terms.numbers[i]]);
          one *= factor;
          size = matcha_program::product(size, f64(factor));
        }
        if (one == 0) continue;
        ways += one;
        most += size;
        if (most > kMostBound) return refuse();
      }
      if (ways == 0) return true;
      all *= ways;
      bound = matcha_program::product(bound, most);
      if (bound > kMostBound) return refuse();
    }
    sum_ += all;
    bound_ += bound;
    return bound_ < kMostBound || refuse();
  }

  /// All vertices with loops are placed. False: the launch should end.
  MATCHA_MEMBER bool add_leaf() {
    if (term_->listed == 0) return add_products();
    return sets_.add_match(listed_, term_->walked) || tasks_.stop();
  }

  MATCHA_MEMBER bool refuse() const {
    tasks_.refuse();
    return false;
  }

  /// Adds the matches found to the sum of the term and slot.
  MATCHA_MEMBER void flush() {
    if (sum_ != 0 && group_.leads()) {
      DeltaSum& sum = launch_.sums[summed_];
      atomic_add_wide(&sum.low, &sum.high, sum_);
    }
    sum_ = 0;
    bound_ = 0;
  }

  /// Places the ends and does the steps that follow; false if there is no match.
  MATCHA_MEMBER bool begin(const DeltaUnit& unit) {
    const DeltaUpdate update = launch_.updates[unit.update];
    const u64 sum = update.slot * launch_.sums_of_slot + unit.term;
    if (summed_ != sum) flush();
    summed_ = sum;
    term_ = &launch_.terms.terms[unit.term];
    listed_ = unit.term;
    sets_.set_update(unit.update);
    u32 a = update.u, b = update.v;
    // Iterates over the neighbours of the end with fewer of them; every part of the unit decides the same.
    if (term_->swappable != 0 && sets_.neighbors(a, term_->layer) > sets_.neighbors(b, term_->layer)) {
      const u32 c = a;
      a = b;
      b = c;
    }
    sets_.put(state_.places[0], a);
    sets_.put(state_.places[1], b);
    constexpr u32 kAny = 0, kWanted = 1;
    if (term_->back != kAny && sets_.is_adjacent(0, 1, a) != (term_->back == kWanted)) return false;
    return sets_.has_arcs(term_->end, term_->end_end) && place(1);
  }

  /// The candidates of a vertex.
  MATCHA_MEMBER DeltaSet candidates(u32 vertex) const {
    return sets_.set(launch_.terms.levels[term_->level + vertex].candidates);
  }
  MATCHA_MEMBER void enter(u32 vertex, u32 first, u32 last) const {
    const u32 size = candidates(vertex).size;
    sets_.put(state_.at[vertex], smaller(first, size));
    sets_.put(state_.end[vertex], smaller(last, size));
  }
  MATCHA_MEMBER bool is_taken(u32 vertex, u32 item) const {
    const DeltaLevel& level = launch_.terms.levels[term_->level + vertex];
    bool taken = false;
    for (u32 i = level.other; i < level.other_end; ++i) {
      taken = taken || state_.places[launch_.terms.numbers[i]] == item;
    }
    return taken;
  }

  /// Counts a part of a unit; false: the launch should end.
  MATCHA_MEMBER bool search(const DeltaPart& part) {
    if (!begin(launch_.units[part.unit])) return true;
    if (term_->walked == 2) return add_leaf();
    const u32 base = part.depth;
    if (base == 3) {
      sets_.put(state_.places[2], part.place);
      if (!place(2)) return true;
    }
    enter(base, part.first, part.last);
    // A long loop is given away before it begins, so that many groups share it after a few exchanges.
    constexpr u32 kLong = 8;
    u32 level = base, tried = state_.end[base] - state_.at[base] > kLong ? u32(launch_.tried) : 0;
    for (;;) {
      const u32 at = state_.at[level];
      if (at >= state_.end[level]) {
        if (level == base) return true;
        --level;
        continue;
      }
      if (++tried >= launch_.tried) {
        tried = 0;
        if (!tasks_.poll()) return false;
        give(base, level, part.unit);
      }
      const u32 item = candidates(level).items[at];
      sets_.put(state_.at[level], at + 1);
      if (is_taken(level, item)) continue;
      sets_.put(state_.places[level], item);
      if (!place(level)) continue;
      if (level + 1 == term_->walked) {
        if (!add_leaf()) return false;
      } else {
        enter(++level, 0, ~0u);
      }
    }
  }

  const DeltaLaunch& launch_;
  Group group_;
  DeltaState& state_;
  UnitTasks<Group, DeltaLaunch> tasks_;
  DeltaSets<Group> sets_;
  const DeltaTerm* term_ = nullptr;
  u32 listed_ = 0;      ///< The number of `term_`.
  u64 summed_ = ~0ull;  ///< The index in the sums of `sum_`.
  u128 sum_ = 0;
  f64 bound_ = 0;
};

}  // namespace matcha_program
