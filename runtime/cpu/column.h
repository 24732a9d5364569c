#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "runtime/cpu/region.h"

namespace matcha::runtime {

/// A growing array of list elements of one kind. Growth does not initialise.
class Column {
 public:
  explicit Column(ElementKind kind) : kind_(kind) {}

  ElementKind kind() const { return kind_; }
  std::uint64_t size() const { return size_; }
  void* data() { return bytes_.get(); }
  const void* data() const { return bytes_.get(); }

  /// The elements as `T`, which must be the type of `kind()`.
  template <typename T>
  std::span<const T> view() const {
    return {static_cast<const T*>(data()), size_};
  }

  /// Makes room for `count` elements in all; false when there is no memory.
  [[nodiscard]] bool reserve(std::uint64_t count);
  /// Sets the number of elements; new ones are not initialised. False when there is no memory.
  [[nodiscard]] bool resize(std::uint64_t count);
  /// Appends `count` elements; false when there is no memory.
  [[nodiscard]] bool append(const void* items, std::uint64_t count);

 private:
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };

  ElementKind kind_;
  std::uint64_t size_ = 0;
  std::uint64_t capacity_ = 0;
  std::unique_ptr<void, Free> bytes_;
};

}  // namespace matcha::runtime
