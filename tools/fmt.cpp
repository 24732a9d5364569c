#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "frontend/format.h"
#include "frontend/frontend.h"
#include "session/output_file.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

namespace fs = std::filesystem;

struct FormatOptions {
  ConsoleOptions console;
  std::vector<std::string> paths;
  bool check = false;
};

/// The status of several files: the first error counts.
Status worse(Status so_far, Status status) { return so_far == Status::Ok ? status : so_far; }

/// The files that `paths` name: a folder names the `.mt` files in it, sorted.
Status find_files(const std::vector<std::string>& paths, const Console& console, std::vector<std::string>& files) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".mt" && !entry->is_directory()) found.push_back(entry->path().string());
    }
    if (error) return console.error(Status::Input, fmt::format("cannot read `{}`: {}", path, error.message()));
    if (found.empty()) console.warning(fmt::format("`{}` has no `.mt` file", path));
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return Status::Ok;
}

class Formatter {
 public:
  explicit Formatter(const FormatOptions& options) : options_(options), console_(options.console) {}

  Status run() {
    std::vector<std::string> files;
    Status status = find_files(options_.paths, console_, files);
    for (const std::string& file : files) status = worse(status, format(file));
    if (changed_ > 0 && !options_.check) console_.note(fmt::format("{} of {} files changed", changed_, files.size()));
    return status;
  }

 private:
  Status format(const std::string& path) {
    CompileOptions options;
    options.file = path;
    Compilation compilation(options, console_);
    Status status = compilation.read();
    std::string formatted;
    if (status == Status::Ok) status = compilation.format(formatted);
    if (status != Status::Ok) return status;
    const bool changes = formatted != compilation.text();
    changed_ += changes && path != "-" ? 1 : 0;
    if (options_.check) {
      if (!changes) return Status::Ok;
      const runtime::Status written = write_text_file("-", path + "\n");
      return written ? Status::Query : console_.error(written.error());
    }
    if (!changes && path != "-") return Status::Ok;
    std::error_code error;
    const fs::perms mode = fs::status(path, error).permissions();
    const runtime::Status written = write_text_file(path, formatted);
    if (!written) return console_.error(written.error());
    if (path != "-" && !error) fs::permissions(path, mode, error);
    return Status::Ok;
  }

  const FormatOptions& options_;
  const Console console_;
  std::size_t changed_ = 0;
};

}  // namespace

void add_fmt(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("fmt", "Format programs");
  auto options = std::make_shared<FormatOptions>();
  verb->add_option("FILE", options->paths, "Programs, folders of them, or `-` from standard input to standard output")
      ->required();
  verb->add_flag("--check", options->check, "Change nothing; list the files that are not formatted, then exit code 1");
  add_console_options(*verb, options->console);
  verb->footer(R"(
Examples:
  matcha fmt query.mt
  matcha fmt --check stdlib examples
  matcha fmt - < query.mt

A program with syntax errors stays as it is.)");
  verb->callback([options, &action] { action = [options] { return Formatter(*options).run(); }; });
}

}  // namespace matcha::tools
