#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace matcha::runtime {

/// A folder of compiled code, of GPUs and CPUs, so that a program is compiled once, not once a run.
///
/// Cached code is executed, so it is loaded only from a folder and files that belong to this user and that no other
/// user may write. Checks use the open descriptors, and links are not followed. Each file has a header with its key and
/// an XXH3-128 checksum. Files are created by renaming, so processes and threads may share the folder. The least
/// recently used files are removed when there are too many.
class CodeCache {
 public:
  struct Limits {
    std::uint64_t bytes = std::uint64_t{256} << 20;
    std::uint64_t files = 4096;
  };
  struct Size {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  /// The code, and a note for the user if the file or the folder is unusable. Both empty: there is no file.
  struct Found {
    std::optional<std::string> code;
    std::string note;
  };

  /// The folder is created on the first write; an empty name disables the cache.
  explicit CodeCache(std::string folder) : CodeCache(std::move(folder), Limits()) {}
  CodeCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  const std::string& folder() const { return folder_; }

  /// 32 hexadecimal digits for a list of texts: XXH3-128 of them and of their lengths.
  static std::string key(std::span<const std::string_view> parts);

  /// `name`: a key and a suffix such as `.o`. A damaged file counts as missing, with a note.
  Found load(const std::string& name) const;
  /// Writes a file. Returns the reason if it cannot, else an empty string; a failed write is not an error.
  std::string store(const std::string& name, std::string_view code) const;

  /// Creates the folder if it is missing. Returns why code cannot be cached in it, or an empty string.
  std::string problem() const;
  /// The files in the folder, damaged ones included.
  Size size() const;

 private:
  std::string folder_;
  Limits limits_;
};

}  // namespace matcha::runtime
