#include "tools/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "session/output_file.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Value = OptionFacts::Value;

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

/// As one word of a shell, in single quotes. In fish a backslash works there too.
std::string one_word(std::string_view text, bool fish = false) {
  if (fish) return "'" + replaced(text, "'\\", "\\") + "'";
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> spellings(const OptionFacts& option) {
  std::vector<std::string> out = {option.name};
  if (!option.letter.empty()) out.push_back(option.letter);
  return out;
}

// ---- bash

/// Patterns of `case`, such as 'run:--device'|'run:-d'.
std::string bash_patterns(const VerbFacts& verb, const OptionFacts& option) {
  std::string out;
  for (const std::string& name : spellings(option)) {
    out += fmt::format("{}'{}:{}'", out.empty() ? "" : " | ", verb.name(), name);
  }
  return out;
}

std::string bash_values(const VerbFacts& verb) {
  std::string out;
  for (const OptionFacts& option : verb.options) {
    if (option.value == Value::None) continue;
    std::string action = ":";
    if (!option.choices.empty()) action = fmt::format("words='{}'", fmt::join(option.choices, " "));
    if (option.value == Value::File) action = "paths=-f";
    if (option.value == Value::Folder) action = "paths=-d";
    out += fmt::format("    {}) {} ;;\n", bash_patterns(verb, option), action);
  }
  return out;
}

/// The words that may stand where no value is expected.
std::string bash_words(const VerbFacts& verb) {
  std::vector<std::string> options;
  for (const OptionFacts& option : verb.options) options.push_back(option.name);
  std::vector<std::string> words;
  for (const VerbFacts& below : verb.verbs) words.push_back(below.path.back());
  std::string paths;
  for (const OptionFacts& argument : verb.arguments) {
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
    if (argument.value == Value::File) paths = " paths=-f";
  }
  return fmt::format("        '{}') options='{}' words='{}'{} ;;\n", verb.name(), fmt::join(options, " "),
                     fmt::join(words, " "), paths);
}

constexpr std::string_view kBash = R"(# Completion of matcha for bash, made by `matcha completion bash`.
# shellcheck shell=bash

_matcha() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} verb='' words='' options='' paths='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case "$verb ${{COMP_WORDS[at]}}" in
      {}) verb="${{verb:+$verb }}${{COMP_WORDS[at]}}" ;;
    esac
  done
  # In `--option=value` bash makes the sign a word.
  if [ "$word" = '=' ]; then
    word=''
  elif [ "$option" = '=' ] && ((COMP_CWORD > 1)); then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case "$verb:$option" in
{}    *)
      case "$verb" in
{}      esac
      if [ "${{word:0:1}}" = '-' ]; then words=$options paths=''; fi
      ;;
  esac
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [ -n "$paths" ]; then
    compopt -o filenames 2> /dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen "$paths" -- "$word")
  fi
}}
complete -F _matcha matcha
)";

std::string bash_script(const VerbFacts& program) {
  std::string verbs;
  std::string values;
  std::string words;
  for (const VerbFacts* verb : all_verbs(program)) {
    for (const VerbFacts& below : verb->verbs) {
      verbs += fmt::format("{}'{} {}'", verbs.empty() ? "" : " | ", verb->name(), below.path.back());
    }
    values += bash_values(*verb);
    words += bash_words(*verb);
  }
  return fmt::format(kBash, verbs, values, words);
}

// ---- zsh

std::string zsh_value(const OptionFacts& option) {
  if (option.value == Value::Folder) return "_files -/";
  const std::string words = fmt::format("({})", fmt::join(option.choices, " "));
  if (option.value == Value::File) {
    return option.choices.empty() ? "_files" : fmt::format(" _matcha_word_or_file {}", fmt::join(option.choices, " "));
  }
  return option.choices.empty() ? " " : words;
}

/// One specification of `_arguments`.
std::string zsh_option(const OptionFacts& option) {
  const std::string text = replaced(option.text, "[]:\\", "\\");
  std::string value;
  if (option.value != Value::None) {
    value = fmt::format(":{}:{}", replaced(option.shown.empty() ? "value" : option.shown, ":\\[]", "\\"),
                        zsh_value(option));
  }
  std::string out;
  for (const std::string& name : spellings(option)) {
    const std::string join = value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    out += "    " + one_word(fmt::format("{}{}{}[{}]{}", option.repeats ? "*" : "", name, join, text, value)) + " \\\n";
  }
  return out;
}

std::string zsh_function(const VerbFacts& verb) {
  const std::string name = verb.path.empty() ? "_matcha" : "_matcha_" + verb.name('_');
  std::string out = name + "() {\n";
  if (!verb.verbs.empty()) out += "  local curcontext=$curcontext state line\n  local -a verbs\n";
  out += verb.verbs.empty() ? "  _arguments -s -S \\\n" : "  _arguments -s -S -C \\\n";
  for (const OptionFacts& option : verb.options) out += zsh_option(option);
  if (verb.verbs.empty()) {
    for (const OptionFacts& argument : verb.arguments) {
      out +=
          "    " + one_word(fmt::format(":{}:{}", replaced(argument.name, ":\\", "\\"), zsh_value(argument))) + " \\\n";
    }
    return out + "    && return\n  return 1\n}\n\n";
  }
  out += "    '1:verb:->verb' '*::argument:->argument' && return\n  case $state in\n    verb)\n      verbs=(\n";
  for (const VerbFacts& below : verb.verbs) {
    out += "        " + one_word(fmt::format("{}:{}", replaced(below.path.back(), ":\\", "\\"), below.text)) + "\n";
  }
  out += "      )\n      _describe verb verbs\n      ;;\n    argument)\n      case $line[1] in\n";
  for (const VerbFacts& below : verb.verbs) {
    out += fmt::format("        {}) _matcha_{} ;;\n", below.path.back(), below.name('_'));
  }
  return out + "      esac\n      ;;\n  esac\n}\n\n";
}

std::string zsh_script(const VerbFacts& program) {
  std::string out = "#compdef matcha\n# Completion of matcha for zsh, made by `matcha completion zsh`.\n\n";
  out += "_matcha_word_or_file() {\n  local -a words=(\"$@\")\n  local status_=1\n";
  out += "  compadd -a words && status_=0\n  _files && status_=0\n  return status_\n}\n\n";
  for (const VerbFacts* verb : all_verbs(program)) out += zsh_function(*verb);
  return out + "if [ \"${funcstack[1]}\" = _matcha ]; then\n  _matcha \"$@\"\nelse\n  compdef _matcha matcha\nfi\n";
}

// ---- fish

std::string fish_option(const VerbFacts& verb, const OptionFacts& option) {
  std::string out = fmt::format("complete -c matcha -n {}", one_word("__matcha_at " + verb.name(), true));
  for (const std::string& name : spellings(option)) {
    const bool is_long = name.starts_with("--");
    out += fmt::format(" -{} {}", is_long ? 'l' : 's', name.substr(is_long ? 2 : 1));
  }
  if (option.value == Value::File) out += " -r -F";
  if (option.value == Value::Folder) out += " -x -a '(__fish_complete_directories)'";
  if (option.value == Value::Choice || option.value == Value::Other) {
    out += " -x";
    if (!option.choices.empty()) out += " -a " + one_word(fmt::format("{}", fmt::join(option.choices, " ")), true);
  }
  return out + " -d " + one_word(option.text, true) + "\n";
}

constexpr std::string_view kFish = R"(# Completion of matcha for fish, made by `matcha completion fish`.

# Whether the verbs so far are the arguments.
function __matcha_at
    set -l verb
    for word in (commandline -opc)[2..-1]
        switch "$verb $word"
            case {}
                set verb "$verb $word"
        end
    end
    set -l at
    for word in $argv
        set at "$at $word"
    end
    test "$verb" = "$at"
end

)";

std::string fish_script(const VerbFacts& program) {
  std::string verbs;
  std::string lines;
  for (const VerbFacts* verb : all_verbs(program)) {
    const std::string at = one_word("__matcha_at " + verb->name(), true);
    for (const VerbFacts& below : verb->verbs) {
      verbs += fmt::format(" ' {}'", below.name());
      lines +=
          fmt::format("complete -c matcha -n {} -f -a {} -d {}\n", at, below.path.back(), one_word(below.text, true));
    }
    bool files = false;
    for (const OptionFacts& argument : verb->arguments) {
      files = files || argument.value == Value::File;
      if (argument.choices.empty()) continue;
      lines += fmt::format("complete -c matcha -n {} -a {}\n", at,
                           one_word(fmt::format("{}", fmt::join(argument.choices, " ")), true));
    }
    if (!files) lines += fmt::format("complete -c matcha -n {} -f\n", at);
    for (const OptionFacts& option : verb->options) lines += fish_option(*verb, option);
  }
  return fmt::format(kFish, verbs) + lines;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell, const VerbFacts& program) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return std::nullopt;
}

void add_completion(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  const auto console = std::make_shared<ConsoleOptions>();
  const auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text(" ");
  add_console_options(*verb, *console);
  verb->footer(R"(
Examples:
  source <(matcha completion bash)
  matcha completion zsh > ~/.zfunc/_matcha
  matcha completion fish > ~/.config/fish/completions/matcha.fish

Packages and `cmake --install` bring these files.)");
  verb->callback([&app, &action, console, shell] {
    action = [&app, console, shell] {
      const runtime::Status written = write_text_file("-", *completion_script(*shell, facts_of(app)));
      return written ? Status::Ok : Console(*console).error(written.error());
    };
  });
}

}  // namespace matcha::tools
