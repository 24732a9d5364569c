#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace matcha::runtime {

/// The pages of a mapped file. Dropped pages are read from the file again on access.
class MappedPages {
 public:
  /// No file: `drop` does nothing.
  MappedPages() = default;
  /// `file`: all bytes of a file that is mapped read-only. Other memory would lose its content.
  explicit MappedPages(std::string_view file)
      : begin_(reinterpret_cast<std::uintptr_t>(file.data())),
        end_((begin_ + file.size() + kPage - 1) / kPage * kPage) {}

  /// Drops the pages of these bytes, and pages that the system maps together with them.
  void drop(const void* bytes, std::uint64_t count) const {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(bytes);
    const std::uintptr_t from = std::max(begin_, first / kMappedTogether * kMappedTogether);
    const std::uintptr_t to = std::min(end_, (first + count + kMappedTogether - 1) / kMappedTogether * kMappedTogether);
    if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }

 private:
  static constexpr std::uintptr_t kPage = 4096;
  static constexpr std::uintptr_t kMappedTogether = 16 * kPage;
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace matcha::runtime
