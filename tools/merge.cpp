#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "session/cluster/ledger.h"
#include "tools/cli.h"
#include "tools/console.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct MergeOptions {
  ConsoleOptions console;
  std::vector<std::string> ledgers;
  std::string matches;
  std::string graph;
  bool json = false;
};

/// Runs the command of the first ledger again, with the results in the ledgers instead of its parallel loops.
Status merge(const MergeOptions& options) {
  const Console console(options.console);
  const runtime::Result<session::cluster::Ledger> first = session::cluster::read_ledger(options.ledgers.front());
  if (!first) return console.error(first.error());
  // Options of the merge stand first: the words of the parts may have a `--`.
  std::vector<std::string> words{"matcha", "run"};
  if (options.json) words.emplace_back("--json");
  if (options.console.quiet) words.emplace_back("--quiet");
  if (!options.matches.empty()) words.push_back("--matches=" + options.matches);
  for (const std::string& ledger : options.ledgers) words.push_back("--from-ledgers=" + ledger);
  bool counted = false, listed = false, are_options = true;
  for (std::size_t i = 0; i < first->header.words.size(); ++i) {
    const std::string& word = first->header.words[i];
    are_options = are_options && word != "--";
    const bool is_matches = are_options && (word == "--matches" || word.starts_with("--matches="));
    listed = listed || is_matches;
    counted = counted || (are_options && (word == "--pattern" || word.starts_with("--pattern=")));
    const bool replaced = is_matches && !options.matches.empty();
    if (!replaced) words.push_back(word);
    if (replaced && word == "--matches") ++i;
  }
  if (!options.matches.empty() && counted && !listed) {
    return console.error(Status::Usage, "`--matches` was given, and the parts counted their matches and kept none",
                         "run the parts with --matches");
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return status_of_exit(run_command_line(static_cast<int>(arguments.size()), arguments.data(), {}));
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("merge", "Put the parts of a run together");
  auto options = std::make_shared<MergeOptions>();
  verb->add_option("LEDGER", options->ledgers, "Files of `matcha run --shard I/N --ledger FILE`, of all N parts")
      ->required();
  verb->add_flag("--json", options->json, "Print one JSON object instead of the bare answer")->group("Answer");
  verb->add_option("--matches", options->matches, "Write the rows of a list to this file")
      ->type_name("FILE")
      ->group("Answer");
  add_console_options(*verb, options->console);
  verb->footer(R"(
Examples:
  matcha run --pattern house g.mtg --shard 0/2 --ledger a.mtl     # anywhere
  matcha run --pattern house g.mtg --shard 1/2 --ledger b.mtl     # anywhere else
  matcha merge a.mtl b.mtl

The answer is that of the whole run, to the last digit. Program and graph must
be where they were for the parts, seen from the current folder.)");
  verb->callback([options, &action] { action = [options] { return merge(*options); }; });
}

}  // namespace matcha::tools
