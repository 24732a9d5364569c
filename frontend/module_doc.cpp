#include "frontend/module_doc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "frontend/frontend.h"

namespace matcha::frontend {

namespace {

/// From the name to the colon before the body, on one line.
std::string written_signature(const SourceManager& sources, SourceLoc name) {
  std::string out;
  int depth = 0;
  std::string_view line = sources.line(name.file, name.line).substr(name.column - 1);
  const std::string_view text = sources.text(name.file);
  for (std::size_t at = static_cast<std::size_t>(line.data() - text.data()); at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ':' && depth == 0) break;
    if (c == '#') at = std::min(text.find('\n', at), text.size() - 1);
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// The comment lines above a function; blank lines may stand between.
std::string comment_above(const SourceManager& sources, SourceLoc name) {
  std::vector<std::string> lines;
  for (std::uint32_t number = name.line - 1; number != 0; --number) {
    const std::string_view line = sources.line(name.file, number);
    if (line.starts_with("#")) {
      lines.emplace_back(line.substr(std::min(line.find_first_not_of("# "), line.size())));
    } else if (line.find_first_not_of(" \t\r") != std::string_view::npos || !lines.empty()) {
      break;
    }
  }
  return fmt::format("{}", fmt::join(lines.rbegin(), lines.rend(), "\n"));
}

}  // namespace

std::string unindented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    line.remove_suffix(line.size() - std::min(line.find_last_not_of(" \t\r") + 1, line.size()));
    if (!out.empty() || !line.empty()) out.append(line).append("\n");
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

std::optional<ModuleDoc> module_doc(SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const std::unique_ptr<Program> program = parse(sources, file, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  ModuleDoc found{unindented(program->main->doc), {}};
  for (const ast::Def* def : program->main->defs) {
    FunctionDoc& one = found.functions.emplace_back();
    one = {std::string(def->decl->name),
           written_signature(sources, def->loc),
           comment_above(sources, def->loc),
           unindented(def->doc),
           {}};
    for (const ast::Param& param : def->params) {
      const std::string_view type = param.maybe_type == nullptr ? "" : param.maybe_type->name;
      if (type == "int" || type == "float" || type == "bool") one.parameters.emplace_back(param.decl->name);
    }
  }
  return found;
}

}  // namespace matcha::frontend
