#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace matcha::runtime::stream {

/// Allocates memory for `items` items, which lives as long as the pointer. Throws std::bad_alloc.
using ItemMemory = std::function<std::shared_ptr<std::uint32_t[]>(std::uint64_t items)>;

/// Allocates arrays of 4-byte items by size classes, from slabs. Freed arrays are reused.
class ArrayPool {
 public:
  ArrayPool() = default;
  /// With slabs from `memory` instead of the heap.
  explicit ArrayPool(ItemMemory memory) : memory_(std::move(memory)) {}
  ArrayPool(const ArrayPool&) = delete;
  ArrayPool& operator=(const ArrayPool&) = delete;

  /// The smallest class for `items` items; capacities are 2, 4, then four for each power of two.
  static std::uint32_t class_of(std::uint64_t items);
  static std::uint64_t capacity_of(std::uint32_t size_class);
  /// The capacity of a new or growing row of `items` items: a quarter more.
  static std::uint64_t with_spare(std::uint64_t items) { return items + items / 4; }
  /// True if `items` items may stay in an array of the class: it is neither too small nor more than twice as large as
  /// needed.
  static bool fits(std::uint32_t size_class, std::uint64_t items) {
    const std::uint64_t capacity = capacity_of(size_class);
    return items <= capacity && (capacity <= 8 || with_spare(items) * 2 >= capacity);
  }

  /// Ensures that the next allocations, up to `items` items, need no other memory. Throws std::bad_alloc.
  void reserve(std::uint64_t items);
  /// Throws std::bad_alloc.
  std::uint32_t* take(std::uint32_t size_class);
  void give_back(std::uint32_t* array, std::uint32_t size_class);
  /// Bytes of all slabs, used or not.
  std::uint64_t bytes() const { return bytes_; }
  const ItemMemory& memory() const { return memory_; }

 private:
  void add_slab(std::uint64_t items);

  ItemMemory memory_;  ///< Empty: uses the heap.
  std::vector<std::shared_ptr<std::uint32_t[]>> slabs_;
  std::vector<std::vector<std::uint32_t*>> free_;  ///< By class.
  std::uint32_t* rest_ = nullptr;                  ///< The rest of the last slab,
  std::uint64_t rest_items_ = 0;                   ///< and its number of items.
  std::uint64_t bytes_ = 0;
};

}  // namespace matcha::runtime::stream
