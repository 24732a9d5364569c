#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/graph/detail/source.h"

/// Helpers shared by the readers of formats: text byte by byte, and lines as words.
namespace matcha::runtime::detail {

/// Iterates over the bytes of a source; lines may have any length.
class TextReader {
 public:
  static constexpr int kEnd = -1;

  explicit TextReader(LineSource& source) : source_(source), line_(source.lines_taken() + 1) { source_.read_bytes(); }

  /// The next byte, without consuming it; `kEnd` at the end, and after an error.
  int peek() {
    if (at_ == chunk_.end && !fetch()) return kEnd;
    return static_cast<unsigned char>(*at_);
  }
  /// Consumes the next byte.
  int take() {
    const int byte = peek();
    if (byte == kEnd) return byte;
    ++at_;
    line_ += byte == '\n' ? 1 : 0;
    return byte;
  }
  /// The line of the next byte, from 1.
  std::uint64_t line() const { return line_; }
  /// The error of the source, after which the text seems to end.
  const Status& status() const { return status_; }

 private:
  bool fetch() {
    if (!status_ || is_over_) return false;
    Result<LineChunk> next = source_.next();
    if (!next) status_ = next.error();
    is_over_ = !next || next->begin == next->end;
    if (is_over_) return false;
    chunk_ = std::move(*next);
    at_ = chunk_.begin;
    return true;
  }

  LineSource& source_;
  LineChunk chunk_;
  const char* at_ = nullptr;
  std::uint64_t line_ = 1;
  bool is_over_ = false;
  Status status_ = Done{};
};

/// Takes words from the front of a line; blanks separate them.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) { skip(); }

  bool is_over() const { return rest_.empty(); }
  /// The next word without its quotes; empty at the end. A quoted word may contain blanks.
  std::string_view take() {
    std::string_view word;
    if (rest_.starts_with('"') && rest_.find('"', 1) != std::string_view::npos) {
      const std::size_t close = rest_.find('"', 1);
      word = rest_.substr(1, close - 1);
      rest_.remove_prefix(close + 1);
    } else {
      word = rest_.substr(0, rest_.find_first_of(" \t\r"));
      rest_.remove_prefix(word.size());
    }
    skip();
    return word;
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  std::string_view rest_;
};

/// Parses the whole word as a number; false if it is not one.
bool parse_number(std::string_view word, std::int64_t& out);

/// A hash of an ordered pair. Equal sums of these show that two lists have the same pairs.
std::uint64_t hash_pair(std::int64_t a, std::int64_t b);

/// The remark on a header that declares twice the edges that the file has.
std::string half_note(std::uint64_t declared, std::uint64_t edges);

/// The first line of `head` that is not blank; empty if there is none.
std::string_view first_text_line(std::string_view head);

}  // namespace matcha::runtime::detail
