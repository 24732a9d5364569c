#include "incremental/vertex_names.h"

namespace matcha::session::stream {

VertexNames::VertexNames(const runtime::IdNames& first) {
  numbers_.reserve(first.size());
  for (std::uint64_t place = 0; place < first.size(); ++place) number(first.text(place));
}

std::int64_t VertexNames::number(std::string_view name) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  const std::int64_t next = static_cast<std::int64_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), next);
  return next;
}

/// A non-ASCII byte becomes the character with its number.
std::string saved_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
    text += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3F));
  }
  return text;
}

std::optional<std::string> restored_bytes(std::string_view saved) {
  std::string bytes;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const auto byte = static_cast<unsigned char>(saved[i]);
    if (byte < 0x80) {
      bytes += saved[i];
      continue;
    }
    if ((byte != 0xC2 && byte != 0xC3) || i + 1 == saved.size()) return std::nullopt;
    bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(saved[++i]) & 0x3F));
  }
  return bytes;
}

std::vector<std::string> VertexNames::saved() const {
  std::vector<std::string> all;
  all.reserve(names_.size());
  for (const std::string& name : names_) all.push_back(saved_bytes(name));
  return all;
}

bool VertexNames::restore(const std::vector<std::string>& saved) {
  for (const std::string& text : saved) {
    const std::optional<std::string> name = restored_bytes(text);
    const std::int64_t next = static_cast<std::int64_t>(names_.size());
    if (!name || number(*name) != next) return false;
  }
  return true;
}

}  // namespace matcha::session::stream
