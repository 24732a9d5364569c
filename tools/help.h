#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace matcha::tools {

/// Breaks lines of more than `width` characters at spaces; a line goes on below its text, `indent` columns further
/// right, or at `column` if that is where its description stands. Characters are code points.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column = 0);

/// Help for a terminal of 80 columns. `--help` leaves out the groups of options that few need; `--help-all` has all.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  mutable bool all_ = false;  ///< What `make_help` is to print.
};

/// The text that stands for the value of an option: `FILE`, `auto|cpu|cuda`; empty if there is none.
std::string value_name(const CLI::Option& option);

/// `--help` and `--help-all` of a verb.
void add_help_flags(CLI::App& verb);

}  // namespace matcha::tools
