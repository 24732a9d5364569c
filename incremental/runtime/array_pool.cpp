#include "incremental/runtime/array_pool.h"

#include <algorithm>
#include <bit>

namespace matcha::runtime::stream {

namespace {

constexpr std::uint64_t kLeastSlabItems = std::uint64_t{1} << 10, kSlabItems = std::uint64_t{1} << 16;
/// Used if allocation is slow.
constexpr std::uint64_t kMemorySlabItems = std::uint64_t{1} << 21;
/// An upper bound of the number of classes.
constexpr std::uint32_t kClasses = 160;
/// Classes for each power of two, from 4 items on; two smaller ones precede them.
constexpr std::uint32_t kSteps = 4;
constexpr std::uint32_t kSmall = 2;

}  // namespace

std::uint64_t ArrayPool::capacity_of(std::uint32_t size_class) {
  if (size_class < kSmall) return 2 * (std::uint64_t{size_class} + 1);
  const std::uint32_t step = size_class - kSmall + 1;
  return (kSteps + step % kSteps) << (step / kSteps);
}

std::uint32_t ArrayPool::class_of(std::uint64_t items) {
  if (items <= 2 * kSmall) return items <= 2 ? 0 : 1;
  // From 5 items on: (4 + q) << p, rounded up.
  const std::uint32_t p = static_cast<std::uint32_t>(std::bit_width(items - 1)) - 3;
  const std::uint64_t q = ((items - 1) >> p) + 1 - kSteps;
  return static_cast<std::uint32_t>(kSteps * p + q) + kSmall - 1;
}

void ArrayPool::add_slab(std::uint64_t items) {
  if (memory_) {
    slabs_.push_back(memory_(items));
  } else {
    slabs_.emplace_back(std::make_unique_for_overwrite<std::uint32_t[]>(items));
  }
  bytes_ += items * sizeof(std::uint32_t);
}

void ArrayPool::reserve(std::uint64_t items) {
  free_.resize(std::max<std::size_t>(free_.size(), kClasses));
  if (items <= rest_items_) return;
  add_slab(items);
  rest_ = slabs_.back().get();
  rest_items_ = items;
}

std::uint32_t* ArrayPool::take(std::uint32_t size_class) {
  if (size_class < free_.size() && !free_[size_class].empty()) {
    std::uint32_t* array = free_[size_class].back();
    free_[size_class].pop_back();
    return array;
  }
  const std::uint64_t items = capacity_of(size_class);
  if (free_.size() <= size_class) free_.resize(size_class + 1);
  if (items > rest_items_) {
    // A quarter of the present size, so that a small graph has little spare memory; a long array gets its own slab.
    const std::uint64_t most = memory_ ? kMemorySlabItems : kSlabItems;
    const std::uint64_t next = std::clamp(bytes_ / sizeof(std::uint32_t) / (memory_ ? 16 : 4), kLeastSlabItems, most);
    const bool is_long = items > next / 2;
    const std::uint64_t size = is_long ? items : next;
    add_slab(size);
    if (is_long) return slabs_.back().get();
    rest_ = slabs_.back().get();
    rest_items_ = size;
  }
  std::uint32_t* array = rest_;
  rest_ += items;
  rest_items_ -= items;
  return array;
}

void ArrayPool::give_back(std::uint32_t* array, std::uint32_t size_class) {
  if (free_.size() <= size_class) free_.resize(size_class + 1);
  free_[size_class].push_back(array);
}

}  // namespace matcha::runtime::stream
