#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace matcha::frontend::syntax {

struct SourceText;

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The text with every byte of a character outside ASCII replaced by one control character and a byte order mark by
/// spaces, so that positions in it are byte offsets. Reports text that is not UTF-8 and gives nothing then.
std::optional<std::string> one_byte_a_character(SourceText& source);

/// The UTF-8 character that begins at `at` of valid text.
std::string_view character_at(std::string_view text, std::size_t at);

}  // namespace matcha::frontend::syntax
