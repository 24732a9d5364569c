#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/source.h"

namespace matcha {

enum class Severity { Error, Warning, Note };

/// One enumerator for each line of `diagnostics.def`.
enum class DiagId {
#define MATCHA_DIAGNOSTIC(Name, text, meaning) Name,
#include "ir/support/diagnostics.def"
#undef MATCHA_DIAGNOSTIC
};

/// The kebab-case id that is printed in brackets, such as `arg-type`.
std::string_view diag_text(DiagId id);
/// One sentence with the meaning of the diagnostic, for documentation.
std::string_view diag_meaning(DiagId id);
/// Every id, in the order of `diagnostics.def`.
const std::vector<DiagId>& all_diag_ids();

struct DiagNote {
  SourceLoc loc;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  DiagId id{};
  SourceLoc loc;
  std::string message;  ///< Lower case, no full stop, code in backticks.
  std::string hint;     ///< A suggestion for the user; may be empty.
  std::vector<DiagNote> notes;
};

/// Collects the diagnostics of a compilation. Nothing is printed here.
class Diagnostics {
 public:
  explicit Diagnostics(const SourceManager& sources) : sources_(&sources) {}

  /// Adds an error. The reference is valid until the next diagnostic is added.
  Diagnostic& error(DiagId id, SourceLoc loc, std::string message, std::string hint = {});
  Diagnostic& warning(DiagId id, SourceLoc loc, std::string message, std::string hint = {});

  bool has_errors() const { return error_count_ != 0; }
  std::size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  const SourceManager& sources() const { return *sources_; }

  /// Sorts by file, line and column; equal places keep their order.
  void sort_by_place();

 private:
  const SourceManager* sources_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t error_count_ = 0;
};

/// `file:line:col: error: message [id]`, the line with a caret under the range, `hint: …`, notes.
/// `color` wraps the severity and the caret in ANSI escapes.
std::string render_text(const Diagnostics& diagnostics, bool color);
/// One JSON array for editors: objects with `file`, `line`, `column`, `length`, `severity`, `id`, `message`, `hint`,
/// `notes`.
std::string render_json(const Diagnostics& diagnostics);

/// The entry of `candidates` nearest to `word` (edit distance at most a third of its length), or empty.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace matcha
