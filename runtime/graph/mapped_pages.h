#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace matcha::runtime {

/// The pages of a mapped file, of which some can be let go of: what is read there later is read from the file again.
class MappedPages {
 public:
  /// Of no file: nothing is let go of.
  MappedPages() = default;
  /// `file`: all bytes of a file that is mapped and only read. Memory of any other kind would be lost.
  explicit MappedPages(std::string_view file)
      : begin_(reinterpret_cast<std::uintptr_t>(file.data())),
        end_((begin_ + file.size() + kPage - 1) / kPage * kPage) {}

  /// Lets go of the pages of these bytes, and of those that the system maps along with them.
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
