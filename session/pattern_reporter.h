#pragma once

#include "session/reporter.h"

namespace matcha::session {

/// Forwards the messages of the steps. Once it has a pattern, it moves errors with a place in the generated program to
/// the pattern's place: the user never sees the program.
class PatternReporter final : public Reporter {
 public:
  /// `to` outlives it.
  explicit PatternReporter(const Reporter& to) : to_(to) {}
  /// From now on places are `loc`, in `sources`, which outlive it.
  void set_pattern(const SourceManager& sources, SourceLoc loc);

  void say(const Message& message) const override;
  /// Leaves out warnings about a program that the user has not seen.
  void report(const Diagnostics& diagnostics, std::size_t from) const override;
  void write(std::string_view text) const override { to_.write(text); }

 private:
  const Reporter& to_;
  const SourceManager* maybe_sources_ = nullptr;
  SourceLoc loc_;
};

}  // namespace matcha::session
