#pragma once

#include "session/reporter.h"

namespace matcha::session {

/// Hands on what the steps say. Once it has a pattern, errors with a place in the program that was written for it have
/// their place in the pattern instead: nobody has seen the program.
class PatternReporter final : public Reporter {
 public:
  /// `to` outlives it.
  explicit PatternReporter(const Reporter& to) : to_(to) {}
  /// From now on places are `loc`, in `sources`, which outlive it.
  void set_pattern(const SourceManager& sources, SourceLoc loc);

  void say(const Message& message) const override;
  /// Warnings about a program that nobody has seen are left out.
  void report(const Diagnostics& diagnostics, std::size_t from) const override;
  void write(std::string_view text) const override { to_.write(text); }

 private:
  const Reporter& to_;
  const SourceManager* maybe_sources_ = nullptr;
  SourceLoc loc_;
};

}  // namespace matcha::session
