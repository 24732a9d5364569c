#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matcha {

/// The bytes of the UTF-8 character at the start of `text`, which is not empty; 0 if there is none (overlong forms and
/// surrogates included).
std::size_t character_size(std::string_view text);

/// The text with `\xNN` for each byte that is not part of a valid UTF-8 character, for messages about names and files
/// with arbitrary bytes.
std::string escape_invalid_utf8(std::string_view text);

}  // namespace matcha
