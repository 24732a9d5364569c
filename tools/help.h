#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace matcha::tools {

/// The byte at which character number `count` of UTF-8 text begins, or its end.
std::size_t byte_of(std::string_view text, std::size_t count);

/// Breaks lines of more than `width` characters at spaces. A line continues below its text, `indent` columns further
/// right, or at `column` if its description begins there. Characters are code points.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column = 0);

/// Help for a terminal of 80 columns. `--help` leaves out the groups of options that few need; `--help-all` has all.
void set_help_format(CLI::App& app);

/// The placeholder of the value of an option: `FILE`, `auto|cpu|cuda`; empty if there is none.
std::string value_name(const CLI::Option& option);

/// `--help` and `--help-all` of a verb.
void add_help_flags(CLI::App& verb);

}  // namespace matcha::tools
