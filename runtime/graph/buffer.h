#pragma once

#include <stdlib.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace matcha::runtime {

/// An owned array of plain items, uninitialized at first and aligned to a cache line. A cache line of slack follows it,
/// so that a vector load at its end stays inside the allocation. Long arrays ask for huge pages: a loop over a graph
/// reads the whole array, and 4 KB pages would miss the TLB. Throws std::bad_alloc, caught at the public functions of
/// this folder.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t size) : size_(size) {
    if (size > (std::uint64_t{1} << 56) / sizeof(T)) throw std::bad_alloc();
    const std::uint64_t bytes = (size * sizeof(T) + 2 * kLine - 1) / kLine * kLine;
    const bool is_long = bytes >= kHugePage;
    void* data = nullptr;
    if (::posix_memalign(&data, is_long ? kHugePage : kLine, bytes) != 0) throw std::bad_alloc();
    data_.reset(static_cast<T*>(data));
    if (is_long) (void)::madvise(data, bytes, MADV_HUGEPAGE);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::uint64_t at) { return data_.get()[at]; }
  const T& operator[](std::uint64_t at) const { return data_.get()[at]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

  /// Drops the items past `size`; the allocation stays.
  void truncate(std::uint64_t size) { size_ = size; }

 private:
  static constexpr std::uint64_t kLine = 64;
  static constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  std::unique_ptr<T[], Free> data_;
  std::uint64_t size_ = 0;
};

}  // namespace matcha::runtime
