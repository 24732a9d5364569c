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
  /// Of an MPI job's ranks but the first: it tells errors only, names itself, and lets the first go before, which ends
  /// the job if it has found the same: by a signal, after which nothing is told.
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

  /// A note is broken to fit a terminal; there is none with `--quiet` or JSON diagnostics. Nor is there a warning; an
  /// error at a place of the program has its line and a caret.
  void say(const Message& message) const override;
  /// The diagnostics of a compilation from number `from` on; warnings are left out with `--quiet`.
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;

  /// Text as it is.
  void write(std::string_view text) const override;

 private:
  ConsoleOptions options_;
  bool color_ = false;
  bool progress_ = false;
};

/// Columns of the terminal behind standard error; 0: there is none.
unsigned terminal_width();

}  // namespace matcha::tools
