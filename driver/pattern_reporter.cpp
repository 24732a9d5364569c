#include "driver/pattern_reporter.h"

namespace matcha::driver {

void PatternReporter::set_pattern(const SourceManager& sources, SourceLoc loc) {
  maybe_sources_ = &sources;
  loc_ = loc;
}

Status PatternReporter::error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view message,
                                 std::string_view hint) const {
  return maybe_sources_ != nullptr ? to_.error_at(status, *maybe_sources_, loc_, message, hint)
                                   : to_.error_at(status, sources, loc, message, hint);
}

void PatternReporter::report(const Diagnostics& diagnostics, std::size_t from) const {
  if (maybe_sources_ == nullptr) return to_.report(diagnostics, from);
  Diagnostics moved(*maybe_sources_);
  for (std::size_t i = from; i < diagnostics.all().size(); ++i) {
    const Diagnostic& one = diagnostics.all()[i];
    if (one.severity == Severity::Error) moved.error(one.id, loc_, one.message, one.hint);
  }
  to_.report(moved);
}

}  // namespace matcha::driver
