#include "session/pattern_reporter.h"

#include <fmt/format.h>

namespace matcha::session {

namespace {

/// Whether an error of a program is about its size, not its text: then the pattern asks for too much.
bool is_limit(DiagId id) { return id == DiagId::TooDeep || id == DiagId::TooLarge || id == DiagId::TooComplex; }

}  // namespace

void PatternReporter::set_pattern(const SourceManager& sources, SourceLoc loc) {
  maybe_sources_ = &sources;
  loc_ = loc;
}

void PatternReporter::say(const Message& message) const {
  Message moved = message;
  if (maybe_sources_ != nullptr && message.maybe_sources != nullptr) {
    moved.maybe_sources = maybe_sources_;
    moved.loc = loc_;
  }
  to_.say(moved);
}

void PatternReporter::report(const Diagnostics& diagnostics, std::size_t from) const {
  if (maybe_sources_ == nullptr) return to_.report(diagnostics, from);
  Diagnostics moved(*maybe_sources_);
  for (std::size_t i = from; i < diagnostics.all().size(); ++i) {
    const Diagnostic& one = diagnostics.all()[i];
    if (one.severity != Severity::Error) continue;
    if (one.id < DiagId::PatternSyntax && !is_limit(one.id)) {
      moved.error(DiagId::PatternPlan, loc_, fmt::format("no program can be written for this ({})", diag_text(one.id)),
                  "this is a bug of Matcha: please report it with the pattern or the query");
    } else {
      moved.error(one.id, loc_, one.message, one.hint);
    }
  }
  to_.report(moved);
}

}  // namespace matcha::session
