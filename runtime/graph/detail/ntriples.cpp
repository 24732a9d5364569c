#include "runtime/graph/detail/ntriples.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "runtime/graph/detail/line_pipeline.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::string_view kString = "http://www.w3.org/2001/XMLSchema#string";

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// True for a letter in the label of a blank node; every non-ASCII letter is accepted.
constexpr bool is_label_letter(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Appends a character of a literal as stored in its name.
void append_escaped(std::string& text, char c) {
  switch (c) {
    case '"': text += "\\\""; return;
    case '\\': text += "\\\\"; return;
    case '\n': text += "\\n"; return;
    case '\r': text += "\\r"; return;
    case '\t': text += "\\t"; return;
    default: break;
  }
  if (!is_control(c)) {
    text += c;
    return;
  }
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const unsigned char byte = static_cast<unsigned char>(c);
  text += "\\u00";
  text += kHex[byte >> 4];
  text += kHex[byte & 15];
}

/// Parses one line, which ends with a line feed.
class TripleParser {
 public:
  explicit TripleParser(const char* line) : p_(line) {}

  std::optional<LineError> read(Triple& triple) {
    triple = {};
    skip();
    if (at_end()) return std::nullopt;
    if (!(*p_ == '<' ? iri(triple.subject) : *p_ == '_' ? blank(triple.subject) : wants("a subject", kSubject)))
      return std::move(error_);
    skip();
    if (!(*p_ == '<' ? iri(triple.predicate) : wants("a predicate", "predicates are IRIs: `<http://…>`")))
      return std::move(error_);
    skip();
    triple.has_literal = *p_ == '"';
    if (!(*p_ == '<'   ? iri(triple.object)
          : *p_ == '_' ? blank(triple.object)
          : *p_ == '"' ? literal(triple.object)
                       : wants("an object", "objects are IRIs, blank nodes `_:b` or literals `\"text\"`")))
      return std::move(error_);
    skip();
    if (*p_ != '.') {
      wants("`.`", *p_ == '<' || *p_ == '_' ? "a fourth term, as in N-Quads, is not read; leave it out"
                                            : "a triple ends with a point");
      return std::move(error_);
    }
    ++p_;
    skip();
    if (!at_end()) {
      wants("the end of the line", "each triple has a line of its own");
      return std::move(error_);
    }
    return std::nullopt;
  }

 private:
  static constexpr const char* kSubject = "subjects are IRIs `<http://…>` or blank nodes `_:b`; Turtle is not read";

  void skip() { p_ = skip_blanks(p_); }
  bool at_end() const { return *p_ == '\n' || *p_ == '#'; }

  bool fail(std::string message, std::string hint = "") {
    error_ = LineError{0, std::move(message), std::move(hint)};
    return false;
  }

  /// Sets the error; returns false.
  bool wants(std::string_view what, std::string hint) {
    const char* end = p_;
    while (*end != '\n' && !is_blank(*end)) ++end;
    const std::string_view word(p_, static_cast<std::size_t>(end - p_));
    return fail("expected " + std::string(what) + ", found " + (word.empty() ? "the end of the line" : quote(word)),
                std::move(hint));
  }

  /// Reads a code point at `\u` or `\U`.
  bool code_point(std::string& text, bool escape) {
    const int digits = p_[1] == 'u' ? 4 : 8;
    std::uint32_t point = 0;
    p_ += 2;
    for (int i = 0; i < digits; ++i, ++p_) {
      const int value = hex_value(*p_);
      if (value < 0) return fail("an escape lacks digits", "`\\u` has 4 hexadecimal digits, `\\U` has 8");
      point = point << 4 | static_cast<std::uint32_t>(value);
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return fail("an escape is no character");
    if (escape && point < 0x80) {
      append_escaped(text, static_cast<char>(point));
    } else {
      append_utf8(text, point);
    }
    return true;
  }

  static bool may_be_in_iri(char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F && std::strchr("<>\"{}|^`\\", c) == nullptr;
  }

  bool iri(std::string& text) {
    ++p_;
    const std::size_t begin = text.size();
    while (*p_ != '>') {
      if (*p_ == '\n') return fail("an IRI does not end", "IRIs end with `>`");
      if (*p_ == '\\' && (p_[1] == 'u' || p_[1] == 'U')) {
        const std::size_t before = text.size();
        if (!code_point(text, false)) return false;
        if (text.size() == before + 1 && !may_be_in_iri(text.back()))
          return fail("an escape is no character of an IRI");
        continue;
      }
      if (!may_be_in_iri(*p_)) return fail("an IRI has " + quote(std::string_view(p_, 1)) + ", which none may have");
      text += *p_++;
    }
    ++p_;
    const std::string_view made = std::string_view(text).substr(begin);
    if (made.empty()) return fail("an IRI is empty");
    // It would look like a blank node.
    if (made.starts_with("_:")) return fail("the IRI " + quote(made) + " has no scheme");
    return true;
  }

  bool blank(std::string& text) {
    const char* const begin = p_;
    const char* end = p_ + 2;
    if (p_[1] == ':' && is_label_letter(*end)) {
      while (is_label_letter(*end) || *end == '-' || *end == '.') ++end;
      // A point at its end belongs to the triple.
      while (end[-1] == '.') --end;
      text.assign(begin, end);
      p_ = end;
      return true;
    }
    return wants("a blank node", "blank nodes are `_:` and a word");
  }

  bool escape(std::string& text) {
    if (p_[1] == 'u' || p_[1] == 'U') return code_point(text, true);
    constexpr std::string_view kLetters = "tbnrf\"'\\";
    constexpr std::string_view kMeanings = "\t\b\n\r\f\"'\\";
    const std::size_t found = p_[1] == '\n' ? std::string_view::npos : kLetters.find(p_[1]);
    if (found == std::string_view::npos)
      return fail("a literal has an unknown escape", "a backslash is written `\\\\`");
    append_escaped(text, kMeanings[found]);
    p_ += 2;
    return true;
  }

  bool literal(std::string& text) {
    ++p_;
    text = "\"";
    while (*p_ != '"') {
      if (*p_ == '\n') return fail("a literal does not end", "a line feed in one is written `\\n`");
      if (*p_ == '\\') {
        if (!escape(text)) return false;
        continue;
      }
      if (*p_ == '\r') return fail("a literal has a carriage return", "it is written `\\r`");
      append_escaped(text, *p_++);
    }
    text += '"';
    ++p_;
    if (*p_ == '@') return language(text);
    if (*p_ != '^') return true;
    if (p_[1] != '^' || p_[2] != '<') return wants("the type of a literal", "`\"5\"^^<IRI>`");
    p_ += 2;
    std::string type;
    if (!iri(type)) return false;
    if (type != kString) text += "^^<" + type + ">";
    return true;
  }

  bool language(std::string& text) {
    text += *p_++;
    bool first = true;
    do {
      if (*p_ == '-') text += *p_++;
      const char* const begin = p_;
      for (; is_letter(*p_) || (!first && is_digit(*p_)); ++p_)
        text += is_letter(*p_) ? static_cast<char>(*p_ | 0x20) : *p_;
      if (p_ == begin) return wants("the language of a literal", "`\"text\"@en`");
      first = false;
    } while (*p_ == '-');
    return true;
  }

  const char* p_;
  std::optional<LineError> error_;
};

/// Parses the lines of a chunk.
struct ChunkParser {
  const RowPlan plan;
  const bool drop_literals;
  std::atomic<std::uint64_t>& literals;

  void operator()(const LineChunk& lines, RowChunk& chunk) const {
    chunk.cells.resize(plan.columns.size());
    LabelReader labels(chunk.labels);
    Triple triple;
    for (const char* p = lines.begin; p != lines.end; ++p, ++chunk.lines) {
      chunk.error = read_triple(p, triple);
      const char* const newline =
          static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(lines.end - p)));
      if (!chunk.error && has_lone_return(p, newline)) chunk.error = lone_return();
      if (!chunk.error && !triple.subject.empty()) chunk.error = store(triple, labels, chunk);
      if (chunk.error) {
        chunk.error->line += chunk.lines;
        return;
      }
      p = newline;
    }
  }

  std::optional<LineError> store(const Triple& triple, LabelReader& labels, RowChunk& chunk) const {
    if (triple.has_literal) {
      literals.fetch_add(1, std::memory_order_relaxed);
      if (drop_literals) return std::nullopt;
    }
    for (std::size_t at = 0; at < plan.columns.size(); ++at) {
      if (plan.columns[at].kind == ColumnKind::Label) {
        std::optional<LineError> error = labels.read(std::string_view(triple.predicate));
        if (error) return error;
      } else {
        chunk.cells[at].push_back(chunk.names.intern(plan.columns[at].index == 0 ? triple.subject : triple.object));
      }
    }
    ++chunk.rows;
    return std::nullopt;
  }

  Status take(RowChunk& chunk) const { return hand_over(plan, chunk); }
};

}  // namespace

bool looks_like_triple(std::string_view line) {
  const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  const auto past = [&](std::size_t end) {
    const bool found = end != std::string_view::npos;
    line.remove_prefix(found ? end : line.size());
    return found;
  };
  skip();
  if (line.starts_with("<")) {
    if (!past(line.find('>'))) return false;
    line.remove_prefix(1);
  } else if (!line.starts_with("_:") || !past(line.find_first_of(" \t<"))) {
    return false;
  }
  skip();
  if (!line.starts_with("<") || !past(line.find('>'))) return false;
  line.remove_prefix(1);
  skip();
  return line.starts_with("<") || line.starts_with("_:") || line.starts_with("\"");
}

std::optional<LineError> read_triple(const char* line, Triple& triple) { return TripleParser(line).read(triple); }

Result<TripleRows> read_triples(LineSource& source, const std::vector<ColumnSpec>& columns, bool drop_literals,
                                const TakeRows* maybe_take, const IoOptions& options, Budget& budget) {
  for (const ColumnSpec& column : columns) {
    const bool is_label = column.index == 2 && column.kind == ColumnKind::Label;
    if (!is_label && (column.index > 1 || column.kind != ColumnKind::Vertex)) {
      return input_error(source.path(), 0, "the edges of N-Triples have labels, and no other columns",
                         "read the labels of edges, or the ends of edges alone");
    }
  }
  std::atomic<std::uint64_t> literals{0};
  RowPlan plan{columns};
  plan.maybe_take = maybe_take;
  const ChunkParser parser{plan, drop_literals, literals};
  std::vector<RowChunk> chunks = MATCHA_TRY(parse_lines<RowChunk>(source, options, budget, parser));
  TripleRows read;
  read.rows.chunks = std::move(chunks);
  for (const RowChunk& chunk : read.rows.chunks) read.rows.count += chunk.rows;
  read.literals = literals.load();
  return read;
}

}  // namespace matcha::runtime::detail
