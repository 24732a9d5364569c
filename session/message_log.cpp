#include "session/message_log.h"

#include <fmt/format.h>

namespace matcha::session {

void MessageLog::add(std::string_view place, std::string_view message, std::string_view hint) const {
  text_ += fmt::format("{}{}error: {}\n", place, place.empty() ? "" : ": ", message);
  if (!hint.empty()) text_ += fmt::format("  hint: {}\n", hint);
}

Status MessageLog::error(Status status, std::string_view message, std::string_view hint) const {
  add({}, message, hint);
  return status;
}

Status MessageLog::error(const runtime::Error& error) const {
  add(error.line == 0 ? error.file : fmt::format("{}:{}", error.file, error.line), error.message, error.hint);
  return status_of(error.kind);
}

Status MessageLog::error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view message,
                            std::string_view hint) const {
  if (!loc.valid()) return error(status, message, hint);
  add(fmt::format("{}:{}:{}", sources.name(loc.file), loc.line, loc.column), message, hint);
  return status;
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
