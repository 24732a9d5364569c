#include "session/vertex_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "question/read.h"

namespace matcha::session {

namespace {

constexpr char kBetweenTypes = ';';

bool are_several(std::string_view label) { return label.find(kBetweenTypes) != std::string_view::npos; }

bool has_all(const std::vector<std::string_view>& types, const std::vector<std::string_view>& wanted) {
  return std::ranges::all_of(wanted,
                             [&](std::string_view one) { return std::ranges::find(types, one) != types.end(); });
}

}  // namespace

std::vector<std::string_view> types_of(std::string_view label) {
  std::vector<std::string_view> types;
  while (true) {
    const std::size_t end = std::min(label.find(kBetweenTypes), label.size());
    types.push_back(label.substr(0, end));
    if (end == label.size()) return types;
    label.remove_prefix(end + 1);
  }
}

std::vector<std::string> words_and_types(const runtime::LabelDictionary& dictionary) {
  std::set<std::string> all;
  for (const std::string& word : dictionary.words()) {
    all.insert(word);
    for (const std::string_view type : types_of(word)) all.emplace(type);
  }
  return {all.begin(), all.end()};
}

std::string with_types(const std::string& label, const runtime::LabelDictionary& dictionary) {
  std::set<std::string> found;
  for (const std::string& literal : pattern::alternatives(label)) {
    const bool is_word = literal.front() == '\'';
    const std::string_view text = is_word ? std::string_view(literal).substr(1, literal.size() - 2) : literal;
    const std::vector<std::string_view> wanted = types_of(text);
    std::set<std::string> alike;
    for (const std::string& word : dictionary.words()) {
      if (!are_several(word) || !has_all(types_of(word), wanted)) continue;
      if (const auto known = pattern::label_literal(word)) alike.insert(*known);
    }
    // A number is no word; an unknown one is reported by its name.
    if (!is_word || alike.empty() || dictionary.code(text)) alike.insert(literal);
    found.merge(alike);
  }
  return fmt::format("{}", fmt::join(found, "|"));
}

void take_types(pattern::Pattern& pattern, const runtime::LabelDictionary& dictionary) {
  if (pattern.kinds.empty()) {
    for (const std::string& label : pattern.labels) {
      const std::vector<std::string> all = pattern::alternatives(label);
      const std::set<std::string> kind(all.begin(), all.end());
      pattern.kinds.push_back(kind.size() > 1 ? fmt::format("{}", fmt::join(kind, "|")) : "");
    }
  }
  for (std::string& label : pattern.labels) {
    if (!label.empty()) label = with_types(label, dictionary);
  }
}

}  // namespace matcha::session
