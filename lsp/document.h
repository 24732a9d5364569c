#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "lsp/text.h"

/// A program in an editor: its text, its tree, and the meaning of its words.
namespace matcha::tools::lsp {

namespace ast = frontend::ast;

/// A word of the program with a meaning.
struct Word {
  SourceLoc loc;
  const ast::Decl* maybe_decl = nullptr;      ///< The declaration that it names.
  int builtin = -1;                           ///< Or index of an operator.
  const ast::Import* maybe_module = nullptr;  ///< Or a module, in an import.
};

/// The text of an open file, or nothing.
using OpenText = std::function<std::optional<std::string>(const std::string& path)>;

class Document {
 public:
  /// Reads and checks the text. Modules come from `open_text` if they are open, else from the folder of the file that
  /// `uri` names, perhaps none, and from the binary.
  Document(std::string uri, std::string text, const OpenText& open_text);

  /// As the editor spells it.
  const std::string& uri() const { return uri_; }
  /// Empty: the text is in no file.
  const std::string& path() const { return path_; }
  /// Whether the module of that path was looked for, directly or by another module, also if there was none.
  bool imports(const std::string& path) const { return asked_.contains(path); }
  const SourceManager& sources() const { return sources_; }
  std::uint32_t file() const { return file_; }
  std::string_view text() const { return sources_.text(file_); }
  const frontend::Program& program() const { return *program_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const frontend::ModuleReader& modules() const { return options_.read_module; }

  /// The meaning of the word at a position; empty if it has none. On lines with syntax errors words are looked up by
  /// name.
  std::optional<Word> word_at(Position position) const;
  /// The declarations visible at the position, innermost first.
  std::vector<const ast::Decl*> visible_at(Position position) const;
  const std::vector<Word>& words() const { return words_; }
  /// The file of a module imported by the program; empty after an error in it.
  std::optional<std::uint32_t> file_of(const ast::Import& import) const;

 private:
  std::string uri_;
  std::string path_;
  std::set<std::string> asked_;  ///< Paths of modules.
  SourceManager sources_;
  std::uint32_t file_ = 0;
  Diagnostics diagnostics_{sources_};
  frontend::Options options_;
  std::unique_ptr<frontend::Program> program_;
  std::vector<Word> words_;
  std::vector<const ast::Lambda*> lambdas_;
};

}  // namespace matcha::tools::lsp
