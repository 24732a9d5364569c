#pragma once

#include <cstdint>
#include <string_view>

#include "ir/support/diagnostics.h"
#include "runtime/result.h"
#include "session/status.h"

namespace matcha::session {

/// A message of a step. Its texts live until the call that receives it returns.
struct Message {
  enum class Kind : std::uint8_t { Note, Warning, Error };

  Kind kind = Kind::Note;
  Status status = Status::Ok;  ///< The status of an error.
  std::string_view text = {}, hint = {};
  std::string_view file = {};  ///< An error of a file: its name; empty: none.
  std::uint64_t line = 0;      ///< There, from 1; 0: none.
  const SourceManager* maybe_sources = nullptr;
  SourceLoc loc = {};  ///< An error at a place of a program, in the sources.

  /// Whether it has a place in a program.
  bool is_placed() const { return maybe_sources != nullptr && loc.valid(); }
};

/// Takes the messages of the steps of a run. The caller decides about them: the command line prints messages, the
/// library keeps them.
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// An informational line.
  void note(std::string_view text) const { say({.text = text}); }
  void warning(std::string_view text, std::string_view hint = {}) const {
    say({.kind = Message::Kind::Warning, .text = text, .hint = hint});
  }
  /// An error. Gives `status` back, so that a step can return it.
  Status error(Status status, std::string_view text, std::string_view hint = {}) const {
    say({.kind = Message::Kind::Error, .status = status, .text = text, .hint = hint});
    return status;
  }
  /// An error of the runtime, with its file and line.
  Status error(const runtime::Error& error) const {
    const Status status = status_of(error.kind);
    say({.kind = Message::Kind::Error,
         .status = status,
         .text = error.message,
         .hint = error.hint,
         .file = error.file,
         .line = error.line});
    return status;
  }
  /// An error at a place of the program.
  Status error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view text,
                  std::string_view hint) const {
    say({.kind = Message::Kind::Error,
         .status = status,
         .text = text,
         .hint = hint,
         .maybe_sources = &sources,
         .loc = loc});
    return status;
  }

  /// The same, at a place of the program if it has one.
  Status error_in(const SourceManager& sources, SourceLoc loc, const runtime::Error& error) const {
    return loc.valid() ? error_at(status_of(error.kind), sources, loc, error.message, error.hint) : this->error(error);
  }

  virtual void say(const Message& message) const = 0;
  /// The diagnostics of a compilation from number `from` on.
  virtual void report(const Diagnostics& diagnostics, std::size_t from = 0) const = 0;
  /// Text without changes: the compiler's report of its own bug.
  virtual void write(std::string_view text) const = 0;
};

}  // namespace matcha::session
