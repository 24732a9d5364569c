#include "lsp/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/builtins.h"
#include "frontend/format.h"
#include "frontend/module_doc.h"
#include "lsp/list_facts.h"

namespace matcha::tools::lsp {

namespace {

// Numbers of the protocol.
constexpr int kError = 1, kWarning = 2;
constexpr int kUnnecessary = 1;
constexpr int kTypeHint = 1;
constexpr int kFunctionSymbol = 12;

Json location(const std::string& uri, const SourceManager& sources, SourceLoc loc) {
  return {{"uri", uri}, {"range", range_of(sources, loc)}};
}

/// The import of the main file that led to `file`; for an indirect import, the first one.
const ast::Import* import_of(const Document& document, std::uint32_t file) {
  const std::span<ast::Import> imports = document.program().main->imports;
  for (const ast::Import& import : imports) {
    if (document.file_of(import) == file) return &import;
  }
  return imports.empty() ? nullptr : imports.data();
}

/// The type of a parameter or a local name; empty if unknown.
std::string_view type_of(const ast::Decl& decl) { return decl.shown == "?" ? std::string_view() : decl.shown; }

std::string typed(const ast::Decl& decl) {
  const std::string_view type = type_of(decl);
  return type.empty() ? std::string(decl.name) : fmt::format("{}: {}", decl.name, type);
}

std::string markdown(std::string_view code, std::string_view text) {
  return fmt::format("```matcha\n{}\n```{}{}", code, text.empty() ? "" : "\n", text);
}

std::string describe(const ListFacts& facts) {
  std::string out = facts.sorted ? "sorted" : "in no known order";
  out += facts.unique ? ", unique" : ", perhaps with repeats";
  return out + (facts.bound.empty() ? "; no known bound" : "; at most " + facts.bound);
}

std::string about(const Document& document, const ast::Decl& decl) {
  switch (decl.kind) {
    case ast::Decl::Kind::Def:
    case ast::Decl::Kind::Import: {
      if (decl.def == nullptr) return markdown(decl.name, "");
      return markdown(signature(document, *decl.def), frontend::unindented(decl.def->doc));
    }
    case ast::Decl::Kind::Param: return markdown(typed(decl), "A parameter.");
    case ast::Decl::Kind::Local: break;
  }
  const bool is_list = type_of(decl).starts_with("List<");
  return markdown(typed(decl),
                  is_list && decl.value != nullptr ? describe(list_facts(document.program(), *decl.value)) : "");
}

std::string text_at(const Document& document, SourceLoc loc) {
  const std::string_view line = document.sources().line(loc.file, loc.line);
  return std::string(line.substr(std::min<std::size_t>(loc.column - 1, line.size()), loc.length));
}

bool is_certain(std::string_view type) {
  return !type.empty() && type.find('?') == std::string_view::npos && !type.starts_with("func(");
}

/// The position behind the `)` of a function's parameters; 0 if there is none.
std::size_t behind_params(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size() - 1);
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth-- == 1) return at + 1;
  }
  return 0;
}

/// Writes the hints of a function and of those in it.
class Hints {
 public:
  Hints(const Document& document, std::size_t first, std::size_t last)
      : document_(document), first_(first), last_(last) {}

  void def(const ast::Def& def) {
    if (def.last_line < first_ + 1 || def.first_line > last_ + 1) return;
    for (const ast::Param& param : def.params) {
      if (param.maybe_type == nullptr) hint(*param.decl);
    }
    if (def.maybe_result == nullptr && is_certain(def.shown_result)) result(def);
    for (const ast::Stmt& stmt : def.body) {
      if (stmt.kind == ast::Stmt::Kind::Assign) hint(*stmt.decl);
      if (stmt.kind == ast::Stmt::Kind::Def) this->def(*stmt.def);
    }
  }

  Json take() { return std::move(hints_); }

 private:
  void hint(const ast::Decl& decl) {
    if (is_certain(decl.shown)) add(range_of(document_.sources(), decl.loc)["end"], fmt::format(": {}", decl.shown));
  }

  void result(const ast::Def& def) {
    const SourceManager& sources = document_.sources();
    const Position name{def.loc.line - 1, 0};
    const std::size_t from = offset_of(sources, document_.file(), name) + def.loc.column - 1;
    const std::size_t end = behind_params(document_.text(), from);
    if (end == 0) return;
    const std::string_view before = document_.text().substr(0, end);
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(before.substr(from), '\n'));
    const std::size_t start = before.find_last_of("\r\n") + 1;
    add(to_json({name.line + lines, utf16_units(before.substr(start), end - start)}),
        fmt::format(" -> {}", def.shown_result));
  }

  void add(const Json& position, const std::string& label) {
    const std::size_t line = position["line"].get<std::size_t>();
    if (line < first_ || line > last_) return;
    hints_.push_back({{"position", position}, {"label", label}, {"kind", kTypeHint}});
  }

  const Document& document_;
  std::size_t first_;
  std::size_t last_;
  Json hints_ = Json::array();
};

Json symbol(const Document& document, const ast::Def& def) {
  const std::string_view last = document.sources().line(document.file(), def.last_line);
  Json children = Json::array();
  for (const ast::Stmt& stmt : def.body) {
    if (stmt.kind == ast::Stmt::Kind::Def) children.push_back(symbol(document, *stmt.def));
  }
  const Json name = range_of(document.sources(), def.loc);
  const Position end{def.last_line - 1, utf16_units(last, last.size())};
  return {{"name", std::string(def.decl->name)},
          {"detail", signature(document, def)},
          {"kind", kFunctionSymbol},
          {"range", {{"start", to_json({def.first_line - 1, 0})}, {"end", to_json(end)}}},
          {"selectionRange", name},
          {"children", children}};
}

}  // namespace

std::string signature(const Document& document, const ast::Def& def) {
  std::string out = fmt::format("def {}(", def.decl->name);
  for (const ast::Param& param : def.params) {
    out += &param == def.params.data() ? "" : ", ";
    out += typed(*param.decl);
    if (param.maybe_default == nullptr) continue;
    out += fmt::format("{}{}", type_of(*param.decl).empty() ? "=" : " = ", text_at(document, param.maybe_default->loc));
  }
  const bool known = !def.shown_result.empty() && def.shown_result != "?";
  return out + (known ? fmt::format(") -> {}", def.shown_result) : ")");
}

Json diagnostics(const Document& document) {
  const SourceManager& sources = document.sources();
  Json out = Json::array();
  for (const Diagnostic& d : document.diagnostics().all()) {
    SourceLoc loc = d.loc;
    std::string message = d.message;
    if (loc.valid() && loc.file != document.file()) {
      message = fmt::format("{}:{}:{}: {}", sources.name(loc.file), loc.line, loc.column, message);
      const ast::Import* import = import_of(document, loc.file);
      loc = import == nullptr ? SourceLoc() : import->module_loc;
    }
    if (!d.hint.empty()) message += "\nhint: " + d.hint;
    Json one = {{"range", range_of(sources, loc)},
                {"severity", d.severity == Severity::Error ? kError : kWarning},
                {"code", std::string(diag_text(d.id))},
                {"source", "matcha"},
                {"message", message}};
    if (d.id == DiagId::UnusedName) one["tags"] = {kUnnecessary};
    for (const DiagNote& note : d.notes) {
      if (note.loc.file != document.file()) continue;
      one["relatedInformation"].push_back(
          {{"location", location(document.uri(), sources, note.loc)}, {"message", note.message}});
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json hover(const Document& document, Position position) {
  const std::optional<Word> word = document.word_at(position);
  if (!word) return nullptr;
  std::string text;
  if (word->maybe_module != nullptr) {
    text = markdown(fmt::format("from {}", word->maybe_module->module), "");
    const std::optional<std::uint32_t> file = document.file_of(*word->maybe_module);
    for (const ast::File* module : document.program().files) {
      if (file == module->file) text += "\n" + frontend::unindented(module->doc);
    }
  } else if (word->maybe_decl != nullptr) {
    text = about(document, *word->maybe_decl);
  } else {
    const frontend::Builtin& builtin = frontend::builtins()[static_cast<std::size_t>(word->builtin)];
    text = markdown(builtin.signature, builtin.doc);
  }
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", range_of(document.sources(), word->loc)}};
}

Json definition(const Document& document, Position position, const ShownModule& shown) {
  const std::optional<Word> word = document.word_at(position);
  if (!word) return nullptr;
  const SourceManager& sources = document.sources();
  SourceLoc loc;
  if (word->maybe_module != nullptr) {
    const std::optional<std::uint32_t> file = document.file_of(*word->maybe_module);
    if (!file) return nullptr;
    loc = {*file, 1, 1, 0};
  } else {
    const ast::Decl* decl = word->maybe_decl;
    if (decl == nullptr) return nullptr;
    loc = decl->kind == ast::Decl::Kind::Import && decl->def != nullptr ? decl->def->loc : decl->loc;
  }
  if (loc.file == document.file()) return location(document.uri(), sources, loc);
  const std::string_view name = sources.name(loc.file);
  const bool embedded = name.starts_with('<') && name.ends_with('>');
  const std::string path =
      embedded ? shown(name.substr(1, name.size() - 2), sources.text(loc.file)) : std::string(name);
  if (path.empty()) return nullptr;
  return location(uri_of(path), sources, loc);
}

Json inlay_hints(const Document& document, std::size_t first, std::size_t last) {
  Hints hints(document, first, last);
  for (const ast::Def* def : document.program().main->defs) hints.def(*def);
  return hints.take();
}

Json formatting(const Document& document) {
  Diagnostics scratch(document.sources());
  const std::optional<std::string> text = frontend::format(document.file(), scratch);
  if (!text) return nullptr;
  Json edits = Json::array();
  if (*text != document.text()) {
    edits.push_back({{"range", whole_range(document.sources(), document.file())}, {"newText", *text}});
  }
  return edits;
}

Json symbols(const Document& document) {
  Json out = Json::array();
  for (const ast::Def* def : document.program().main->defs) out.push_back(symbol(document, *def));
  return out;
}

}  // namespace matcha::tools::lsp
