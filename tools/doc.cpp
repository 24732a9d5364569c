#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/module_doc.h"
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

/// Reads a file or a module of the library.
Status read_doc(const std::string& file, const Console& console, frontend::ModuleDoc& found) {
  std::string text;
  if (const Status status = read_program(file, nullptr, console, text); status != Status::Ok) return status;
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t id = sources.add(program_name(file), std::move(text));
  std::optional<frontend::ModuleDoc> doc = frontend::module_doc(sources, id, diagnostics);
  if (!doc) {
    console.report(diagnostics);
    return Status::Query;
  }
  found = std::move(*doc);
  return Status::Ok;
}

/// Keeps one function; an error if there is none of that name.
Status keep(const DocOptions& options, const Console& console, frontend::ModuleDoc& doc) {
  std::vector<std::string> names;
  for (const frontend::FunctionDoc& one : doc.functions) names.push_back(one.name);
  const std::string near = nearest_word(options.function, names);
  std::erase_if(doc.functions, [&](const frontend::FunctionDoc& one) { return one.name != options.function; });
  if (!doc.functions.empty()) return Status::Ok;
  return console.error(
      Status::Usage, fmt::format("`{}` has no function `{}`", options.module, options.function),
      near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean `{}`?", near));
}

std::string doc_text(const std::string& name, const frontend::ModuleDoc& doc) {
  std::string out = fmt::format("{}\n", name);
  if (!doc.doc.empty()) out += indented(doc.doc, "  ");
  for (const frontend::FunctionDoc& one : doc.functions) {
    out += one.comment.empty() ? "\n" : fmt::format("\n{}\n", indented(one.comment, "# "));
    out += fmt::format("  {}\n{}", one.signature, indented(one.doc, "      "));
  }
  return out;
}

std::string json_line(const Json& report) { return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string doc_json(const std::string& name, const frontend::ModuleDoc& doc) {
  Json report = {{"schema", "matcha.doc/1"}, {"module", name}, {"doc", doc.doc}, {"functions", Json::array()}};
  for (const frontend::FunctionDoc& one : doc.functions) {
    report["functions"].push_back(
        {{"name", one.name}, {"signature", one.signature}, {"comment", one.comment}, {"doc", one.doc}});
  }
  return json_line(report);
}

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

/// The modules of the library, each with its summary.
Status list_modules(bool json, const Console& console, std::string& out) {
  Json report = {{"schema", "matcha.doc/1"}, {"modules", Json::array()}};
  for (const std::string& name : frontend::stdlib_modules()) {
    frontend::ModuleDoc module;
    if (const Status status = read_doc(name, console, module); status != Status::Ok) return status;
    report["modules"].push_back({{"name", name}, {"doc", module.doc}});
    out += fmt::format("{:<20}  {}\n", name, gist(module.doc));
  }
  if (json) out = json_line(report);
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
  return json_line(report);
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
    frontend::ModuleDoc doc;
    status = read_doc(options.module, console, doc);
    if (status == Status::Ok && !options.function.empty()) status = keep(options, console, doc);
    if (status == Status::Ok) out = options.json ? doc_json(options.module, doc) : doc_text(options.module, doc);
  }
  if (status != Status::Ok) return status;
  const runtime::Status written = write_text_file("-", out);
  return written ? Status::Ok : console.error(written.error());
}

}  // namespace

void add_doc(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("doc", "List a module: functions, signatures and docstrings");
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
