#include "tools/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "ir/support/utf8.h"
#include "session/message_log.h"
#include "session/output_file.h"
#include "tools/help.h"
#include "tools/progress.h"
#include "tools/session.h"

namespace matcha::tools {

namespace {

constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kError = "\033[1;31m";
constexpr std::string_view kWarning = "\033[1;35m";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") == 0;
}

bool wants_color(const std::string& choice) {
  if (choice == "always") return true;
  if (choice == "never" || is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE") && std::strcmp(std::getenv("CLICOLOR_FORCE"), "0") != 0) return true;
  return ::isatty(STDERR_FILENO) != 0 && !is_dumb();
}

/// One message as text: `place: severity: message` and the hint on a line of its own.
std::string render(bool color, std::string_view place, std::string_view severity, std::string_view message,
                   std::string_view hint) {
  std::string text;
  if (color) text += kBold;
  if (!place.empty()) text += fmt::format("{}: ", place);
  if (color) text += severity == "error" ? kError : kWarning;
  text += fmt::format("{}: ", severity);
  if (color) text += fmt::format("{}{}", kReset, kBold);
  text += message;
  if (color) text += kReset;
  text += '\n';
  if (!hint.empty()) text += fmt::format("  hint: {}\n", hint);
  return text;
}

}  // namespace

Console::Console(const ConsoleOptions& options)
    : options_(options),
      color_(wants_color(options.color)),
      draws_(!options.quiet && !options.no_progress && ::isatty(STDERR_FILENO) != 0 && !is_dumb()) {}

void Console::write(std::string_view text) const {
  if (options_.rank != 0) {
    constexpr std::chrono::milliseconds kFirstGoesBefore{500};
    std::this_thread::sleep_for(kFirstGoesBefore);
    if (signal_received()) return;
    if (!json()) static_cast<void>(write_all(STDERR_FILENO, fmt::format("rank {}: ", options_.rank)));
  }
  static_cast<void>(write_all(STDERR_FILENO, escape_invalid_utf8(text)));
}

std::unique_ptr<ProgressBar> Console::progress(std::string verb, std::string unit) const {
  return draws_ ? std::make_unique<Progress>(*this, std::move(verb), std::move(unit)) : nullptr;
}

std::shared_ptr<const Reporter> shared(const Console& console) {
  return std::shared_ptr<const Reporter>(std::shared_ptr<const Reporter>(), &console);
}

unsigned terminal_width(int descriptor) {
  constexpr unsigned kNarrow = 80;
  if (::isatty(descriptor) == 0) return 0;
  struct winsize size {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kNarrow;
}

void Console::say(const Message& message) const {
  constexpr std::size_t kIndent = 2;
  const bool is_error = message.kind == Message::Kind::Error;
  if (!is_error && (quiet() || json())) return;
  if (json()) {
    const std::string object = to_json(message).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return write(fmt::format("[\n  {}\n]\n", object));
  }
  if (message.kind == Message::Kind::Note) {
    const unsigned width = terminal_width(STDERR_FILENO);
    return write((width == 0 ? std::string(message.text) : wrapped(message.text, width, kIndent)) + "\n");
  }
  if (!message.is_placed()) {
    const std::string line = message.line == 0 ? "" : fmt::format(":{}", message.line);
    const char* const severity = is_error ? "error" : "warning";
    return write(render(color_, std::string(message.file) + line, severity, message.text, message.hint));
  }
  // The renderer of diagnostics draws the line and the caret; its id in brackets has no meaning here.
  Diagnostics one(*message.maybe_sources);
  one.error(DiagId::Syntax, message.loc, std::string(message.text), std::string(message.hint));
  std::string text = render_text(one, color_);
  const std::string bracket = fmt::format(" [{}]", diag_text(DiagId::Syntax));
  const std::size_t at = text.find(bracket + "\n");
  if (at != std::string::npos) text.erase(at, bracket.size());
  write(text);
}

void Console::report(const Diagnostics& diagnostics, std::size_t from) const {
  Diagnostics shown(diagnostics.sources());
  for (std::size_t i = from; i < diagnostics.all().size(); ++i) {
    const Diagnostic& d = diagnostics.all()[i];
    if (quiet() && d.severity != Severity::Error) continue;
    Diagnostic& copy = d.severity == Severity::Error ? shown.error(d.id, d.loc, d.message, d.hint)
                                                     : shown.warning(d.id, d.loc, d.message, d.hint);
    copy.notes = d.notes;
  }
  if (!shown.all().empty()) write(json() ? render_json(shown) : render_text(shown, color_));
}

}  // namespace matcha::tools
