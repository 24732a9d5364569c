#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/console.h"
#include "tools/exit_codes.h"

namespace CLI {
class App;
}  // namespace CLI

/// One function a verb: it declares the verb's options below `app` and sets `action` once the verb was given.
namespace matcha::tools {

using Action = std::function<Status()>;

struct VerbEntry {
  std::string_view name;
  void (*maybe_add)(CLI::App& app, Action& action);  ///< Null: this program lacks the verb.
  bool tells_of_all = false;                         ///< Its answer lists all verbs.
};

/// The verbs of this program but `run`, in the order of the help.
std::span<const VerbEntry> program_verbs();

/// `words`: of the command line behind the verb.
void add_run(CLI::App& app, Action& action, std::vector<std::string> words);
void add_merge(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_build(CLI::App& app, Action& action);
void add_pattern(CLI::App& app, Action& action);
void add_motifs(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_fmt(CLI::App& app, Action& action);
void add_lsp(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_stream(CLI::App& app, Action& action);
void add_doc(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
/// Not in help: the manual pages, for packagers.
void add_man(CLI::App& app, Action& action);

/// `--color`, `--quiet`, `--diagnostics` and `--no-progress`, which every verb has.
void add_console_options(CLI::App& verb, ConsoleOptions& options);

}  // namespace matcha::tools
