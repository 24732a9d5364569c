#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "session/run/host.h"
#include "tools/exit_codes.h"

namespace matcha::tools {

/// Options that every verb has.
struct ConsoleOptions {
  std::string color = "auto";        ///< `auto`, `always` or `never`.
  std::string diagnostics = "text";  ///< `text` or `json`.
  bool quiet = false;                ///< Errors only.
  bool no_progress = false;
  /// The rank in an MPI job. A rank above 0 prints errors only, with its number. It lets rank 0 print first: if that
  /// has the same error, it ends the job by a signal, and nothing more is printed.
  int rank = 0;
};

/// Everything that goes to standard error. A message is written in one piece.
class Console final : public session::RunReporter {
 public:
  explicit Console(const ConsoleOptions& options);

  /// Whether messages are coloured: `--color`, then NO_COLOR, then CLICOLOR_FORCE, then whether it is a terminal.
  bool color() const { return color_; }
  bool quiet() const { return options_.quiet; }
  bool draws() const { return draws_; }
  bool json() const override { return options_.diagnostics == "json"; }
  /// A bar on a terminal, with neither `--quiet` nor `--no-progress`.
  std::unique_ptr<ProgressBar> progress(std::string verb, std::string unit) const override;

  /// A note is broken to fit a terminal. `--quiet` and JSON diagnostics leave out notes and warnings. An error at a
  /// place of the program has its line and a caret.
  void say(const Message& message) const override;
  /// The diagnostics of a compilation from number `from` on; warnings are left out with `--quiet`.
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;

  /// Text without changes.
  void write(std::string_view text) const override;

 private:
  ConsoleOptions options_;
  bool color_ = false;
  bool draws_ = false;  ///< A progress bar may be drawn.
};

/// The reporter that other threads keep: the console outlives it.
std::shared_ptr<const Reporter> shared(const Console& console);

/// Columns of the terminal behind a descriptor; 0: there is none.
unsigned terminal_width(int descriptor);

}  // namespace matcha::tools
