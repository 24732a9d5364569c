#include "ir/support/diagnostics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

namespace matcha {
namespace {

struct IdText {
  std::string_view text;
  std::string_view meaning;
};

constexpr std::array kIds{
#define MATCHA_DIAGNOSTIC(Name, text, meaning) IdText{text, meaning},
#include "ir/support/diagnostics.def"
#undef MATCHA_DIAGNOSTIC
};

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

std::string_view severity_color(Severity severity) {
  switch (severity) {
    case Severity::Error: return "\033[1;31m";
    case Severity::Warning: return "\033[1;35m";
    case Severity::Note: return "\033[1;36m";
  }
  return "";
}

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kCaret = "\033[1;32m";
constexpr std::string_view kReset = "\033[0m";

/// Longer words get no suggestion.
constexpr std::size_t kLongestWord = 64;

/// Longest part of a source line that is shown.
constexpr std::size_t kShownBytes = 160;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Writes one character of a source line; control characters for terminals become `?`.
void append_shown(std::string& out, char c) {
  bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  out += c == '\t' ? ' ' : control ? '?' : c;
}

void render_line(std::string& out, const SourceManager& sources, SourceLoc loc, bool color) {
  std::string_view line = sources.line(loc.file, loc.line);
  if (line.empty()) return;
  std::size_t at = std::min<std::size_t>(loc.column == 0 ? 0 : loc.column - 1, line.size());
  std::size_t begin = 0;
  if (line.size() > kShownBytes && at > kShownBytes / 2) begin = at - kShownBytes / 2;
  while (begin > 0 && continues_character(line[begin])) --begin;
  std::size_t end = std::min(line.size(), begin + kShownBytes);
  while (end < line.size() && continues_character(line[end])) ++end;
  out += "  ";
  for (std::size_t i = begin; i < end; ++i) append_shown(out, line[i]);
  out += "\n  ";
  for (std::size_t i = begin; i < at; ++i) {
    if (!continues_character(line[i])) out += ' ';
  }
  if (color) out += kCaret;
  out += '^';
  std::size_t last = std::min<std::size_t>(at + std::max<std::uint32_t>(loc.length, 1), end);
  for (std::size_t i = at + 1; i < last; ++i) {
    if (!continues_character(line[i])) out += '~';
  }
  if (color) out += kReset;
  out += '\n';
}

void render_message(std::string& out, const SourceManager& sources, Severity severity, SourceLoc loc,
                    std::string_view message, std::string_view id, bool color) {
  if (color) out += kBold;
  if (loc.valid()) {
    out += sources.name(loc.file);
    out += ':' + std::to_string(loc.line) + ':' + std::to_string(loc.column) + ": ";
  }
  if (color) out += severity_color(severity);
  out += severity_text(severity);
  out += ": ";
  if (color) {
    out += kReset;
    out += kBold;
  }
  out += message;
  if (color) out += kReset;
  if (!id.empty()) {
    out += " [";
    out += id;
    out += ']';
  }
  out += '\n';
  if (loc.valid()) render_line(out, sources, loc, color);
}

void append_json(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json_place(std::string& out, const SourceManager& sources, SourceLoc loc) {
  out += "\"file\":";
  append_json(out, loc.valid() ? sources.name(loc.file) : std::string_view());
  out += ",\"line\":" + std::to_string(loc.line) + ",\"column\":" + std::to_string(loc.column) +
         ",\"length\":" + std::to_string(loc.length);
}

/// Edit distance: insertions, deletions, changes, and swaps of adjacent letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view diag_text(DiagId id) { return kIds[static_cast<std::size_t>(id)].text; }
std::string_view diag_meaning(DiagId id) { return kIds[static_cast<std::size_t>(id)].meaning; }

const std::vector<DiagId>& all_diag_ids() {
  static const std::vector<DiagId> ids = [] {
    std::vector<DiagId> out;
    for (std::size_t i = 0; i < kIds.size(); ++i) out.push_back(static_cast<DiagId>(i));
    return out;
  }();
  return ids;
}

Diagnostic& Diagnostics::error(DiagId id, SourceLoc loc, std::string message, std::string hint) {
  ++error_count_;
  return diagnostics_.emplace_back(Diagnostic{Severity::Error, id, loc, std::move(message), std::move(hint), {}});
}

Diagnostic& Diagnostics::warning(DiagId id, SourceLoc loc, std::string message, std::string hint) {
  return diagnostics_.emplace_back(Diagnostic{Severity::Warning, id, loc, std::move(message), std::move(hint), {}});
}

void Diagnostics::sort_by_place() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.loc.file, a.loc.line, a.loc.column) < std::tie(b.loc.file, b.loc.line, b.loc.column);
  });
}

std::string render_text(const Diagnostics& diagnostics, bool color) {
  std::string out;
  const SourceManager& sources = diagnostics.sources();
  for (const Diagnostic& d : diagnostics.all()) {
    render_message(out, sources, d.severity, d.loc, d.message, diag_text(d.id), color);
    if (!d.hint.empty()) out += "  hint: " + d.hint + "\n";
    for (const DiagNote& note : d.notes) {
      render_message(out, sources, Severity::Note, note.loc, note.message, {}, color);
    }
  }
  return out;
}

std::string render_json(const Diagnostics& diagnostics) {
  std::string out = "[";
  const SourceManager& sources = diagnostics.sources();
  bool first = true;
  for (const Diagnostic& d : diagnostics.all()) {
    out += first ? "\n  {" : ",\n  {";
    first = false;
    append_json_place(out, sources, d.loc);
    out += ",\"severity\":";
    append_json(out, severity_text(d.severity));
    out += ",\"id\":";
    append_json(out, diag_text(d.id));
    out += ",\"message\":";
    append_json(out, d.message);
    out += ",\"hint\":";
    append_json(out, d.hint);
    out += ",\"notes\":[";
    for (std::size_t i = 0; i < d.notes.size(); ++i) {
      out += i == 0 ? "{" : ",{";
      append_json_place(out, sources, d.notes[i].loc);
      out += ",\"message\":";
      append_json(out, d.notes[i].message);
      out += '}';
    }
    out += "]}";
  }
  out += first ? "]\n" : "\n]\n";
  return out;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  if (word.size() < 2 || word.size() > kLongestWord) return best;
  for (const std::string& candidate : candidates) {
    std::size_t gap = candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_distance || candidate == word) continue;
    std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace matcha
