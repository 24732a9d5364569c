#pragma once

#include <cstdint>
#include <cstring>

namespace matcha::runtime {

/// Integers that the caller owns, all of one type, `stride` bytes apart. Every item is aligned for its type.
struct IntColumn {
  enum class Kind : std::uint8_t { Int32, Uint32, Int64, Uint64 };

  const void* items = nullptr;
  std::uint64_t count = 0;
  Kind kind = Kind::Int64;
  std::int64_t stride = sizeof(std::int64_t);

  static IntColumn of(const std::int64_t* items, std::uint64_t count) { return {items, count}; }
};

/// A contiguous column.
template <typename T>
struct PackedItems {
  const T* items;
  T operator[](std::uint64_t at) const { return items[at]; }
};

/// A strided column.
template <typename T>
struct StridedItems {
  const char* items;
  std::int64_t stride;
  T operator[](std::uint64_t at) const {
    T item;
    std::memcpy(&item, items + static_cast<std::int64_t>(at) * stride, sizeof(item));
    return item;
  }
};

/// Calls `use` with the items, of type T.
template <typename T, typename Use>
decltype(auto) with_items_as(const IntColumn& column, const Use& use) {
  if (column.stride == static_cast<std::int64_t>(sizeof(T))) {
    return use(PackedItems<T>{static_cast<const T*>(column.items)});
  }
  return use(StridedItems<T>{static_cast<const char*>(column.items), column.stride});
}

/// Calls `use` with the items, of the type of their kind.
template <typename Use>
decltype(auto) with_items(const IntColumn& column, const Use& use) {
  switch (column.kind) {
    case IntColumn::Kind::Int32: return with_items_as<std::int32_t>(column, use);
    case IntColumn::Kind::Uint32: return with_items_as<std::uint32_t>(column, use);
    case IntColumn::Kind::Int64: return with_items_as<std::int64_t>(column, use);
    case IntColumn::Kind::Uint64: break;
  }
  return with_items_as<std::uint64_t>(column, use);
}

}  // namespace matcha::runtime
