#include "codegen/c_family/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace matcha::codegen {

namespace {

/// A letter with a number as its suffix cannot clash with a keyword, macro or runtime name but those of types: none has
/// that form. The emitter's own names do (`at0`, `item0_1`, `sum0_part2`), so hints of their form are changed here.
std::string identifier(std::string_view hint) {
  std::string text;
  for (char c : hint) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    if (letter || (digit && !text.empty()) || (c == '_' && !text.empty() && text.back() != '_')) text += c;
  }
  if (text.empty()) return "t";
  const std::string_view word = std::string_view(text).substr(0, text.find_last_not_of("0123456789_") + 1);
  for (std::string_view own :
       {"at",   "bits",  "blocks", "count", "counted", "first", "from_at", "from_step", "hits", "item",  "kept",
        "lane", "lanes", "own",    "pairs", "passes",  "step",  "there",   "Totals",    "walk", "walked"}) {
    if (text == own) return text + "_";
    if (word == own) return text + "_v";
  }
  return text.ends_with("_part") ? text + "_" : text;
}

/// Whether the runtime calls a type so.
bool is_type(std::string_view name) {
  constexpr std::string_view kTypes[] = {"u8", "u16", "u32", "u64", "u128", "i64", "i128", "f64"};
  return std::ranges::find(kTypes, name) != std::end(kTypes);
}

}  // namespace

const std::string& Names::of(const ir::Var* var) {
  const auto found = names_.find(var);
  if (found != names_.end()) return found->second;
  std::string base = identifier(var->hint);
  if (base.back() >= '0' && base.back() <= '9') base += '_';
  std::string name = fmt::format("{}{}", base, taken_[base]++);
  if (is_type(name)) name += '_';
  return names_.emplace(var, std::move(name)).first->second;
}

}  // namespace matcha::codegen
