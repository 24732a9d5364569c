#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ir/support/source.h"

/// Positions and file names in the form of the protocol.
namespace matcha::tools::lsp {

using Json = nlohmann::json;

/// A position in a text: both count from 0, `character` in UTF-16 units.
struct Position {
  std::size_t line = 0;
  std::size_t character = 0;
};

/// An invalid position becomes the start of the text, and numbers beyond 32 bits its end; nothing is thrown.
Position position_of(const Json& json);
Json to_json(Position position);

/// True if names of the language may contain `c`.
bool is_name_character(char c);

/// UTF-16 units of the first `bytes` bytes of a line, and back.
std::size_t utf16_units(std::string_view line, std::size_t bytes);
std::size_t bytes_of(std::string_view line, std::size_t units);

/// Number of bytes before a position; a position behind the end of a line or of the text counts as that end.
std::size_t offset_of(const SourceManager& sources, std::uint32_t file, Position position);
/// The range of a place; the start of the text for "no place".
Json range_of(const SourceManager& sources, SourceLoc loc);
/// From the start of a text to its end.
Json whole_range(const SourceManager& sources, std::uint32_t file);

/// The path of a `file:` URI; empty for any other.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

}  // namespace matcha::tools::lsp
