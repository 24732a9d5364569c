#include "tools/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace matcha::tools {

namespace {

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpColumn = 30;  ///< Of descriptions.
constexpr std::array<std::string_view, 3> kRareGroups = {"GPU", "Passes", "Messages"};

bool is_rare(std::string_view group) { return std::ranges::count(kRareGroups, group) != 0; }

void append_wrapped(std::string& out, std::string_view line, std::size_t width, std::size_t indent) {
  std::string rest(line);
  for (std::size_t limit = byte_of(rest, width); limit < rest.size(); limit = byte_of(rest, width)) {
    const std::size_t text = rest.find_first_not_of(' ');
    std::size_t end = rest.rfind(' ', limit);
    // A word that is too long is a line of its own.
    if (end == std::string::npos || end < text) end = rest.find(' ', text);
    const std::size_t next = rest.find_first_not_of(' ', end);
    if (next == std::string::npos) break;
    out += rest.substr(0, end);
    out += '\n';
    rest = std::string(indent, ' ') + rest.substr(next);
  }
  out += rest;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kHelpColumn); }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  mutable bool all_ = false;  ///< `make_help` prints all groups.
};

}  // namespace

std::size_t byte_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && count-- == 0) break;
  }
  return at;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const bool described =
        column != 0 && line.size() > column && line[column - 1] == ' ' && line[column] != ' ' && begin != 0;
    append_wrapped(out, line, width, described ? column : begin + indent);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void set_help_format(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (mode != CLI::AppFormatMode::Sub) all_ = mode == CLI::AppFormatMode::All;
  std::string text = Formatter::make_help(app, std::move(name), mode);
  // A group that is left out leaves its blank lines.
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return wrapped(text, kHelpWidth, 0, kHelpColumn);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  if (!all_ && is_rare(group)) return "";
  return Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string value_name(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  // The values that are allowed stand behind the type.
  std::string type = option.get_type_name();
  for (const char* check : {":{", ":FLOAT in ", ":INT in ", ":UINT in "})
    type.resize(std::min(type.find(check), type.size()));
  return type;
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return " " + option->get_option_text();
  if (option->get_type_size() == 0) return "";
  const std::string type = value_name(*option);
  std::string out = type.empty() ? "" : " " + type;
  if (!option->get_default_str().empty()) out += "=" + option->get_default_str();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) out += " ...";
  if (option->get_required()) out += " REQUIRED";
  return out;
}

void add_help_flags(CLI::App& verb) {
  verb.set_help_flag("-h,--help", "Print this help and exit");
  verb.set_help_all_flag("--help-all", "Print all options: those for GPUs, passes and messages too");
}

}  // namespace matcha::tools
