#include "tools/cli.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostics.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/tables.h"
#include "session/version.h"
#include "tools/help.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

constexpr const char* kFooter = R"(
Examples:
  matcha run examples/triangle.mt graph.txt.gz
  matcha run examples/triangle_listing.mt graph.txt --matches out.csv.gz
  matcha run --pattern house --induced edge graph.txt
  matcha motifs graph.txt --null 100
  matcha check query.mt
  matcha build query.mt --emit=ir
  matcha explain query.mt graph.txt
  matcha bench query.mt graph.txt
  matcha stream query.mt graph.txt --updates changes.txt
  matcha graph info graph.txt
  matcha fmt query.mt
  matcha doc std.clique
  matcha doctor

Exit codes: 0 ok, 1 error in the query, 2 usage, 3 a file that cannot be read
or written or makes no sense, 4 device or run time, 5 resources, 124 timeout,
130 interrupted, 143 terminated.

Environment: NO_COLOR and CLICOLOR_FORCE switch colours, MATCHA_NUM_THREADS is
the default of --threads. `matcha VERB --help` tells more.)";

/// The verb that was given, the innermost one.
const CLI::App* given_verb(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().back();
  return verb;
}

std::string full_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "matcha" : full_name(*verb.get_parent()) + " " + verb.get_name();
}

bool any_verb(const CLI::App* verb) { return !verb->get_group().empty(); }

/// The words that could have been meant: verbs, or options as they are written.
std::vector<std::string> known_words(const CLI::App& verb, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
    return words;
  }
  for (const CLI::App* child : verb.get_subcommands(any_verb)) {
    words.push_back(child->get_name());
  }
  return words;
}

/// A word as a shell takes it.
std::string quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || std::strchr("_-+=:,./@%", c);
  };
  return std::ranges::all_of(word, is_plain) ? word : fmt::format("'{}'", word);
}

/// The command that people mean by a verb or an option that is not there; empty: none is known. `left`: the words from
/// there on.
std::string meant_command(const std::string& verb, const std::vector<std::string>& left) {
  struct Meant {
    std::string_view verb, pattern, options;
  };
  constexpr Meant kMeant[] = {{"count", "triangle", ""},
                              {"match", "triangle", " --matches rows.csv"},
                              {"find", "triangle", " --matches rows.csv"},
                              {"list", "triangle", " --matches rows.csv"},
                              {"orbits", "motif:4", " --per vertex"}};
  const auto meant = std::ranges::find(kMeant, left[0], &Meant::verb);
  if (verb == "matcha" && meant != std::end(kMeant)) {
    const bool has_options = std::any_of(left.begin() + 1, left.end(),
                                         [](const std::string& word) { return word.starts_with("-") && word != "-"; });
    if (has_options) {
      const auto is_pattern = [](const std::string& word) {
        return word == "--pattern" || word.starts_with("--pattern=");
      };
      std::string command =
          std::ranges::any_of(left, is_pattern) ? "matcha run" : fmt::format("matcha run --pattern {}", meant->pattern);
      for (std::size_t at = 1; at < left.size(); ++at) command += " " + quoted(left[at]);
      return command.append(meant->options);
    }
    const bool named = left.size() > 2;
    return fmt::format("matcha run --pattern {} {}{}", named ? quoted(left[1]) : meant->pattern,
                       left.size() > 1 ? quoted(left[named ? 2 : 1]) : "GRAPH", meant->options);
  }
  const std::string_view option = std::string_view(left[0]).substr(0, left[0].find('='));
  if (verb == "matcha build" && option == "--pattern") return "matcha pattern house | matcha build -";
  if (verb == "matcha pattern" && option == "--emit") return "matcha pattern house | matcha build - " + left[0];
  return {};
}

/// The option of the table that a word such as `--limit=3` names; null: there is none. `name`: `--limit`.
const Option* option_of(const std::string& word, std::string& name) {
  name = word.substr(0, word.find('='));
  return name.starts_with("--") ? find_option(std::string_view(name).substr(2), Surface::CommandLine) : nullptr;
}

/// The message with the name of the variable that the value is of, if it is of one.
std::string with_variable(const CLI::App& verb, std::string message) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string head = option->get_name() + ": ";
    const char* const value = option->get_envname().empty() ? nullptr : std::getenv(option->get_envname().c_str());
    if (value == nullptr || !message.starts_with(head) || message.find(value) == std::string::npos) continue;
    message.replace(0, head.size(), option->get_envname() + ": ");
  }
  return message;
}

/// An error of the command line, with a likely correction.
int usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& left) {
  const CLI::App* verb = given_verb(app);
  const std::string help = fmt::format("see `{} --help`", full_name(*verb));
  const Console console{ConsoleOptions{}};
  std::string message = error.what();
  std::string hint = help;
  if (!left.empty()) {
    const std::string& word = left[0];
    const bool option = word.size() > 1 && word[0] == '-';
    const std::vector<std::string> known = known_words(*verb, option);
    const std::string near = nearest_word(word.substr(0, word.find('=')), known);
    const bool verb_missing = !option && !known.empty();
    message = fmt::format("`{}` {} `{}`", full_name(*verb),
                          option         ? "has no option"
                          : verb_missing ? "has no verb"
                                         : "takes no further argument",
                          word);
    const std::string meant = meant_command(full_name(*verb), left);
    std::string name;
    const Option* const other = option_of(word, name);
    if (other != nullptr && other->verbs == 0) message = refusal(*other, name);
    if (!meant.empty()) {
      hint = fmt::format("did you mean `{}`?", meant);
    } else if (other != nullptr && other->verbs != 0) {
      hint = fmt::format("`{}` is an option of {}; {}", name, verbs_with(other->verbs), help);
    } else if (other == nullptr && !near.empty()) {
      hint = fmt::format("did you mean `{}`? Otherwise {}", near, help);
    } else if (verb_missing) {
      hint = fmt::format("the verbs are {}; {}", fmt::join(known, ", "), help);
    }
  } else if (const std::size_t end = message.find('\n'); end != std::string::npos) {
    message.resize(end);
  }
  if (left.empty()) message = with_variable(*verb, std::move(message));
  return exit_code(console.error(Status::Usage, message, hint));
}

/// The files that an option or an argument names, without the names of parameters and columns around them.
std::vector<std::string> files_of(const CLI::Option& option) {
  const std::string& kind = option.get_type_name();
  const bool names_files = option.get_positional() || kind.find("FILE") != std::string::npos;
  // A pattern may be a file.
  if (!names_files && option.get_name() != "--pattern") return {};
  std::vector<std::string> files;
  for (std::string file : option.results()) {
    if (kind.starts_with("NAME=")) file.erase(0, file.find('=') + 1);
    static_cast<void>(session::take_columns(file));
    files.push_back(std::move(file));
  }
  return files;
}

/// Whether two names are of one file, which need not be there.
bool are_same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  if (one == "-" || other == "-") return false;
  std::error_code error;
  if (fs::exists(one, error)) return fs::is_regular_file(one, error) && fs::equivalent(one, other, error);
  const fs::path first = fs::weakly_canonical(fs::absolute(one), error);
  const fs::path second = fs::weakly_canonical(fs::absolute(other), error);
  return !error && !one.empty() && first == second;
}

/// The error of a verb that would write over a file that it reads, or writes by another option; empty: there is none.
/// `graph convert` may write the graph that it has read.
std::string overwritten_file(const CLI::App& verb) {
  constexpr std::string_view kOutputs[] = {"--matches", "--output", "--out", "--svg", "--html", "--labels-out", "OUT"};
  for (const CLI::Option* output : verb.get_options()) {
    if (std::ranges::find(kOutputs, output->get_name()) == std::end(kOutputs)) continue;
    for (const std::string& path : files_of(*output)) {
      for (const CLI::Option* other : verb.get_options()) {
        if (other == output || (output->get_name() == "OUT" && other->get_name() == "IN")) continue;
        const auto is_same = [&](const std::string& file) { return are_same_file(path, file); };
        if (std::ranges::any_of(files_of(*other), is_same)) {
          return fmt::format("`{}` and `{}` are the same file", output->get_name(), other->get_name());
        }
      }
    }
  }
  return {};
}

/// Declares the verb that `words` begin with behind the program, or all where they begin with none: the options of all
/// take longer to declare than the rest of a small command does.
void add_verbs(CLI::App& app, Action& action, std::span<const char* const> words, std::span<const VerbEntry> verbs) {
  const std::string_view name = words.size() > 1 ? words[1] : "";
  const auto alone = std::ranges::find(verbs, name, &VerbEntry::name);
  if (alone != verbs.end() && !alone->tells_of_all) return alone->maybe_add(app, action);
  add_run(app, action,
          words.size() > 2 ? std::vector<std::string>(words.begin() + 2, words.end()) : std::vector<std::string>());
  if (name == "run") return;
  for (const VerbEntry& verb : verbs) {
    if (verb.maybe_add != nullptr) verb.maybe_add(app, action);
  }
}

/// Whether the words begin with a verb that this program lacks.
bool lacks_verb(std::span<const char* const> words, std::span<const VerbEntry> verbs) {
  const auto verb =
      words.size() > 1 ? std::ranges::find(verbs, std::string_view(words[1]), &VerbEntry::name) : verbs.end();
  return verb != verbs.end() && verb->maybe_add == nullptr;
}

/// `by_verb`: the verb `help` requests the help.
int parse_and_run(int argc, const char* const* argv, std::span<const VerbEntry> verbs, bool by_verb) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  if (lacks_verb(words, verbs)) {
    return exit_code(Console{ConsoleOptions{}}.error(
        Status::Usage, fmt::format("this program gives first answers and has no verb `{}`", words[1]),
        "`cmake --build build --target matcha` builds build/bin/matcha, which has all verbs"));
  }
  CLI::App app{"Matcha: subgraph matching from a small language", "matcha"};
  app.set_version_flag("-V,--version", version_text(), "Print the version and exit");
  set_help_format(app);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer(kFooter);
  Action action;
  add_verbs(app, action, words, verbs);
  if (argc <= 1) {
    Console{ConsoleOptions{}}.write(app.help());
    return exit_code(Status::Usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    if (by_verb && !app.remaining(true).empty()) return usage_error(app, success, app.remaining(true));
    std::ostringstream text;
    app.exit(success, text, text);
    const runtime::Status written = write_text_file("-", text.str());
    return exit_code(written ? Status::Ok : Console{ConsoleOptions{}}.error(written.error()));
  } catch (const CLI::RequiredError& error) {
    // Only the verb was given: print its help.
    const CLI::App* verb = given_verb(app);
    if (!app.remaining(true).empty() || verb->get_subcommands(any_verb).empty()) {
      return usage_error(app, error, app.remaining(true));
    }
    Console{ConsoleOptions{}}.write(verb->help(full_name(*verb->get_parent())));
    return exit_code(Status::Usage);
  } catch (const CLI::ParseError& error) {
    // CLI11 reports missing options before unexpected ones; the latter help more.
    return usage_error(app, error, app.remaining(true));
  }
  if (const std::string same = overwritten_file(*given_verb(app)); !same.empty()) {
    return exit_code(Console{ConsoleOptions{}}.error(Status::Usage, same, "give the output a file of its own"));
  }
  return exit_code(action());
}

/// If a standard descriptor is closed, the next file that is opened would get its number and its output. So each closed
/// standard descriptor is opened on a file that refuses every use.
void guard_standard_descriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free descriptor is this one.
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv, std::span<const VerbEntry> verbs) {
  // `matcha help run` is `matcha run --help`.
  std::vector<const char*> words(argv, argv + argc);
  const bool by_verb = argc > 1 && std::string_view(argv[1]) == "help";
  if (by_verb) {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  guard_standard_descriptors();
  // A closed pipe, and a file that may not grow further, are failed writes, and end a verb in order.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const Console console{ConsoleOptions{}};
  try {
    return parse_and_run(static_cast<int>(words.size()), words.data(), verbs, by_verb);
  } catch (const std::bad_alloc&) {
    return exit_code(console.error(Status::Resource, "out of memory"));
  } catch (const std::exception& error) {
    return exit_code(console.error(Status::Run, fmt::format("internal error: {}", error.what()),
                                   "this is a bug in matcha; please report it with the command"));
  }
}

void add_console_options(CLI::App& verb, ConsoleOptions& options) {
  add_help_flags(verb);
  verb.add_option("--color", options.color, "Colour messages")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->option_text("auto|always|never")
      ->group("Messages");
  verb.add_option("--diagnostics", options.diagnostics, "Form of errors; json is for editors")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json")
      ->group("Messages");
  verb.add_flag("-q,--quiet", options.quiet, "Print errors only")->group("Messages");
  verb.add_flag("--no-progress", options.no_progress, "Draw no progress bar")->group("Messages");
}

}  // namespace matcha::tools
