#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace matcha::runtime::detail {

/// Which `.mtg` files were found good today, so that of many processes of a host one looks at every arc. A note names
/// the file by its inode, length and times; it holds for a day. It lies where compiled code does and is trusted like
/// that (runtime/code_cache.h).
class MtgNotes {
 public:
  /// Looks at the file, which nobody has read yet. An empty folder, a pipe or a missing file: no notes.
  MtgNotes(const std::string& path, const std::string& folder);

  /// Whether the file was found good, is what it was then, and has this checksum of its header.
  bool has(std::uint64_t header_sum, std::time_t now) const;
  /// Notes that it is good, unless it may have been written to since then without a trace in its times.
  void add(std::uint64_t header_sum, std::time_t now) const;

 private:
  std::string name(std::uint64_t header_sum) const;

  std::string path_;
  std::string folder_;
  std::string identity_;  ///< Empty: no notes.
};

}  // namespace matcha::runtime::detail
