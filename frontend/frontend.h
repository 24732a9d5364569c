#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/asg.h"
#include "frontend/ast.h"
#include "ir/support/diagnostics.h"

/// The front end: text to AST to ASG. Errors are diagnostics; nothing throws and nothing is printed.
namespace matcha::frontend {

struct ModuleText {
  std::string name;  ///< The name in diagnostics.
  std::string text;
};
/// Most bytes of a module, and of a program.
inline constexpr std::size_t kMostModuleBytes = std::size_t{64} << 20;
/// Finds the text of a dotted module name, `std.clique` or `mylib`; empty if there is no such module.
using ModuleReader = std::function<std::optional<ModuleText>(const std::string& module)>;

/// Reads `std.*` from the modules in the binary and others from `directory`, where `a.b` is `a/b.mt`. It reads at most
/// one byte more than `kMostModuleBytes`.
ModuleReader default_module_reader(std::string directory);
/// Whether a dotted module name is one of the binary.
inline bool is_embedded(std::string_view module) { return module.starts_with("std."); }
/// The text of a module of the binary with empty lines in place of the functions and imports that the functions `names`
/// do not lead to; all of it if one of them is not there. Reading the rest would take longer than many runs.
std::string with_functions(std::string_view text, const std::vector<std::string>& names);
/// Names of the modules in the binary, sorted: `std.clique`, …
std::vector<std::string> stdlib_modules();

struct Options {
  std::string entry;         ///< Name of the function to compile; empty: `main`, else the last one of the file.
  ModuleReader read_module;  ///< Empty: only the modules of the binary.
};

/// A parsed program with its imports; owns the trees.
struct Program {
  ast::File* main = nullptr;
  std::vector<ast::File*> files;  ///< In order of reading, `main` first.
  ast::Def* entry = nullptr;      ///< Set by `check`; null if there is none.
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  std::unique_ptr<TypeTable> types = std::make_unique<TypeTable>();
};

/// Parses one file, without its imports. Never null; after syntax errors the tree has the readable parts.
std::unique_ptr<Program> parse(SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics);

/// Parses the file and its imports, resolves names and infers types. Never null; see `diagnostics.has_errors()`. After
/// syntax errors, names and types are still checked in the functions without such errors.
std::unique_ptr<Program> check(SourceManager& sources, std::uint32_t file, const Options& options,
                               Diagnostics& diagnostics);

/// The graph of a checked program's entry; nothing if there are errors.
std::optional<asg::Graph> build_asg(const Program& program, Diagnostics& diagnostics);

/// Runs all stages; empty if there are errors. Diagnostics are sorted by place.
std::optional<asg::Graph> compile(SourceManager& sources, std::uint32_t file, const Options& options,
                                  Diagnostics& diagnostics);

/// The tree as an indented list, for `--emit=ast`.
std::string print_ast(const Program& program);

}  // namespace matcha::frontend
