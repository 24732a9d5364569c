#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include <stdlib_text.h>

#include "frontend/frontend.h"

namespace matcha::frontend {
namespace {

constexpr std::string_view kFolder = "stdlib/";
constexpr std::string_view kSuffix = ".mt";

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where the comment or the text in quotes that begins at `at` ends; `at` if none does.
std::size_t after_text(std::string_view text, std::size_t at) {
  constexpr std::string_view kDoc = "\"\"\"";
  const bool is_doc = text.substr(at).starts_with(kDoc);
  if (!is_doc && text[at] != '#' && text[at] != '"' && text[at] != '\'') return at;
  const std::string_view end = is_doc ? kDoc : text[at] == '#' ? "\n" : text.substr(at, 1);
  const std::size_t found = text.find(end, at + (is_doc ? kDoc.size() : 1));
  return found == std::string_view::npos ? text.size() : found + end.size();
}

/// The words of a text that are no comments and not in quotes.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = after_text(text, at); end > at) {
      at = end;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

/// A function of a module, with what stands before the next one; or what stands before the first one.
struct Part {
  std::string_view text;
  bool is_kept = false;
};

std::vector<Part> parts_of(std::string_view text) {
  constexpr std::string_view kNext = "\ndef ";
  std::vector<Part> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(kNext, at), text.size() - 1) + 1;
    parts.push_back({text.substr(at, end - at), parts.empty()});
    at = end;
  }
  return parts;
}

/// `from MODULE import NAME, …` with the names that are in `wanted`; without a name an empty line.
std::string import_of(std::string_view line, const std::set<std::string_view>& wanted) {
  const std::vector<std::string_view> words = words_of(line);
  const auto begin = std::ranges::find(words, "import");
  if (words.empty() || words.front() != "from" || begin == words.end()) return std::string(line);
  std::string names;
  for (auto name = begin + 1; name != words.end(); ++name) {
    if (wanted.contains(*name)) names += (names.empty() ? "" : ", ") + std::string(*name);
  }
  const std::size_t head = static_cast<std::size_t>(begin->data() + begin->size() - line.data());
  return names.empty() ? std::string() : std::string(line.substr(0, head)) + " " + names;
}

}  // namespace

std::string with_functions(std::string_view text, const std::vector<std::string>& names) {
  std::vector<Part> parts = parts_of(text);
  std::map<std::string_view, Part*> functions;
  for (Part& part : parts) {
    if (!part.is_kept) functions.emplace(words_of(part.text)[1], &part);
  }
  std::set<std::string_view> wanted(names.begin(), names.end());
  if (!std::ranges::all_of(wanted, [&](std::string_view name) { return functions.contains(name); }))
    return std::string(text);
  std::vector<std::string_view> open(wanted.begin(), wanted.end());
  while (!open.empty()) {
    const auto found = functions.find(open.back());
    open.pop_back();
    if (found == functions.end() || std::exchange(found->second->is_kept, true)) continue;
    for (const std::string_view word : words_of(found->second->text)) {
      wanted.insert(word);
      open.push_back(word);
    }
  }
  std::string kept;
  for (std::size_t at = 0; at < parts.front().text.size();) {
    const std::size_t end = std::min(parts.front().text.find('\n', at), parts.front().text.size());
    kept += import_of(parts.front().text.substr(at, end - at), wanted);
    if (end < parts.front().text.size()) kept += '\n';
    at = end + 1;
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(parts[i].text, '\n'));
    kept += parts[i].is_kept ? std::string(parts[i].text) : std::string(lines, '\n');
  }
  return kept;
}

ModuleReader default_module_reader(std::string directory) {
  return [directory = std::move(directory)](const std::string& module) -> std::optional<ModuleText> {
    bool embedded = is_embedded(module);
    std::string path = embedded ? std::string(kFolder) : directory + "/";
    for (char c : module.substr(embedded ? 4 : 0)) path += c == '.' ? '/' : c;
    path += kSuffix;
    if (embedded) {
      std::string_view text = stdlib::embedded_text(path);
      if (text.data() == nullptr) return std::nullopt;
      return ModuleText{"<" + module + ">", std::string(text)};
    }
    if (directory.empty()) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    std::string text;
    while (in && text.size() <= kMostModuleBytes) {
      const std::size_t size = text.size();
      text.resize(size + kBlock);
      in.read(text.data() + size, kBlock);
      text.resize(size + static_cast<std::size_t>(in.gcount()));
    }
    return ModuleText{path, std::move(text)};
  };
}

std::vector<std::string> stdlib_modules() {
  std::vector<std::string> out;
  for (std::string_view path : stdlib::embedded_paths()) {
    std::string_view name = path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size());
    out.push_back("std." + std::string(name));
  }
  return out;
}

}  // namespace matcha::frontend
