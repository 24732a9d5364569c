#pragma once

#include <string_view>

#include "ir/support/diagnostics.h"
#include "runtime/result.h"
#include "session/status.h"

namespace matcha::session {

/// Where the steps of a run say what they found out. Who runs them decides what becomes of it: the command line prints
/// it, the library keeps it.
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// A line about an event.
  virtual void note(std::string_view text) const = 0;
  virtual void warning(std::string_view message, std::string_view hint = {}) const = 0;
  /// An error. Gives `status` back, so that a step can return it.
  virtual Status error(Status status, std::string_view message, std::string_view hint = {}) const = 0;
  /// An error of the runtime, with its file and line.
  virtual Status error(const runtime::Error& error) const = 0;
  /// An error at a place of the program.
  virtual Status error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view message,
                          std::string_view hint) const = 0;
  /// The diagnostics of a compilation from number `from` on.
  virtual void report(const Diagnostics& diagnostics, std::size_t from = 0) const = 0;
  /// Text as it is: a report of a bug in the compiler.
  virtual void write(std::string_view text) const = 0;
};

}  // namespace matcha::session
