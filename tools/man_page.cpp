#include "tools/man_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>

#include "manual.h"
#include "session/output_file.h"
#include "session/version.h"
#include "tools/man_text.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

constexpr std::size_t kDeepestPage = 2;  ///< Words behind `matcha` in the name of a page.

struct Chapter {
  std::string_view verb;
  std::string_view page;     ///< In docs/.
  std::string_view heading;  ///< One section of the page; empty: all of it.
};
constexpr Chapter kChapters[] = {
    {"run", "docs/run.md", ""},
    {"run", "docs/engines.md", "How to run"},
    {"run", "docs/engines.md", "Order of vertices"},
    {"run", "docs/engines.md", "Timed schedules"},
    {"pattern", "docs/patterns.md", ""},
    {"motifs", "docs/motifs.md", "Significance"},
    {"query", "docs/queries.md", ""},
    {"explain", "docs/plan.md", ""},
    {"stream", "docs/streams.md", ""},
    {"bench", "docs/bench.md", ""},
    {"serve", "docs/serve.md", ""},
    {"merge", "docs/scale.md", "Several processes"},
    {"graph", "docs/graphs.md", ""},
    {"check", "docs/build.md", "Check"},
    {"fmt", "docs/build.md", "Formatting"},
    {"build", "docs/build.md", "Stages"},
    {"build", "docs/build.md", "Ahead of time"},
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

std::string command(const VerbFacts& verb) { return verb.path.empty() ? "matcha" : "matcha " + verb.name(); }

std::string synopsis(const VerbFacts& verb) {
  std::string out = bold(command(verb));
  if (!verb.options.empty()) out += " [" + slanted("OPTION") + "]...";
  if (!verb.verbs.empty()) out += " " + slanted("VERB") + " ...";
  for (const OptionFacts& argument : verb.arguments) {
    const std::string name = slanted(argument.name) + (argument.repeats ? "..." : "");
    out += argument.required ? " " + name : " [" + name + "]";
  }
  return out + "\n";
}

std::string option_item(const OptionFacts& option) {
  std::string out = ".TP\n";
  if (!option.letter.empty()) out += bold(option.letter) + ", ";
  out += bold(option.name);
  if (!option.shown.empty() && option.value != OptionFacts::Value::None) out += "=" + slanted(option.shown);
  return out + "\n" + roff_of_markdown(option.text);
}

/// Options under the headings of the help, in the order in which these come first.
std::string options(const VerbFacts& verb) {
  std::string out;
  for (const OptionFacts& argument : verb.arguments) {
    out += ".TP\n" + slanted(argument.name) + "\n" + roff_of_markdown(argument.text);
  }
  std::vector<std::string> groups;
  for (const OptionFacts& option : verb.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    if (group != "Options") out += ".SS " + roff_text(group) + "\n";
    for (const OptionFacts& option : verb.options) {
      if (option.group == group) out += option_item(option);
    }
  }
  return out;
}

/// The paragraphs of a help text's end; lines that are indented are kept as they are.
std::string footer(const VerbFacts& verb) {
  std::string examples;
  std::string notes;
  std::string_view rest = verb.footer;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("\n\n"), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    part.remove_prefix(std::min(part.find_first_not_of('\n'), part.size()));
    if (part.starts_with("Example")) {
      examples = ".SH EXAMPLES\n" + roff_lines(part.substr(part.find('\n') + 1));
      continue;
    }
    std::string& out = examples.empty() ? notes : examples;
    out += out.empty() ? ".SH NOTES\n" : ".PP\n";
    out += part.starts_with("  ") ? roff_lines(part) : roff_of_markdown(part);
  }
  return notes + examples;
}

std::string chapter_of(std::string_view heading, std::string_view text) {
  return ".SH " + upper(std::string(heading)) + "\n" + roff_of_markdown(text);
}

/// A chapter for each section of a page; the text above the first one is the description.
std::string chapters_of(std::string_view page) {
  constexpr std::string_view kMark = "\n## ";
  page.remove_prefix(std::min(page.find('\n'), page.size()));  // Its title.
  std::size_t at = page.find(kMark);
  std::string out = chapter_of("Description", page.substr(0, at));
  while (at != std::string_view::npos) {
    const std::string_view rest = page.substr(at + kMark.size());
    const std::string_view heading = rest.substr(0, rest.find('\n'));
    out += chapter_of(heading, section_of(page, heading));
    at = page.find(kMark, at + kMark.size());
  }
  return out;
}

std::string chapters(const VerbFacts& verb) {
  std::string out;
  for (const Chapter& chapter : kChapters) {
    if (verb.name() != chapter.verb) continue;
    const std::string_view page = manual::embedded_text(chapter.page);
    out += chapter.heading.empty() ? chapters_of(page) : chapter_of(chapter.heading, section_of(page, chapter.heading));
  }
  return out;
}

std::string exit_status(const VerbFacts& verb) {
  if (!verb.path.empty()) return ".SH EXIT STATUS\n0 if all went well; the others are in\n.BR matcha (1).\n";
  std::string_view text = manual::embedded_text("docs/exit-codes.md");
  text.remove_prefix(std::min(text.find('\n'), text.size()));  // Its title.
  return ".SH EXIT STATUS\n" + roff_of_markdown(text);
}

std::string page_reference(const VerbFacts& verb) { return ".BR " + roff_text(page_name(verb)) + " (1)"; }

std::string see_also(const VerbFacts& program, const VerbFacts& verb) {
  std::string out = ".SH SEE ALSO\n";
  std::vector<const VerbFacts*> others = verbs_with_pages(program);
  std::erase(others, &verb);
  for (const VerbFacts* other : others) out += page_reference(*other) + (other == others.back() ? "\n" : ",\n");
  return out;
}

/// Verbs below: those with a page by their names, the others with their options.
std::string verbs_below(const VerbFacts& verb) {
  if (verb.verbs.empty()) return "";
  std::string out = ".SH VERBS\n";
  for (const VerbFacts& below : verb.verbs) {
    if (below.path.size() <= kDeepestPage) {
      out += ".TP\n" + page_reference(below) + "\n" + roff_text(below.text) + "\n";
    } else {
      out += ".SS " + roff_text(below.path.back()) + "\n" + roff_text(below.text) + "\n" + options(below);
    }
  }
  return out;
}

}  // namespace

std::vector<const VerbFacts*> verbs_with_pages(const VerbFacts& program) {
  std::vector<const VerbFacts*> verbs = all_verbs(program);
  std::erase_if(verbs, [](const VerbFacts* verb) { return verb->path.size() > kDeepestPage; });
  return verbs;
}

std::string page_name(const VerbFacts& verb) { return verb.path.empty() ? "matcha" : "matcha-" + verb.name('-'); }

std::string man_page(const VerbFacts& program, const VerbFacts& verb) {
  const std::string name = page_name(verb);
  std::string out = fmt::format(".TH {} 1 {} \"Matcha {}\" Matcha\n.ad l\n", roff_text(upper(name)), MATCHA_DATE,
                                session::matcha_version());
  out += fmt::format(".SH NAME\n{} \\- {}\n", roff_text(name), roff_text(verb.text));
  out += ".SH SYNOPSIS\n" + synopsis(verb);
  out += verbs_below(verb);
  const std::string listed = options(verb);
  if (!listed.empty()) out += ".SH OPTIONS\n" + listed;
  return out + chapters(verb) + footer(verb) + exit_status(verb) + see_also(program, verb);
}

void add_man(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("man", "Print a manual page, or write all of them into a folder");
  verb->group("");
  const auto console = std::make_shared<ConsoleOptions>();
  const auto words = std::make_shared<std::vector<std::string>>();
  const auto folder = std::make_shared<std::string>();
  verb->add_option("VERB", *words, "The verb; none: the program");
  verb->add_option("--all", *folder, "Write all pages into this folder")->type_name("FOLDER");
  add_console_options(*verb, *console);
  verb->callback([&app, &action, console, words, folder] {
    action = [&app, console, words, folder] {
      const Console out(*console);
      const VerbFacts program = facts_of(app);
      bool found = false;
      for (const VerbFacts* each : verbs_with_pages(program)) {
        if (folder->empty() && each->path != *words) continue;
        found = true;
        const std::string path = folder->empty() ? "-" : *folder + "/" + page_name(*each) + ".1";
        const runtime::Status written = write_text_file(path, man_page(program, *each));
        if (!written) return out.error(written.error());
      }
      return found ? Status::Ok : out.error(Status::Usage, "there is no manual page of that verb");
    };
  });
}

}  // namespace matcha::tools
