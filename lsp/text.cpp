#include "lsp/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace matcha::tools::lsp {

namespace {

std::size_t number(const Json& json, const char* key) {
  // Lines are counted from 1 in 32 bits.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_unsigned()) return 0;
  return std::min(json[key].get<std::uint64_t>(), kMost);
}

/// UTF-16 units of the character that begins with `byte`; 0 for the bytes that continue it.
std::size_t units(char byte) {
  const unsigned char c = static_cast<unsigned char>(byte);
  if ((c & 0xC0) == 0x80) return 0;
  return c >= 0xF0 ? 2 : 1;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

Position position_of(const Json& json) { return {number(json, "line"), number(json, "character")}; }

Json to_json(Position position) { return {{"line", position.line}, {"character", position.character}}; }

bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::size_t utf16_units(std::string_view line, std::size_t bytes) {
  std::size_t sum = 0;
  for (char c : line.substr(0, bytes)) sum += units(c);
  return sum;
}

std::size_t bytes_of(std::string_view line, std::size_t wanted) {
  std::size_t sum = 0;
  std::size_t at = 0;
  while (at < line.size() && sum < wanted) {
    sum += units(line[at]);
    ++at;
    while (at < line.size() && units(line[at]) == 0) ++at;
  }
  return at;
}

std::size_t offset_of(const SourceManager& sources, std::uint32_t file, Position position) {
  const std::string_view text = sources.text(file);
  std::size_t start = 0;
  for (std::size_t line = 0; line < position.line; ++line) {
    const std::size_t end = text.find_first_of("\r\n", start);
    if (end == std::string_view::npos) return text.size();
    start = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return start + bytes_of(sources.line(file, static_cast<std::uint32_t>(position.line + 1)), position.character);
}

Json range_of(const SourceManager& sources, SourceLoc loc) {
  Position begin;
  Position end;
  if (loc.valid()) {
    const std::string_view line = sources.line(loc.file, loc.line);
    begin = {loc.line - 1, utf16_units(line, loc.column - 1)};
    end = {loc.line - 1, utf16_units(line, std::size_t{loc.column} - 1 + loc.length)};
  }
  return {{"start", to_json(begin)}, {"end", to_json(end)}};
}

Json whole_range(const SourceManager& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  std::size_t lines = 0;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = text.find_first_of("\r\n", start)) != std::string_view::npos; ++lines) {
    start = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  const Position end{lines, utf16_units(text.substr(start), text.size() - start)};
  return {{"start", to_json({})}, {"end", to_json(end)}};
}

std::string path_of(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return {};
  uri.remove_prefix(kScheme.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    constexpr int kHex = 16;
    const bool coded = uri[i] == '%' && i + 2 < uri.size() &&
                       std::from_chars(uri.data() + i + 1, uri.data() + i + 3, value, kHex).ptr == uri.data() + i + 3;
    path += coded ? static_cast<char>(value) : uri[i];
    i += coded ? 2 : 0;
  }
  return path;
}

std::string uri_of(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file://";
  for (char c : path) {
    if (is_plain(c)) {
      uri += c;
      continue;
    }
    const unsigned char byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kDigits[byte >> 4];
    uri += kDigits[byte & 15];
  }
  return uri;
}

}  // namespace matcha::tools::lsp
