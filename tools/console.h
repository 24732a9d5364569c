#pragma once

#include <string>
#include <string_view>

#include "session/reporter.h"
#include "tools/exit_codes.h"

namespace matcha::tools {

/// Options that every verb has.
struct ConsoleOptions {
  std::string color = "auto";        ///< `auto`, `always` or `never`.
  std::string diagnostics = "text";  ///< `text` or `json`.
  bool quiet = false;                ///< Errors only.
  bool no_progress = false;
  /// Of an MPI job's ranks but the first: it prints errors only, names itself, and lets the first go before, which ends
  /// the job if it has found the same: by a signal, after which nothing is printed.
  int rank = 0;
};

/// Everything that goes to standard error. A message is written in one piece.
class Console final : public session::Reporter {
 public:
  explicit Console(const ConsoleOptions& options);

  /// Whether messages are coloured: `--color`, then NO_COLOR, then CLICOLOR_FORCE, then whether it is a terminal.
  bool color() const { return color_; }
  bool quiet() const { return options_.quiet; }
  bool json() const { return options_.diagnostics == "json"; }
  /// Whether a progress bar may be drawn: a terminal, and neither `--quiet` nor `--no-progress`.
  bool progress() const { return progress_; }

  /// A line about an event, broken to fit a terminal; nothing with `--quiet` or JSON diagnostics.
  void note(std::string_view text) const override;
  /// `warning: …`; nothing with `--quiet`.
  void warning(std::string_view message, std::string_view hint = {}) const override;
  /// `error: …`. Gives `code` back, so that a verb can return it. `id` names the error in JSON.
  Status error(Status code, std::string_view message, std::string_view hint = {}) const override;
  /// An error of the runtime, with its file and line.
  Status error(const runtime::Error& error) const override;
  /// An error at a place of the program, with its line and a caret.
  Status error_at(Status code, const SourceManager& sources, SourceLoc loc, std::string_view message,
                  std::string_view hint) const override;
  /// The diagnostics of a compilation from number `from` on; warnings are left out with `--quiet`.
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;

  /// Text as it is.
  void write(std::string_view text) const override;

 private:
  void json_error(Status code, std::string_view file, std::uint64_t line, std::uint64_t column, std::uint64_t length,
                  std::string_view message, std::string_view hint) const;

  ConsoleOptions options_;
  bool color_ = false;
  bool progress_ = false;
};

/// Columns of the terminal behind standard error; 0: there is none.
unsigned terminal_width();

}  // namespace matcha::tools
