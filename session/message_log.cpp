#include "session/message_log.h"

#include <fmt/format.h>

namespace matcha::session {

nlohmann::ordered_json to_json(const Message& message) {
  const bool is_error = message.kind == Message::Kind::Error, placed = message.is_placed();
  return {{"file", placed ? message.maybe_sources->name(message.loc.file) : message.file},
          {"line", placed ? message.loc.line : message.line},
          {"column", placed ? message.loc.column : 0},
          {"length", placed ? message.loc.length : 0},
          {"severity", is_error ? "error" : "warning"},
          {"id", is_error ? message_id(message.status) : "warning"},
          {"message", message.text},
          {"hint", message.hint},
          {"notes", nlohmann::ordered_json::array()}};
}

void MessageLog::say(const Message& message) const {
  if (message.kind != Message::Kind::Error) return;
  std::string place(message.file);
  if (message.line != 0) place += fmt::format(":{}", message.line);
  if (message.is_placed()) {
    place =
        fmt::format("{}:{}:{}", message.maybe_sources->name(message.loc.file), message.loc.line, message.loc.column);
  }
  text_ += fmt::format("{}{}error: {}\n", place, place.empty() ? "" : ": ", message.text);
  if (!message.hint.empty()) text_ += fmt::format("  hint: {}\n", message.hint);
}

void MessageLog::report(const Diagnostics& diagnostics, std::size_t from) const {
  Diagnostics errors(diagnostics.sources());
  for (std::size_t i = from; i < diagnostics.all().size(); ++i) {
    const Diagnostic& d = diagnostics.all()[i];
    if (d.severity == Severity::Error) errors.error(d.id, d.loc, d.message, d.hint).notes = d.notes;
  }
  if (!errors.all().empty()) text_ += render_text(errors, false);
}

}  // namespace matcha::session
