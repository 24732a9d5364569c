#include "tools/library_names.h"

#include <algorithm>
#include <set>

#include "frontend/frontend.h"
#include "session/compile.h"
#include "session/message_log.h"

namespace matcha::tools {

LibraryNames library_names() {
  LibraryNames names;
  names.modules = frontend::stdlib_modules();
  std::set<std::string> entries;
  std::set<std::string> parameters;
  const session::MessageLog log;
  for (const std::string& module : names.modules) {
    std::string text;
    if (session::read_program(module, nullptr, log, text) != session::Status::Ok) continue;
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const std::unique_ptr<frontend::Program> program =
        frontend::parse(sources, sources.add(module, std::move(text)), diagnostics);
    for (const frontend::ast::Def* def : program->main->defs) {
      entries.insert(std::string(def->decl->name));
      for (const frontend::ast::Param& param : def->params) {
        const std::string_view type = param.maybe_type == nullptr ? "" : param.maybe_type->name;
        if (type == "int" || type == "float" || type == "bool") parameters.insert(std::string(param.decl->name) + "=");
      }
    }
  }
  names.entries.assign(entries.begin(), entries.end());
  names.parameters.assign(parameters.begin(), parameters.end());
  return names;
}

}  // namespace matcha::tools
