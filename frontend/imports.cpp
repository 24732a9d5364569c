#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/parse.h"
#include "frontend/resolve.h"

namespace matcha::frontend {
namespace {

/// The lines `from MODULE import NAME, …` of a module of the binary.
std::vector<std::pair<std::string, std::vector<std::string>>> imports_of(std::string_view text) {
  constexpr std::string_view kFrom = "from ", kImport = " import ", kComma = ", ";
  std::vector<std::pair<std::string, std::vector<std::string>>> imports;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t end = line.find(kImport);
    if (!line.starts_with(kFrom) || end == std::string_view::npos) continue;
    auto& [module, names] = imports.emplace_back();
    module = line.substr(kFrom.size(), end - kFrom.size());
    std::string_view left = line.substr(end + kImport.size());
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = left.find(kComma);
      names.emplace_back(left.substr(0, comma));
      if (comma != std::string_view::npos) left.remove_prefix(comma + kComma.size());
    }
  }
  return imports;
}

class Loader {
 public:
  Loader(Program& program, SourceManager& sources, const Options& options, std::uint32_t& next_decl_id,
         Diagnostics& diagnostics)
      : program_(program),
        sources_(sources),
        read_(options.read_module ? options.read_module : default_module_reader({})),
        next_decl_id_(next_decl_id),
        diagnostics_(diagnostics) {}

  void load(ast::File& file) {
    const auto is_of_binary = [](const ast::Import& import) { return is_embedded(import.module); };
    if (depth_ == 0 && std::ranges::all_of(file.imports, is_of_binary)) {
      for (const ast::Import& import : file.imports) {
        std::vector<std::string> names;
        for (const ast::ImportName& name : import.names) names.emplace_back(name.decl->name);
        need(std::string(import.module), names);
      }
    }
    for (ast::Import& import : file.imports) {
      const Module* module = find(import);
      if (module == nullptr || module->file == nullptr) continue;
      for (ast::ImportName& name : import.names) link(name, import, *module->file);
    }
  }

 private:
  /// Notes functions of a module of the binary, and those that they import. Both are known before a module is read, so
  /// that each is read once.
  void need(const std::string& module, const std::vector<std::string>& names) {
    std::set<std::string>& all = needed_[module];
    const std::size_t before = all.size();
    all.insert(names.begin(), names.end());
    const std::optional<ModuleText> text = all.size() > before ? read_(module) : std::nullopt;
    if (!text) return;
    for (const auto& [imported, functions] : imports_of(with_functions(text->text, names))) need(imported, functions);
  }

  struct Module {
    ast::File* file = nullptr;  ///< Null if no part of it is readable.
    bool loading = true;
  };

  /// The module of `import`, which is read at its first use; null if there is none.
  const Module* find(const ast::Import& import) {
    std::string name(import.module);
    auto [entry, fresh] = modules_.try_emplace(name);
    Module& module = entry->second;
    if (!fresh) {
      if (module.loading) {
        diagnostics_.error(DiagId::ImportCycle, import.module_loc,
                           "`" + name + "` imports itself, perhaps through others");
        return nullptr;
      }
      return &module;
    }
    bool deep = depth_ >= kMaxDepth;
    std::optional<ModuleText> text = deep ? std::nullopt : read_(name);
    if (!text) {
      std::string near = nearest_word(name, stdlib_modules());
      diagnostics_.error(DiagId::UnknownModule, import.module_loc,
                         deep ? "more than " + std::to_string(kMaxDepth) + " imports within imports"
                              : "there is no module `" + name + "`",
                         near.empty() ? "" : "did you mean `" + near + "`?");
      module.loading = false;
      return nullptr;
    }
    if (text->text.size() > kMostModuleBytes) {
      diagnostics_.error(DiagId::UnknownModule, import.module_loc,
                         "`" + text->name + "` is no module: it is longer than 64 MiB");
      module.loading = false;
      return nullptr;
    }
    if (const auto functions = needed_.find(name); functions != needed_.end())
      text->text = with_functions(text->text, {functions->second.begin(), functions->second.end()});
    std::uint32_t id = sources_.add(std::move(text->name), std::move(text->text));
    ast::File* file = parse_file(id, *program_.arena, next_decl_id_, diagnostics_);
    if (file != nullptr) {
      program_.files.push_back(file);
      ++depth_;
      load(*file);
      --depth_;
    }
    module.file = file;
    module.loading = false;
    return &module;
  }

  void link(ast::ImportName& name, const ast::Import& import, const ast::File& file) {
    for (ast::Def* def : file.defs) {
      if (def->decl->name != name.decl->name) continue;
      name.decl->def = def;
      def->decl->used = true;
      return;
    }
    if (file.broken) return;  // The function may be on a line with an error.
    std::vector<std::string> known;
    for (const ast::Def* def : file.defs) known.emplace_back(def->decl->name);
    std::string near = nearest_word(name.decl->name, known);
    diagnostics_.error(
        DiagId::UnknownImport, name.decl->loc,
        "module `" + std::string(import.module) + "` has no function `" + std::string(name.decl->name) + "`",
        near.empty() ? "" : "did you mean `" + near + "`?");
  }

  static constexpr std::size_t kMaxDepth = 64;

  Program& program_;
  SourceManager& sources_;
  ModuleReader read_;
  std::uint32_t& next_decl_id_;
  Diagnostics& diagnostics_;
  std::map<std::string, Module> modules_;
  /// The functions of modules of the binary that the program needs; empty if it imports other modules too.
  std::map<std::string, std::set<std::string>> needed_;
  std::size_t depth_ = 0;
};

}  // namespace

void load_imports(Program& program, SourceManager& sources, const Options& options, std::uint32_t& next_decl_id,
                  Diagnostics& diagnostics) {
  Loader(program, sources, options, next_decl_id, diagnostics).load(*program.main);
}

}  // namespace matcha::frontend
