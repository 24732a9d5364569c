#include "tools/option_facts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <set>

#include "frontend/error_pages.h"
#include "frontend/frontend.h"
#include "frontend/module_doc.h"
#include "passes/pass.h"
#include "question/read.h"
#include "session/compile.h"
#include "session/message_log.h"
#include "session/options.h"
#include "tools/exit_codes.h"
#include "tools/help.h"

namespace matcha::tools {

namespace {

/// The choices of a CLI::IsMember, which CLI11 gives in the name of the type only: `TEXT:{auto,cpu,cuda}`.
std::vector<std::string> checked_choices(const std::string& type) {
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.find('}', std::min(begin, type.size()));
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

/// Names in the modules of the binary.
struct LibraryNames {
  std::vector<std::string> modules = frontend::stdlib_modules();  ///< `std.clique`.
  std::set<std::string> entries;                                  ///< Functions of all of them.
  std::set<std::string> parameters;  ///< Ints, floats and bools that these take, as `--param` begins: `k=`.
};

LibraryNames library_names() {
  LibraryNames names;
  const session::MessageLog log;
  for (const std::string& module : names.modules) {
    std::string text;
    if (read_program(module, nullptr, log, text) != Status::Ok) continue;
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const auto doc = frontend::module_doc(sources, sources.add(module, std::move(text)), diagnostics);
    if (!doc) continue;
    for (const frontend::FunctionDoc& one : doc->functions) {
      names.entries.insert(one.name);
      for (const std::string& parameter : one.parameters) names.parameters.insert(parameter + "=");
    }
  }
  return names;
}

/// The verbs whose FILE is a program, perhaps a module of the library.
bool reads_program(std::string_view verb) {
  constexpr std::array<std::string_view, 6> kReaders = {"run", "check", "build", "explain", "bench", "stream"};
  return std::ranges::find(kReaders, verb) != kReaders.end();
}

/// Names that stand for a value although others are accepted too.
std::vector<std::string> known_names(const std::string& type, const std::string& name, const std::string& verb) {
  static const LibraryNames library = library_names();
  if (name == "--entry" || name == "FUNCTION") return {library.entries.begin(), library.entries.end()};
  if (name == "--param") return {library.parameters.begin(), library.parameters.end()};
  std::vector<std::string> names;
  if (name == "MODULE" || ((name == "FILE" || name == "FILES") && reads_program(verb))) {
    names = library.modules;
    const std::vector<std::string> ids = verb == "explain" ? frontend::error_ids() : std::vector<std::string>();
    names.insert(names.end(), ids.begin(), ids.end());
  } else if (name == "--simd") {
    names = find_option("simd", Surface::CommandLine)->values();
  } else if (type == "PASS" || name == "--disable-pass") {
    for (const passes::PassInfo& pass : passes::all_passes()) names.emplace_back(pass.name);
  } else if (name == "--pattern" || name == "PATTERN") {
    for (const pattern::NamedPattern& known : pattern::pattern_names()) {
      names.emplace_back(known.name.substr(0, known.name.find(':')));
    }
  }
  return names;
}

OptionFacts facts_of(const CLI::Option& option, const std::string& verb) {
  OptionFacts facts;
  const bool named = option.nonpositional();
  if (!named) {
    facts.name = option.get_name(true);
  } else if (!option.get_lnames().empty()) {
    facts.name = "--" + option.get_lnames().front();
  }
  if (!option.get_snames().empty()) facts.letter = "-" + option.get_snames().front();
  if (facts.name.empty()) std::swap(facts.name, facts.letter);
  facts.text = option.get_description();
  facts.group = option.get_group();
  facts.required = option.get_required();
  facts.repeats = option.get_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (option.get_items_expected_max() == 0) return facts;
  const std::string type = option.get_type_name();
  facts.shown = value_name(option);
  facts.choices = checked_choices(type);
  facts.value = facts.choices.empty() ? OptionFacts::Value::Other : OptionFacts::Value::Choice;
  if (!facts.choices.empty()) return facts;
  facts.choices = known_names(facts.shown, facts.name, verb);
  if (facts.shown.find("FILE") != std::string::npos || !named) {
    facts.value = OptionFacts::Value::File;
  } else if (facts.shown == "FOLDER") {
    facts.value = OptionFacts::Value::Folder;
  }
  return facts;
}

bool is_shown(const CLI::App* verb) { return !verb->get_group().empty(); }

void add_facts(const CLI::App& app, VerbFacts& verb) {
  verb.text = app.get_description();
  // The name of the program is beside it in any case.
  if (verb.text.starts_with("Matcha: ")) verb.text.erase(0, 8);
  verb.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? verb.options : verb.arguments).push_back(facts_of(*option, app.get_name()));
  }
  for (const CLI::App* child : app.get_subcommands(is_shown)) {
    VerbFacts below;
    below.path = verb.path;
    below.path.push_back(child->get_name());
    add_facts(*child, below);
    verb.verbs.push_back(std::move(below));
  }
}

}  // namespace

std::string VerbFacts::name(char between) const {
  std::string out;
  for (const std::string& word : path) out += (out.empty() ? "" : std::string(1, between)) + word;
  return out;
}

VerbFacts facts_of(const CLI::App& app) {
  VerbFacts top;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent()) {
    top.path.insert(top.path.begin(), at->get_name());
  }
  add_facts(app, top);
  return top;
}

std::vector<const VerbFacts*> all_verbs(const VerbFacts& top) {
  std::vector<const VerbFacts*> verbs = {&top};
  for (const VerbFacts& below : top.verbs) {
    const std::vector<const VerbFacts*> more = all_verbs(below);
    verbs.insert(verbs.end(), more.begin(), more.end());
  }
  return verbs;
}

}  // namespace matcha::tools
