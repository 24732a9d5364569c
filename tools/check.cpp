#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "session/compile.h"
#include "session/options.h"
#include "session/output_file.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct CheckOptions {
  ConsoleOptions console;
  CompileOptions compile;
};

Status check(const CheckOptions& options) {
  const Console console(options.console);
  Compilation compilation(options.compile, console);
  compilation.set_reporting(!console.json());
  Status code = compilation.read();
  if (code != Status::Ok) return code;
  code = compilation.check();
  if (code == Status::Ok) code = compilation.lower();
  std::string answer;
  // For editors the diagnostics are the answer; an empty array means that all is well.
  if (console.json()) {
    answer = render_json(compilation.diagnostics());
  } else if (code == Status::Ok) {
    answer = fmt::format("{}\n", to_string(compilation.signature()));
  }
  const runtime::Status written = write_text_file("-", answer);
  return written ? code : console.error(written.error());
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("check", "Report the errors of a program; print the inferred signature if none");
  auto options = std::make_shared<CheckOptions>();
  add_program_file(*verb, options->compile);
  OptionTargets to;
  to.compile = &options->compile;
  to.entry = &options->compile.entry;
  add_options(*verb, kCheck, to);
  add_console_options(*verb, options->console);
  verb->footer(R"(
Examples:
  matcha check query.mt
  matcha check --diagnostics=json - < query.mt

That prints a JSON array on stdout, empty when all is well.)");
  verb->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace matcha::tools
