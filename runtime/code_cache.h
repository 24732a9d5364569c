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
/// What is in the folder is run by whoever takes it, so it is taken only from a folder and from files that belong to
/// this user and that nobody else may write. Both are looked at through their descriptors, and links are not followed.
/// Each file has a header with its key and an XXH3-128 checksum. Files appear by renaming, so processes and threads may
/// share the folder. Those that were not used for longest are removed when they are too many.
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
  /// What was looked for, and what a user should know: that a file or the folder will not do. Neither: there is no
  /// file.
  struct Found {
    std::optional<std::string> code;
    std::string note;
  };

  /// The folder is made when it is first written; an empty name keeps nothing.
  explicit CodeCache(std::string folder) : CodeCache(std::move(folder), Limits()) {}
  CodeCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  const std::string& folder() const { return folder_; }

  /// 32 hexadecimal digits for a list of texts: XXH3-128 of them and of their lengths.
  static std::string key(std::span<const std::string_view> parts);

  /// `name`: a key and a suffix such as `.o`. A file that is no longer whole is not there, but for the note.
  Found load(const std::string& name) const;
  /// Writes a file. Gives why it could not, or nothing: that code cannot be kept is no failure.
  std::string store(const std::string& name, std::string_view code) const;

  /// Makes the folder if need be. Gives why code cannot be kept in it, or nothing.
  std::string problem() const;
  /// The files that are there, whole or not.
  Size size() const;

 private:
  std::string folder_;
  Limits limits_;
};

}  // namespace matcha::runtime
