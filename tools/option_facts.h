#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

/// The table of verbs and options that CLI11 holds, as completions and manual pages need it.
namespace matcha::tools {

struct OptionFacts {
  enum class Value { None, Choice, File, Folder, Other };  ///< Other: a number, a name; nothing to choose from.

  std::string name;                  ///< `--output`, or `GRAPH` of an argument without a name.
  std::string letter;                ///< `-o`, or empty.
  std::string shown;                 ///< The placeholder of the value: `FILE`, `auto|cpu|cuda`; empty without one.
  std::string text;                  ///< Its effect, in one line.
  std::string group;                 ///< The heading above it in the help.
  Value value = Value::None;         ///< The kind of the value; None: a flag.
  std::vector<std::string> choices;  ///< All values that there are, or those with a name.
  bool required = false;
  bool repeats = false;  ///< Takes any number of values, or may be given again.
};

struct VerbFacts {
  std::vector<std::string> path;  ///< `graph`, `convert`; empty: the program itself.
  std::string text;               ///< One line of help.
  std::string footer;             ///< Examples and notes of its help.
  std::vector<OptionFacts> options;
  std::vector<OptionFacts> arguments;  ///< The arguments without names, in order.
  std::vector<VerbFacts> verbs;        ///< The verbs below it that help shows.

  /// `graph convert`, or with `-` between as in `graph-convert`; empty for the program itself.
  std::string name(char between = ' ') const;
};

/// All options and verbs below `app`, which is the program or a verb.
VerbFacts facts_of(const CLI::App& app);

/// The verb and all below it, each before those below it.
std::vector<const VerbFacts*> all_verbs(const VerbFacts& top);

}  // namespace matcha::tools
