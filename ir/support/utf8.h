#pragma once

#include <string>
#include <string_view>

namespace matcha {

/// The text with `\xNN` for each byte that is not part of a valid UTF-8 character, for messages about names and files
/// with arbitrary bytes.
std::string escape_invalid_utf8(std::string_view text);

}  // namespace matcha
