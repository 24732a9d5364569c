#include "codegen/c_family/names.h"

#include <fmt/format.h>

namespace matcha::codegen {

namespace {

/// A letter with a number as its suffix cannot clash with a keyword, macro or runtime name: none has that form. The
/// emitter's own names do (`at0`, `item0_1`, `sum0_part2`), so hints of their form are changed here.
std::string identifier(std::string_view hint) {
  std::string text;
  for (char c : hint) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    if (letter || (digit && !text.empty()) || (c == '_' && !text.empty() && text.back() != '_')) text += c;
  }
  if (text.empty()) return "t";
  const std::string_view word = std::string_view(text).substr(0, text.find_last_not_of("0123456789_") + 1);
  for (std::string_view own : {"at", "bits", "count", "counted", "first", "hits", "item", "kept", "lane", "lanes",
                               "own", "pairs", "passes", "step", "there", "Totals", "walk", "walked"}) {
    if (text == own) return text + "_";
    if (word == own) return text + "_v";
  }
  return text.ends_with("_part") ? text + "_" : text;
}

}  // namespace

const std::string& Names::of(const ir::Var* var) {
  const auto found = names_.find(var);
  if (found != names_.end()) return found->second;
  std::string base = identifier(var->hint);
  if (base.back() >= '0' && base.back() <= '9') base += '_';
  return names_.emplace(var, fmt::format("{}{}", base, taken_[base]++)).first->second;
}

}  // namespace matcha::codegen
