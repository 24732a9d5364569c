#include "session/vertex_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "question/read.h"
#include "runtime/graph/label_form.h"

namespace matcha::session {

namespace {

constexpr char kBetweenTypes = ';';

bool are_several(std::string_view label) { return label.find(kBetweenTypes) != std::string_view::npos; }

}  // namespace

std::vector<std::string> types_of(std::string_view label) {
  std::vector<std::string> types;
  for (const auto part : std::views::split(label, kBetweenTypes)) {
    std::string type = runtime::label_form({part.begin(), part.end()});
    if (!type.empty() && std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
  }
  return types;
}

bool has_types(std::string_view label, std::string_view wanted) {
  const std::vector<std::string> types = types_of(label);
  return std::ranges::all_of(types_of(wanted),
                             [&](const std::string& one) { return std::ranges::find(types, one) != types.end(); });
}

std::vector<std::string> words_and_types(const runtime::LabelDictionary& dictionary) {
  std::set<std::string> all;
  for (const std::string& word : dictionary.words()) {
    all.insert(word);
    for (std::string& type : types_of(word)) all.insert(std::move(type));
  }
  return {all.begin(), all.end()};
}

std::string with_types(const std::string& label, const runtime::LabelDictionary& dictionary) {
  std::set<std::string> found;
  for (const std::string& literal : pattern::alternatives(label)) {
    const bool is_word = literal.front() == '\'';
    const std::string_view text = is_word ? std::string_view(literal).substr(1, literal.size() - 2) : literal;
    std::set<std::string> alike;
    for (const std::string& word : dictionary.words()) {
      if (!are_several(word) || !has_types(word, text)) continue;
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
