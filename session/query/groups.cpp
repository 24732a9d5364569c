#include "session/query/groups.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace matcha::session::statement {

namespace {

using Kind = Value::Kind;

constexpr const char* kBeyond = "the number of rows leaves 64 bits";
/// The approximate overhead of an entry of a set or a map.
constexpr std::uint64_t kBytesOfPlace = 64;

std::uint64_t bytes_of_row(const std::vector<Value>& row) {
  std::uint64_t bytes = kBytesOfPlace;
  for (const Value& value : row) bytes += bytes_of(value);
  return bytes;
}

}  // namespace

bool Aggregate::take_row(const query::Term& term, std::uint64_t weight, Progress& progress) {
  if (!__builtin_add_overflow(count_, weight, &count_)) return true;
  progress.fail(term.loc, kBeyond);
  return false;
}

bool Aggregate::take(const query::Term& term, const Value& value, std::uint64_t weight, Progress& progress) {
  if (value.is(Kind::Null)) return true;
  if (!term.is_distinct) return add(term, value, weight, progress);
  std::vector<Value> one = {value};
  const std::uint64_t bytes = bytes_of_row(one);
  if (!seen_.insert(std::move(one)).second) return true;
  return progress.keep(bytes, term.loc) && add(term, value, 1, progress);
}

bool Aggregate::add(const query::Term& term, const Value& value, std::uint64_t weight, Progress& progress) {
  if (!take_row(term, weight, progress)) return false;
  if (term.text == "min" || term.text == "max") {
    const bool is_better =
        best_.is(Kind::Null) || (term.text == "min" ? ordered(value, best_) < 0 : ordered(value, best_) > 0);
    if (is_better) best_ = value;
  } else if (term.text == "collect") {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(bytes_of(value), weight, &bytes)) bytes = ~std::uint64_t{0};
    if (!progress.keep(bytes, term.loc)) return false;
    items_.insert(items_.end(), weight, value);
  } else if (term.text != "count") {
    if (!value.is_number()) {
      progress.fail(term.loc, fmt::format("`{}` is of numbers, and this is {}", term.text, name_of(value.kind)));
      return false;
    }
    has_float_ = has_float_ || value.is(Kind::Float);
    if (value.is(Kind::Float)) float_sum_ += value.number * static_cast<double>(weight);
    if (value.is(Kind::Int)) {
      const __int128 more = static_cast<__int128>(value.integer) * static_cast<__int128>(weight);
      if (__builtin_add_overflow(sum_, more, &sum_)) {
        progress.fail(term.loc, "the sum leaves 128 bits");
        return false;
      }
    }
  }
  return true;
}

Value Aggregate::value(const query::Term& term, Progress& progress) const {
  if (term.text == "min" || term.text == "max") return best_;
  if (term.text == "collect") return Value::of_list(items_);
  if (term.text == "avg") {
    if (count_ == 0) return {};
    return Value::of_float((static_cast<double>(sum_) + float_sum_) / static_cast<double>(count_));
  }
  if (term.text == "sum" && has_float_) return Value::of_float(static_cast<double>(sum_) + float_sum_);
  const __int128 whole = term.text == "sum" ? sum_ : static_cast<__int128>(count_);
  constexpr __int128 kLeast = std::numeric_limits<std::int64_t>::min(),
                     kMost = std::numeric_limits<std::int64_t>::max();
  if (whole < kLeast || whole > kMost) {
    progress.fail(term.loc, fmt::format("the {} leaves 64 bits", term.text));
    return {};
  }
  return Value::of(Kind::Int, static_cast<std::int64_t>(whole));
}

bool Groups::take(std::vector<Value> key, Value* row, std::uint64_t weight) {
  const auto [found, is_new] = by_key_.try_emplace(std::move(key), groups_.size());
  if (is_new) {
    if (!progress_.keep(2 * bytes_of_row(found->first) + sizeof(Aggregate) * aggregates_.size(), loc_)) return false;
    groups_.push_back({found->first, std::vector<Aggregate>(aggregates_.size())});
  }
  Group& group = groups_[found->second];
  for (std::size_t at = 0; at < aggregates_.size(); ++at) {
    const query::Term& term = aggregates_[at];
    const bool is_taken = term.parts.empty() ? group.aggregates[at].take_row(term, weight, progress_)
                                             : group.aggregates[at].take(
                                                   term, evaluator_.value(term.parts.front(), row), weight, progress_);
    if (!is_taken || progress_.failure) return false;
  }
  return true;
}

void Groups::add_empty() { groups_.push_back({{}, std::vector<Aggregate>(aggregates_.size())}); }

}  // namespace matcha::session::statement
