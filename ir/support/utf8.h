#pragma once

#include <string>
#include <string_view>

namespace matcha {

/// The text with each byte that belongs to no valid UTF-8 character as `\xNN`, for messages about names and files that
/// may hold any bytes.
std::string escape_invalid_utf8(std::string_view text);

}  // namespace matcha
