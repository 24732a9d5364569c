#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "session/compile.h"
#include "session/options.h"
#include "session/output_file.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Json = nlohmann::ordered_json;

struct DocOptions {
  ConsoleOptions console;
  std::string module;
  std::string function;
  bool json = false;
};

struct Function {
  std::string name;
  std::string signature;  ///< As written.
  std::string comment;    ///< The lines above it, which may be about several functions.
  std::string doc;
};

/// A docstring without the indentation of its lines and blank lines around it.
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

/// From the name to the colon before the body, on one line.
std::string signature_at(const SourceManager& sources, SourceLoc name) {
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

std::string indented(const std::string& text, std::string_view indent) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end != 0) out.append(indent).append(rest.substr(0, end));
    out += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

/// A file or a module of the library.
class Module {
 public:
  Status read(const std::string& file, const Console& console) {
    std::string text;
    const Status status = read_program(file, nullptr, console, text);
    if (status != Status::Ok) return status;
    name_ = file;
    const std::uint32_t id = sources_.add(program_name(file), std::move(text));
    Diagnostics diagnostics(sources_);
    program_ = frontend::parse(sources_, id, diagnostics);
    if (diagnostics.has_errors()) {
      console.report(diagnostics);
      return Status::Query;
    }
    doc_ = unindented(program_->main->doc);
    for (const frontend::ast::Def* def : program_->main->defs) {
      functions_.push_back({std::string(def->decl->name), signature_at(sources_, def->loc),
                            comment_above(sources_, def->loc), unindented(def->doc)});
    }
    return Status::Ok;
  }

  /// Keeps one function; an error if there is none of that name.
  Status keep(const std::string& function, const Console& console) {
    std::vector<std::string> names;
    for (const Function& one : functions_) names.push_back(one.name);
    const std::string near = nearest_word(function, names);
    std::erase_if(functions_, [&](const Function& one) { return one.name != function; });
    if (!functions_.empty()) return Status::Ok;
    return console.error(
        Status::Usage, fmt::format("`{}` has no function `{}`", name_, function),
        near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean `{}`?", near));
  }

  const std::string& doc() const { return doc_; }

  std::string text() const {
    std::string out = fmt::format("{}\n", name_);
    if (!doc_.empty()) out += indented(doc_, "  ");
    for (const Function& one : functions_) {
      out += one.comment.empty() ? "\n" : fmt::format("\n{}\n", indented(one.comment, "# "));
      out += fmt::format("  {}\n{}", one.signature, indented(one.doc, "      "));
    }
    return out;
  }

  std::string json() const {
    Json report;
    report["schema"] = "matcha.doc/1";
    report["module"] = name_;
    report["doc"] = doc_;
    report["functions"] = Json::array();
    for (const Function& one : functions_) {
      report["functions"].push_back(
          {{"name", one.name}, {"signature", one.signature}, {"comment", one.comment}, {"doc", one.doc}});
    }
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  std::string name_;
  SourceManager sources_;
  std::unique_ptr<frontend::Program> program_;
  std::string doc_;
  std::vector<Function> functions_;
};

/// The beginning of a docstring, as far as it is a sentence of its own.
std::string gist(std::string doc) {
  std::ranges::replace(doc, '\n', ' ');
  std::size_t end = doc.size();
  for (const std::string_view mark : {". ", ": ", "; ", " ("}) {
    end = std::min(end, doc.find(mark));
  }
  doc.resize(end);
  if (doc.ends_with('.')) doc.pop_back();
  return doc;
}

/// The modules of the library, with what each is about.
Status list_modules(bool json, const Console& console, std::string& out) {
  Json report = {{"schema", "matcha.doc/1"}, {"modules", Json::array()}};
  for (const std::string& name : frontend::stdlib_modules()) {
    Module module;
    const Status status = module.read(name, console);
    if (status != Status::Ok) return status;
    const std::string line = gist(module.doc());
    report["modules"].push_back({{"name", name}, {"doc", module.doc()}});
    out += fmt::format("{:<20}  {}\n", name, line);
  }
  if (json) out = report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return Status::Ok;
}

/// The table of options.
std::string options_json() {
  Json report = {{"schema", "matcha.doc/1"}, {"options", Json::array()}};
  for (const Option& option : session::options()) {
    Json one = {{"name", option.name},
                {"takes", keyword(option.takes)},
                {"values", option.values()},
                {"shown", option.shown},
                {"doc", option.text},
                {"group", option.group},
                {"step", keyword(option.step)},
                {"least", option.least},
                {"repeats", option.repeats},
                {"verbs", Json::array()},
                {"requests", option.in_requests},
                {"library", option.in_library},
                {"refusal", refusal(option, option.name)}};
    for (std::uint32_t verb = 1; verb < 1U << kVerbCount; verb <<= 1) {
      if ((option.verbs & verb) != 0) one["verbs"].push_back(verbs_with(verb));
    }
    report["options"].push_back(std::move(one));
  }
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status print_doc(const DocOptions& options) {
  const Console console(options.console);
  std::string out;
  Status status = Status::Ok;
  if (options.module == "options") {
    out = options.json ? options_json() : options_page();
  } else if (options.module.empty()) {
    status = list_modules(options.json, console, out);
  } else {
    Module module;
    status = module.read(options.module, console);
    if (status == Status::Ok && !options.function.empty()) status = module.keep(options.function, console);
    if (status == Status::Ok) out = options.json ? module.json() : module.text();
  }
  if (status != Status::Ok) return status;
  const runtime::Status written = write_text_file("-", out);
  return written ? Status::Ok : console.error(written.error());
}

}  // namespace

void add_doc(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("doc", "Tell what is in a module: functions, signatures and docstrings");
  auto options = std::make_shared<DocOptions>();
  verb->add_option(
          "MODULE", options->module,
          "A module such as std.clique, a program (.mt), or `options`, all there are; without it, the list of modules")
      ->type_name("");
  verb->add_option("FUNCTION", options->function, "Only this function")->type_name("");
  verb->add_flag("--json", options->json, "Print one JSON object");
  add_console_options(*verb, options->console);
  verb->footer(R"(
Examples:
  matcha doc
  matcha doc std.clique
  matcha doc std.clique triangles
  matcha doc query.mt
  matcha doc options)");
  verb->callback([options, &action] { action = [options] { return print_doc(*options); }; });
}

}  // namespace matcha::tools
