#include "lsp/document.h"

#include <algorithm>
#include <filesystem>

#include "frontend/builtins.h"
#include "frontend/lower.h"
#include "ir/context.h"

namespace matcha::tools::lsp {

namespace {

/// Lists the words and lambdas of a file.
class WordCollector {
 public:
  WordCollector(std::vector<Word>& words, std::vector<const ast::Lambda*>& lambdas)
      : words_(words), lambdas_(lambdas) {}

  void file(const ast::File& file) {
    for (const ast::Import& import : file.imports) {
      words_.push_back({import.module_loc, nullptr, -1, &import});
      for (const ast::ImportName& name : import.names) decl(*name.decl);
    }
    for (const ast::Def* def : file.defs) this->def(*def);
  }

 private:
  void decl(const ast::Decl& decl) { words_.push_back({decl.loc, &decl, -1, nullptr}); }

  void params(std::span<const ast::Param> params) {
    for (const ast::Param& param : params) decl(*param.decl);
  }

  void def(const ast::Def& def) {
    decl(*def.decl);
    params(def.params);
    for (const ast::Stmt& stmt : def.body) {
      if (stmt.kind == ast::Stmt::Kind::Def) this->def(*stmt.def);
      if (stmt.decl != nullptr) decl(*stmt.decl);
      if (stmt.value != nullptr) expr(*stmt.value);
    }
  }

  void call(const ast::CallExpr& call) {
    expr(*call.callee);
    const ast::Def* def = nullptr;
    if (call.callee->kind == ast::Expr::Kind::Name) {
      const ast::Decl* callee = static_cast<const ast::NameExpr&>(*call.callee).decl;
      def = callee == nullptr ? nullptr : callee->def;
    }
    for (const ast::Arg& arg : call.args) {
      for (const ast::Param& param : def == nullptr ? std::span<ast::Param>() : def->params) {
        if (!arg.name.empty() && param.decl->name == arg.name) words_.push_back({arg.loc, param.decl, -1, nullptr});
      }
      expr(*arg.value);
    }
  }

  void expr(const ast::Expr& expr) {
    switch (expr.kind) {
      case ast::Expr::Kind::Name: {
        const ast::NameExpr& name = static_cast<const ast::NameExpr&>(expr);
        words_.push_back({name.loc, name.decl, name.decl == nullptr ? name.builtin : -1, nullptr});
        return;
      }
      case ast::Expr::Kind::List:
        for (const ast::Expr* item : static_cast<const ast::ListExpr&>(expr).items) this->expr(*item);
        return;
      case ast::Expr::Kind::Unary: return this->expr(*static_cast<const ast::UnaryExpr&>(expr).operand);
      case ast::Expr::Kind::Binary:
        this->expr(*static_cast<const ast::BinaryExpr&>(expr).left);
        return this->expr(*static_cast<const ast::BinaryExpr&>(expr).right);
      case ast::Expr::Kind::Compare:
        for (const ast::Expr* operand : static_cast<const ast::CompareExpr&>(expr).operands) this->expr(*operand);
        return;
      case ast::Expr::Kind::If: {
        const ast::IfExpr& choice = static_cast<const ast::IfExpr&>(expr);
        this->expr(*choice.then_value);
        this->expr(*choice.cond);
        return this->expr(*choice.else_value);
      }
      case ast::Expr::Kind::Lambda: {
        const ast::Lambda& lambda = static_cast<const ast::Lambda&>(expr);
        lambdas_.push_back(&lambda);
        params(lambda.params);
        return this->expr(*lambda.body);
      }
      case ast::Expr::Kind::Call: return call(static_cast<const ast::CallExpr&>(expr));
      case ast::Expr::Kind::Int:
      case ast::Expr::Kind::Float:
      case ast::Expr::Kind::Bool:
      case ast::Expr::Kind::None:
      case ast::Expr::Kind::Label:
      case ast::Expr::Kind::TypeName:
      case ast::Expr::Kind::Broken: return;
    }
  }

  std::vector<Word>& words_;
  std::vector<const ast::Lambda*>& lambdas_;
};

/// True if a place on one line contains byte `column` (from 0), or ends there.
bool covers(SourceLoc loc, std::size_t line, std::size_t column) {
  return loc.line == line + 1 && loc.column - 1 <= column && column <= std::size_t{loc.column} - 1 + loc.length;
}

/// The function of `defs` that contains the position. Text behind a function that is indented deeper than its `def`
/// belongs to it.
const ast::Def* def_around(const std::vector<const ast::Def*>& defs, std::size_t line, std::size_t column) {
  const ast::Def* found = nullptr;
  for (const ast::Def* def : defs) {
    if (def->first_line <= line + 1) found = def;
  }
  if (found == nullptr || line + 1 <= found->last_line) return found;
  constexpr std::size_t kWordDef = 4;  // With its space.
  const std::size_t name = found->loc.column - 1;
  return column + kWordDef > name ? found : nullptr;
}

frontend::ModuleReader reader_for(const std::string& path, const OpenText& open_text) {
  const std::string folder = path.empty() ? std::string() : std::filesystem::path(path).parent_path().string();
  return [on_disk = frontend::default_module_reader(folder), folder,
          open_text](const std::string& module) -> std::optional<frontend::ModuleText> {
    if (!folder.empty() && !module.starts_with("std.")) {
      std::string path = folder + "/" + module + ".mt";
      std::replace(path.begin() + static_cast<std::ptrdiff_t>(folder.size()), path.end() - 3, '.', '/');
      if (std::optional<std::string> text = open_text(path)) return frontend::ModuleText{path, std::move(*text)};
    }
    return on_disk(module);
  };
}

}  // namespace

Document::Document(std::string uri, std::string text, const OpenText& open_text)
    : uri_(std::move(uri)), path_(path_of(uri_)) {
  options_.read_module = reader_for(path_, [this, open_text](const std::string& path) {
    asked_.insert(path);
    return open_text(path);
  });
  file_ = sources_.add(path_.empty() ? "program" : path_, std::move(text));
  program_ = frontend::check(sources_, file_, options_, diagnostics_);
  // The last errors are found during lowering to the stage Loop.
  if (const std::optional<frontend::asg::Graph> graph = frontend::build_asg(*program_, diagnostics_)) {
    ir::Context context;
    frontend::lower(*graph, context, diagnostics_);
  }
  diagnostics_.sort_by_place();
  WordCollector(words_, lambdas_).file(*program_->main);
}

std::vector<const ast::Decl*> Document::visible_at(Position position) const {
  const std::string_view text = sources_.line(file_, static_cast<std::uint32_t>(position.line + 1));
  const std::size_t column = bytes_of(text, position.character);
  std::vector<const ast::Decl*> outer;  // From the outermost on.
  for (const ast::Import& import : program_->main->imports) {
    for (const ast::ImportName& name : import.names) outer.push_back(name.decl);
  }
  std::vector<const ast::Def*> defs(program_->main->defs.begin(), program_->main->defs.end());
  for (const ast::Def* def : defs) outer.push_back(def->decl);
  while (const ast::Def* def = def_around(defs, position.line, column)) {
    defs.clear();
    for (const ast::Param& param : def->params) outer.push_back(param.decl);
    for (const ast::Stmt& stmt : def->body) {
      if (stmt.kind == ast::Stmt::Kind::Def) defs.push_back(stmt.def);
      const ast::Decl* bound = stmt.kind == ast::Stmt::Kind::Def ? stmt.def->decl : stmt.decl;
      if (bound != nullptr && bound->loc.line < position.line + 1) outer.push_back(bound);
    }
  }
  for (const ast::Lambda* lambda : lambdas_) {
    if (!covers(lambda->loc, position.line, column)) continue;
    for (const ast::Param& param : lambda->params) outer.push_back(param.decl);
  }
  std::reverse(outer.begin(), outer.end());
  return outer;
}

std::optional<Word> Document::word_at(Position position) const {
  const std::string_view text = sources_.line(file_, static_cast<std::uint32_t>(position.line + 1));
  const std::size_t column = bytes_of(text, position.character);
  for (const Word& word : words_) {
    if (!covers(word.loc, position.line, column)) continue;
    bool known = word.maybe_decl != nullptr || word.builtin >= 0 || word.maybe_module != nullptr;
    if (known) return word;
  }
  std::size_t begin = std::min(column, text.size());
  std::size_t end = begin;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  while (end < text.size() && is_name_character(text[end])) ++end;
  const std::string_view name = text.substr(begin, end - begin);
  if (name.empty() || !program_->main->broken || text.substr(0, begin).find('#') != std::string_view::npos) {
    return std::nullopt;
  }
  Word word;
  word.loc = {file_, static_cast<std::uint32_t>(position.line + 1), static_cast<std::uint32_t>(begin + 1),
              static_cast<std::uint32_t>(name.size())};
  for (const ast::Decl* decl : visible_at(position)) {
    if (decl->name != name) continue;
    word.maybe_decl = decl;
    return word;
  }
  word.builtin = frontend::find_builtin(name);
  return word.builtin >= 0 ? std::optional(word) : std::nullopt;
}

std::optional<std::uint32_t> Document::file_of(const ast::Import& import) const {
  const std::string std_name = "<" + std::string(import.module) + ">";
  std::string suffix = "/" + std::string(import.module) + ".mt";
  std::replace(suffix.begin(), suffix.end() - 3, '.', '/');
  for (const ast::File* file : program_->files) {
    const std::string_view name = sources_.name(file->file);
    if (file != program_->main && (name == std_name || name.ends_with(suffix))) return file->file;
  }
  return std::nullopt;
}

}  // namespace matcha::tools::lsp
