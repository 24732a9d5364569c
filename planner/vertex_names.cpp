#include "planner/vertex_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "question/read.h"
#include "question/scan.h"

namespace matcha::pattern {

namespace {

/// Words of the language, its operators, and names that programs of patterns have for something else.
constexpr auto kReserved = std::to_array<std::string_view>({
#define MATCHA_BUILTIN(Name, text, ...) text,
#include "frontend/builtins.def"
    "from", "import", "def",   "return", "lambda",   "if",         "else",         "and", "or",
    "not",  "True",   "False", "None",   "int",      "float",      "bool",         "Var", "Tuple",
    "List", "main",   "x",     "e",      "adjacent", "with_label", "edges_between"});
/// Names that begin like those of sets, numbers, functions and graphs of these programs.
constexpr auto kBeginnings =
    std::to_array<std::string_view>({"c_", "n_", "at_", "start", "met", "fits", "common", "pattern", "motif",
                                     "common_labels", "joined", "G", "R", "v_"});

bool is_free(const std::string& name) {
  const bool ascii = std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const bool numbered = name.size() > 1 && (name[0] == 'c' || name[0] == 'n') && is_digit(name[1]);
  // `v0_1` are two vertices that are one, as is `a__b`.
  const bool several = name.find("__") != std::string::npos || name.front() == '_' || name.back() == '_' ||
                       (name[0] == 'v' && name.find('_') != std::string::npos);
  return ascii && !numbered && !several && std::ranges::find(kReserved, name) == kReserved.end() &&
         !is_pattern_name(name) &&
         std::ranges::none_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

std::vector<std::string> program_names(const Pattern& pattern) {
  std::vector<std::string> names;
  std::set<std::string> taken(pattern.names.begin(), pattern.names.end());
  for (int v = 0; v < pattern.size(); ++v) {
    std::string name = pattern.vertex_name(v);
    if (!pattern.names.empty() && !is_free(name)) {
      std::string plain = "v_";
      for (char c : name) {
        const bool fits = static_cast<unsigned char>(c) < 0x80 && (c != '_' || plain.back() != '_');
        if (fits) plain += c;
      }
      if (plain.back() == '_') plain += "x";
      name = plain;
      for (int more = 2; taken.contains(name); ++more) name = plain + std::to_string(more);
      taken.insert(name);
    }
    names.push_back(name);
  }
  return names;
}

std::string stem(const std::string& name) {
  return name.size() > 1 && name[0] == 'v' && is_digit(name[1]) ? name.substr(1) : "_" + name;
}

std::string with_stem(const std::string& name, const std::string& vertex) {
  const std::string end = stem(vertex);
  return name + (end[0] == '_' ? "" : "_") + end;
}

}  // namespace matcha::pattern
