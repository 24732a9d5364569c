#include "frontend/error_pages.h"

#include <error_cases.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

namespace {

constexpr std::string_view kCases = "tests/errors/";
constexpr std::size_t kMostExamples = 3;
constexpr std::size_t kLineWidth = 100;

struct Page {
  DiagId id;
  const char* mend;
  const char* command;  ///< Empty: a case is the example.
};

constexpr Page kPages[] = {
#define MATCHA_ERROR_PAGE(Name, mend, command) {DiagId::Name, mend, command},
#include "frontend/error_pages.def"
#undef MATCHA_ERROR_PAGE
};

#define MATCHA_DIAGNOSTIC(Name, text, meaning) +1
constexpr std::size_t kIds = 0
#include "ir/support/diagnostics.def"
    ;
#undef MATCHA_DIAGNOSTIC
static_assert(std::size(kPages) == kIds, "every diagnostic has a page");

/// Modules of the library, and those that cases import.
std::optional<ModuleText> read_module(const std::string& module) {
  if (module.starts_with("std.")) return default_module_reader({})(module);
  std::string path(kCases);
  for (const char c : module) path += c == '.' ? '/' : c;
  path += ".mt";
  const std::string_view text = cases::embedded_text(path);
  if (text.data() == nullptr) return std::nullopt;
  return ModuleText{path, std::string(text)};
}

/// Breaks text into lines of a comfortable width, each after `indent`.
std::string mend_lines(std::string_view text, std::string_view indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column != 0 && column + 1 + end > kLineWidth) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out += indent;
      column = indent.size();
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

/// The line with a mark below its place, the message and the hint.
std::string example(const Diagnostic& found, const SourceManager& sources) {
  std::string out;
  const std::string_view line = sources.line(found.loc.file, found.loc.line);
  const std::size_t margin = std::min(line.find_first_not_of(" \t"), line.size());
  if (found.loc.valid() && margin < line.size()) {
    const std::size_t column = found.loc.column > margin ? found.loc.column - 1 - margin : 0;
    const std::size_t length = std::clamp<std::size_t>(found.loc.length, 1, line.size());
    out += fmt::format("    {}\n    {:>{}}{:^>{}}\n", line.substr(margin), "", column, "", length);
  }
  const char* const severity = found.severity == Severity::Error ? "error" : "warning";
  out += fmt::format("  {}: {} [{}]\n", severity, found.message, diag_text(found.id));
  if (!found.hint.empty()) out += fmt::format("  hint: {}\n", found.hint);
  return out;
}

/// Adds what a case says about `id`, one example for each message.
void add_examples(std::string_view path, DiagId id, std::set<std::string>& messages, std::string& out) {
  constexpr std::string_view kEntry = "# entry: ";
  const std::string text(cases::embedded_text(path));
  SourceManager sources;
  const std::uint32_t file = sources.add(std::string(path), text);
  Diagnostics diagnostics(sources);
  Options options;
  options.read_module = read_module;
  if (text.starts_with(kEntry)) options.entry = text.substr(kEntry.size(), text.find('\n') - kEntry.size());
  const std::optional<asg::Graph> graph = compile(sources, file, options, diagnostics);
  ir::Context context;
  if (graph) lower(*graph, context, diagnostics);
  for (const Diagnostic& found : diagnostics.all()) {
    if (found.id != id || messages.size() >= kMostExamples || !messages.insert(found.message).second) continue;
    out += (out.empty() ? "" : "\n") + example(found, sources);
  }
}

std::string examples(const Page& page) {
  if (*page.command != '\0') return fmt::format("    {}\n", page.command);
  std::string out;
  std::set<std::string> messages;
  const std::string mark = fmt::format("[{}]", diag_text(page.id));
  // A case that does not name it may import a module that does.
  for (const bool names_it : {true, false}) {
    for (const std::string_view path : cases::embedded_paths()) {
      const bool is_case = path.substr(kCases.size()).starts_with("fail_");
      if (!is_case || (cases::embedded_text(path).find(mark) != std::string_view::npos) != names_it) continue;
      if (messages.size() < kMostExamples) add_examples(path, page.id, messages, out);
    }
    if (!messages.empty()) break;
  }
  return out;
}

}  // namespace

std::optional<std::string> error_page(std::string_view id) {
  if (id.starts_with('[') && id.ends_with(']')) id = id.substr(1, id.size() - 2);
  const Page* const page = std::ranges::find_if(kPages, [&](const Page& one) { return diag_text(one.id) == id; });
  if (page == std::end(kPages)) return std::nullopt;
  return fmt::format("{}: {}\n\nExample:\n\n{}\nHow to mend it:\n\n{}", id, diag_meaning(page->id), examples(*page),
                     mend_lines(page->mend, "  "));
}

std::vector<std::string> error_ids() {
  std::vector<std::string> ids;
  for (const DiagId id : all_diag_ids()) ids.emplace_back(diag_text(id));
  return ids;
}

}  // namespace matcha::frontend
