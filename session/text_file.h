#pragma once

#include <atomic>
#include <string>

namespace matcha::session {

/// Reads a whole file of text (a program, a pattern, a query), or standard input for `-`. No such text is longer than
/// 64 MiB; a device or a graph given by mistake is. Gives why it cannot be read, or nothing; soon after `maybe_cancel`
/// has become true `interrupted`. A mark of the order of bytes at its start stays.
std::string read_text_file(const std::string& path, std::string& text, const std::atomic<bool>* maybe_cancel = nullptr);
/// The same without that mark, for patterns and queries.
std::string read_pattern_file(const std::string& path, std::string& text);

}  // namespace matcha::session
