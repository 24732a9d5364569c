#include "runtime/graph/detail/id_set.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace matcha::runtime::detail {

namespace {

constexpr std::uint64_t kWord = 64;

template <typename Use>
void for_each_bit(const std::vector<std::uint64_t>& words, const Use& use) {
  for (std::uint64_t at = 0; at < words.size(); ++at) {
    for (std::uint64_t left = words[at]; left != 0; left &= left - 1) {
      use(static_cast<std::int64_t>(at * kWord + static_cast<std::uint64_t>(std::countr_zero(left))));
    }
  }
}

}  // namespace

void IdSet::add(const std::int64_t* ids, std::uint64_t count) {
  if (in_bits_ && add_bits(ids, count)) return;
  if (in_bits_) leave_bits();
  fresh_.insert(fresh_.end(), ids, ids + count);
  if (fresh_.size() >= most_fresh_) merge();
}

bool IdSet::add_bits(const std::int64_t* ids, std::uint64_t count) {
  std::uint64_t largest = 0;
  for (std::uint64_t at = 0; at < count; ++at) largest = std::max(largest, static_cast<std::uint64_t>(ids[at]));
  if (count == 0) return true;
  if (largest >= most_bits_) return false;
  const std::uint64_t words = largest / kWord + 1;
  if (bits_.size() < words) bits_.resize(std::min(std::max(words, 2 * bits_.size()), most_bits_ / kWord + 1));
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::uint64_t id = static_cast<std::uint64_t>(ids[at]);
    bits_[id / kWord] |= std::uint64_t{1} << id % kWord;
  }
  return true;
}

void IdSet::leave_bits() {
  in_bits_ = false;
  for_each_bit(bits_, [&](std::int64_t id) { sorted_.push_back(id); });
  bits_ = {};
}

void IdSet::merge() {
  tbb::parallel_sort(fresh_.begin(), fresh_.end());
  fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
  std::vector<std::int64_t> all;
  all.reserve(sorted_.size() + fresh_.size());
  std::set_union(sorted_.begin(), sorted_.end(), fresh_.begin(), fresh_.end(), std::back_inserter(all));
  sorted_ = std::move(all);
  fresh_.clear();
}

Buffer<std::int64_t> IdSet::take() {
  std::uint64_t count = 0;
  if (in_bits_) {
    for (const std::uint64_t word : bits_) count += static_cast<std::uint64_t>(std::popcount(word));
  } else {
    merge();
    count = sorted_.size();
  }
  Buffer<std::int64_t> ids(count);
  std::int64_t* out = ids.data();
  if (in_bits_) {
    for_each_bit(bits_, [&](std::int64_t id) { *out++ = id; });
  } else {
    std::copy(sorted_.begin(), sorted_.end(), out);
  }
  in_bits_ = true;
  bits_ = {};
  sorted_ = {};
  fresh_ = {};
  return ids;
}

}  // namespace matcha::runtime::detail
