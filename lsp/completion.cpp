#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "frontend/builtins.h"
#include "lsp/features.h"

/// Completion and signature help, from the text before the cursor: an unfinished line has no tree.
namespace matcha::tools::lsp {

namespace {

// Numbers of the protocol.
constexpr int kFunction = 3, kVariable = 6, kModule = 9, kProperty = 10, kKeyword = 14, kType = 25;

constexpr std::array<std::string_view, 13> kWords{"def", "return", "lambda", "if",   "else", "and",   "or",
                                                  "not", "True",   "False",  "None", "from", "import"};
constexpr std::array<std::string_view, 8> kTypes{"int", "float", "bool", "Var", "Tuple", "List", "Table", "Graph"};

/// A bracket that is open at the cursor.
struct OpenBracket {
  std::string_view callee;   ///< The name before it, if it is a call.
  std::size_t argument = 0;  ///< Number of commas behind it.
  std::string_view keyword;  ///< `name` of the current argument, if it begins with `name =`.
  std::size_t argument_begin = 0;
  std::vector<std::string_view> keywords;  ///< Of all arguments so far.
};

struct Cursor {
  bool in_quotes_or_comment = false;
  std::vector<OpenBracket> open;
  std::string_view line;  ///< Before the cursor, from the beginning of the line.
  std::string_view word;  ///< Before the cursor.
};

std::string_view name_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// True if a line that begins at `at` cannot be inside brackets.
bool begins_statement(std::string_view text, std::size_t at) {
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  for (std::string_view word : {"def ", "return ", "from "}) {
    if (text.substr(at, word.size()) == word) return true;
  }
  return false;
}

/// Finds the brackets that are open at a place of a text.
class BracketReader {
 public:
  explicit BracketReader(std::string_view whole) : whole_(whole) {}

  /// Reads up to `end`; false if that is inside quotes or a comment.
  bool read_to(std::size_t end) {
    while (at_ < end) {
      if (!step(whole_.substr(0, end))) return false;
      if (ends_statement()) open.clear();
    }
    return true;
  }
  /// Reads on to the end of the bracket that is the `depth`th open one, or of its statement; the bracket as it is
  /// there.
  OpenBracket read_bracket(std::size_t depth) {
    while (open.size() >= depth && at_ < whole_.size()) {
      if (!step(whole_) || ends_statement()) break;
    }
    return open.size() >= depth ? open[depth - 1] : closed_;
  }

  std::vector<OpenBracket> open;

 private:
  /// Reads a character, or a quoted text or comment, which ends before the end of `text`; false: it does not.
  bool step(std::string_view text) {
    std::size_t i = at_;
    const char c = text[i];
    if (c == '#') {
      i = text.find('\n', i);
      if (i == std::string_view::npos) return false;
    } else if (c == '"' || c == '\'') {
      const bool is_long = text.substr(i, 3) == std::string(3, c);
      i = is_long ? text.find(std::string(3, c), i + 3) : text.find_first_of(std::string{c, '\n'}, i + 1);
      if (i == std::string_view::npos) return false;
      i += is_long ? 2 : 0;
    } else if (c == '(' || c == '[') {
      open.push_back({c == '(' ? name_before(text, i) : std::string_view(), 0, {}, i + 1, {}});
    } else if (!open.empty()) {
      inside(c, text, i);
    }
    at_ = i + 1;
    return true;
  }

  bool ends_statement() const { return whole_[at_ - 1] == '\n' && begins_statement(whole_, at_); }

  void inside(char c, std::string_view text, std::size_t i) {
    OpenBracket& bracket = open.back();
    if (c == ')' || c == ']') {
      closed_ = std::move(bracket);
      open.pop_back();
    } else if (c == ',') {
      const std::string_view argument = text.substr(bracket.argument_begin, i - bracket.argument_begin);
      const std::size_t lambda = argument.rfind("lambda ");
      if (lambda != std::string_view::npos && argument.find(':', lambda) == std::string_view::npos) return;
      ++bracket.argument;
      bracket.keyword = {};
      bracket.argument_begin = i + 1;
    } else if (c == '=' && bracket.keyword.empty() && whole_.substr(i, 2) != "==") {
      const std::string_view before = text.substr(0, i);
      const std::size_t end = before.find_last_not_of(' ') + 1;
      const std::string_view name = name_before(text, end);
      const std::size_t begin = before.find_first_not_of(" \r\n", bracket.argument_begin);
      if (name.empty() || begin != end - name.size()) return;
      bracket.keyword = name;
      bracket.keywords.push_back(name);
    }
  }

  std::string_view whole_;
  std::size_t at_ = 0;
  OpenBracket closed_;  ///< The last one that was closed.
};

/// Reads the first `end` bytes of a text, up to the cursor.
Cursor cursor_at(std::string_view whole, std::size_t end) {
  BracketReader reader(whole);
  Cursor cursor;
  cursor.in_quotes_or_comment = !reader.read_to(end);
  cursor.open = std::move(reader.open);
  const std::string_view text = whole.substr(0, end);
  cursor.line = text.substr(text.find_last_of("\r\n") + 1);
  cursor.word = name_before(text, text.size());
  return cursor;
}

Json item(std::string_view label, int kind, std::string_view detail, std::string_view doc, char order) {
  Json out = {{"label", std::string(label)}, {"kind", kind}, {"sortText", order + std::string(label)}};
  if (!detail.empty()) out["detail"] = std::string(detail);
  if (!doc.empty()) out["documentation"] = std::string(doc);
  return out;
}

/// The first line of a docstring.
std::string_view first_line(std::string_view doc) {
  doc.remove_prefix(std::min(doc.find_first_not_of(" \r\n"), doc.size()));
  return doc.substr(0, doc.find_first_of("\r\n"));
}

Json modules(const Document& document, Position position, std::string_view prefix) {
  std::vector<std::string> names = frontend::stdlib_modules();
  std::error_code error;
  if (!document.path().empty()) {
    const std::filesystem::path path(document.path());
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), error)) {
      if (entry.path().extension() == ".mt" && entry.path() != path) names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  // Editors end a word at a dot, so the range includes the whole prefix.
  const Json range = {{"start", to_json({position.line, position.character - prefix.size()})},
                      {"end", to_json(position)}};
  Json out = Json::array();
  for (const std::string& name : names) {
    Json one = item(name, kModule, "", "", 'a');
    one["textEdit"] = {{"range", range}, {"newText", name}};
    out.push_back(std::move(one));
  }
  return out;
}

Json functions_of(const Document& document, const std::string& module) {
  const std::optional<frontend::ModuleText> text = document.modules()(module);
  Json out = Json::array();
  if (!text) return out;
  const Document other("", text->text, [](const std::string&) { return std::nullopt; });
  for (const ast::Def* def : other.program().main->defs) {
    out.push_back(item(def->decl->name, kFunction, signature(other, *def), first_line(def->doc), 'a'));
  }
  return out;
}

/// Completion on the line of an import; empty on other lines.
std::optional<Json> in_import(const Document& document, Position position, std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with("from ")) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' ', 4), line.size()));
  const std::size_t end = line.find(' ');
  if (end == std::string_view::npos) return modules(document, position, line);
  std::string_view rest = line.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.starts_with("import ")) return functions_of(document, std::string(line.substr(0, end)));
  return Json::array({item("import", kKeyword, "", "", 'a')});
}

const ast::Decl* find(const Document& document, Position position, std::string_view name) {
  for (const ast::Decl* decl : document.visible_at(position)) {
    if (decl->name == name) return decl;
  }
  return nullptr;
}

/// Adds the parameter names of the unfinished call, as keywords.
void add_keywords(const Document& document, Position position, const OpenBracket& call, Json& out) {
  if (const ast::Decl* decl = find(document, position, call.callee)) {
    for (const ast::Param& param : decl->def == nullptr ? std::span<ast::Param>() : decl->def->params) {
      out.push_back(item(std::string(param.decl->name) + "=", kProperty, param.decl->shown, "", 'b'));
    }
    return;
  }
  const int builtin = frontend::find_builtin(call.callee);
  if (builtin < 0) return;
  for (const frontend::BuiltinParam& param : frontend::builtins()[static_cast<std::size_t>(builtin)].params) {
    if (param.name != "lists") out.push_back(item(std::string(param.name) + "=", kProperty, "", "", 'b'));
  }
}

/// The parameters between the outer parentheses of a signature.
std::vector<std::string> parameters_of(std::string_view signature) {
  std::vector<std::string> out;
  std::size_t depth = 0;
  std::string part;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    const bool arrow = c == '>' && i > 0 && signature[i - 1] == '-';
    if ((c == ')' || c == ']' || (c == '>' && !arrow)) && depth-- == 1) break;
    if (c == ',' && depth == 1) {
      out.push_back(std::move(part));
      part.clear();
    } else if (depth >= 1 && !(part.empty() && c == ' ')) {
      part += c;
    }
    if (c == '(' || c == '[' || c == '<') ++depth;
  }
  if (!part.empty()) out.push_back(std::move(part));
  return out;
}

/// The names of all arguments of the call whose bracket is the `depth`th open one at byte `end`, also of those behind
/// it.
std::vector<std::string_view> keywords_of(std::string_view whole, std::size_t end, std::size_t depth) {
  BracketReader reader(whole);
  reader.read_to(end);
  return reader.read_bracket(depth).keywords;
}

/// The place of the parameter that the current argument of the call fills. Arguments without a name fill, in order, the
/// parameters that no keyword names.
std::size_t active_parameter(const std::vector<std::string>& parameters, const OpenBracket& call,
                             const std::vector<std::string_view>& keywords) {
  std::size_t left = call.argument - (call.keywords.size() - (call.keyword.empty() ? 0 : 1));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string_view name = std::string_view(parameters[i]).substr(0, parameters[i].find_first_of(":?= "));
    if (!call.keyword.empty()) {
      if (name == call.keyword) return i;
    } else if (std::ranges::find(keywords, name) == keywords.end() && left-- == 0) {
      return i;
    }
  }
  return parameters.empty() ? call.argument : std::min(call.argument, parameters.size() - 1);
}

}  // namespace

Json completion(const Document& document, Position position) {
  const std::size_t end = offset_of(document.sources(), document.file(), position);
  const Cursor cursor = cursor_at(document.text(), end);
  if (cursor.in_quotes_or_comment) return Json::array();
  if (std::optional<Json> items = in_import(document, position, cursor.line)) return std::move(*items);
  Json out = Json::array();
  std::set<std::string_view> seen;
  for (const ast::Decl* decl : document.visible_at(position)) {
    if (!seen.insert(decl->name).second) continue;
    const ast::Def* def = decl->def;
    const std::string detail = def == nullptr ? std::string(decl->shown) : signature(document, *def);
    out.push_back(item(decl->name, def == nullptr ? kVariable : kFunction, detail,
                       def == nullptr ? std::string_view() : first_line(def->doc), 'a'));
  }
  if (!cursor.open.empty()) add_keywords(document, position, cursor.open.back(), out);
  for (const frontend::Builtin& builtin : frontend::builtins()) {
    if (!seen.contains(builtin.name)) out.push_back(item(builtin.name, kFunction, builtin.signature, builtin.doc, 'c'));
  }
  for (std::string_view word : kTypes) out.push_back(item(word, kType, "", "", 'd'));
  for (std::string_view word : kWords) out.push_back(item(word, kKeyword, "", "", 'e'));
  return out;
}

Json signature_help(const Document& document, Position position) {
  const std::size_t end = offset_of(document.sources(), document.file(), position);
  const Cursor cursor = cursor_at(document.text(), end);
  auto call =
      std::find_if(cursor.open.rbegin(), cursor.open.rend(), [](const OpenBracket& b) { return !b.callee.empty(); });
  if (cursor.in_quotes_or_comment || call == cursor.open.rend()) return nullptr;
  std::string label;
  std::string doc;
  const ast::Decl* decl = find(document, position, call->callee);
  const int builtin = decl == nullptr ? frontend::find_builtin(call->callee) : -1;
  if (decl != nullptr && decl->def != nullptr) {
    label = signature(document, *decl->def);
    doc = first_line(decl->def->doc);
  } else if (builtin >= 0) {
    label = frontend::builtins()[static_cast<std::size_t>(builtin)].signature;
    doc = frontend::builtins()[static_cast<std::size_t>(builtin)].doc;
  } else {
    return nullptr;
  }
  const std::vector<std::string> texts = parameters_of(label);
  const std::size_t depth = static_cast<std::size_t>(cursor.open.rend() - call);
  const std::size_t active = active_parameter(texts, *call, keywords_of(document.text(), end, depth));
  Json parameters = Json::array();
  for (const std::string& text : texts) parameters.push_back({{"label", text}});
  return {{"signatures", Json::array({{{"label", label}, {"documentation", doc}, {"parameters", parameters}}})},
          {"activeSignature", 0},
          {"activeParameter", active}};
}

}  // namespace matcha::tools::lsp
