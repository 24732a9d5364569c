#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Most columns of a line; longer lines are broken inside brackets.
inline constexpr std::size_t kFormatWidth = 120;

/// Formats file `file` in the standard layout: blocks indented by four spaces, spaces between words, at most one blank
/// line, and as much on a line as fits. Comments and the tree are unchanged; formatting the result again gives the same
/// text. Gives nothing after syntax errors, which are reported, or, without a report, where the text would be another
/// program, which is a fault of the formatter. Requires: `file` is one of `diagnostics.sources()`.
std::optional<std::string> format(std::uint32_t file, Diagnostics& diagnostics);

}  // namespace matcha::frontend
