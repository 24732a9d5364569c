#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Columns of a line; longer ones are broken within brackets.
inline constexpr std::size_t kFormatWidth = 120;

/// The text of file `file` in the one layout that programs have: blocks by four spaces, spaces between words, at most
/// one blank line, and lines that are as long as fits. Comments stay, and so does the tree: formatting the result again
/// gives the same. Nothing after syntax errors, which are reported. Requires: `file` is one of `diagnostics.sources()`.
std::optional<std::string> format(std::uint32_t file, Diagnostics& diagnostics);

}  // namespace matcha::frontend
