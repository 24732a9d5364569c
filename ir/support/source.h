#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace matcha {

/// A place in a source file: 1-based line and column (in bytes) and a length in bytes.
/// `line == 0` means "no place"; such a location is legal everywhere.
struct SourceLoc {
  std::uint32_t file = 0;  ///< Index given by `SourceManager::add`.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;

  bool valid() const { return line != 0; }
  bool operator==(const SourceLoc&) const = default;
};

/// Owns the text of every file that a compilation reads; ids are dense and stable.
class SourceManager {
 public:
  /// Adds a file and returns its id. Diagnostics print `name`.
  std::uint32_t add(std::string name, std::string text);

  std::string_view name(std::uint32_t file) const;
  std::string_view text(std::uint32_t file) const;
  /// Line `line` (1-based) without its line break; empty if there is no such line.
  std::string_view line(std::uint32_t file, std::uint32_t line) const;
  std::size_t size() const { return files_.size(); }

 private:
  struct File {
    std::string name;
    std::string text;
    std::vector<std::size_t> line_starts;
  };
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace matcha
