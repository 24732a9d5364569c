#include "frontend/syntax/pieces.h"

#include <algorithm>

#include <MatchaLexer.h>

#include "frontend/syntax/encoding.h"

namespace matcha::frontend::syntax {

using grammar::MatchaLexer;

bool Piece::is_comment() const { return type == MatchaLexer::COMMENT; }
bool Piece::is_open() const { return type == MatchaLexer::OPEN_PAREN || type == MatchaLexer::OPEN_BRACKET; }
bool Piece::is_close() const { return type == MatchaLexer::CLOSE_PAREN || type == MatchaLexer::CLOSE_BRACKET; }

std::size_t Piece::width() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool PieceLine::begins_def() const { return pieces.front().type == MatchaLexer::DEF; }
bool PieceLine::is_docstring() const { return pieces.front().type == MatchaLexer::LONG_STRING; }

namespace {

/// Finds the lines; depths and spaces come later.
class LineCutter {
 public:
  explicit LineCutter(std::string_view text) : text_(text) {}

  std::vector<PieceLine> run(const std::vector<RawToken>& tokens) {
    std::size_t line_start = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (const RawToken& token : tokens) {
      if (token.type == MatchaLexer::SPACE) continue;
      if (token.type == MatchaLexer::LINE_BREAK) {
        ++breaks_;
        line_start = token.end;
        if (brackets_ == 0) end_line();
        continue;
      }
      add(token, token.begin - line_start);
    }
    end_line();
    return std::move(lines_);
  }

 private:
  void add(const RawToken& token, std::size_t column) {
    bool fresh = breaks_ > 0 || (lines_.empty() && line_.pieces.empty());
    if (line_.pieces.empty()) {
      line_.column = column;
      line_.blank_lines = breaks_ > 1 && !lines_.empty() ? breaks_ - 1 : 0;
    }
    Piece piece;
    piece.type = token.type;
    piece.text = text_.substr(token.begin, token.end - token.begin);
    piece.own_line = fresh;
    if (piece.is_comment()) piece.text = piece.text.substr(0, piece.text.find_last_not_of(" \t\f") + 1);
    brackets_ += piece.is_open() ? 1 : 0;
    brackets_ -= piece.is_close() && brackets_ > 0 ? 1 : 0;
    line_.pieces.push_back(piece);
    breaks_ = 0;
  }

  void end_line() {
    if (line_.pieces.empty()) return;
    lines_.push_back(std::move(line_));
    line_ = {};
  }

  std::string_view text_;
  std::vector<PieceLine> lines_;
  PieceLine line_;
  std::size_t breaks_ = 0;  ///< Since the last piece.
  std::size_t brackets_ = 0;
};

/// Sets the depth of every line. A comment before the end of a block belongs to the deepest block that its column
/// reaches.
void find_depths(std::vector<PieceLine>& lines) {
  std::vector<std::size_t> widths{0};
  std::size_t comments = 0;  // Start of the comments before the current line.
  auto place_comments = [&](std::size_t end, std::size_t depth, const std::vector<std::size_t>& before) {
    std::size_t most = before.size() - 1;
    for (std::size_t i = comments; i < end; ++i) {
      std::size_t deepest = depth;
      for (std::size_t d = depth; d <= most; ++d) {
        if (before[d] <= lines[i].column) deepest = d;
      }
      lines[i].depth = most = std::max(depth, deepest);
    }
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].is_comment()) continue;
    const std::vector<std::size_t> before = widths;
    if (lines[i].column > widths.back()) widths.push_back(lines[i].column);
    while (lines[i].column < widths.back()) widths.pop_back();
    lines[i].depth = widths.size() - 1;
    place_comments(i, lines[i].depth, before);
    comments = i + 1;
  }
  place_comments(lines.size(), 0, widths);
}

bool is_type_word(std::size_t type) { return type >= MatchaLexer::INT_TYPE && type <= MatchaLexer::GRAPH_TYPE; }

/// True if a value ends with such a token, so that an operator behind it is binary.
bool ends_value(const Piece& piece) {
  switch (piece.type) {
    case MatchaLexer::NAME:
    case MatchaLexer::INT:
    case MatchaLexer::FLOAT:
    case MatchaLexer::TRUE:
    case MatchaLexer::FALSE:
    case MatchaLexer::NONE:
    case MatchaLexer::STRING:
    case MatchaLexer::LONG_STRING: return true;
    default: return piece.is_close() || is_type_word(piece.type) || piece.type_bracket;
  }
}

/// Finds the partners of brackets and the spaces between pieces of one line.
class Spacer {
 public:
  explicit Spacer(PieceLine& line) : pieces_(line.pieces), header_(line.begins_def()) {}

  void run() {
    const Piece* previous = nullptr;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[i];
      if (piece.is_comment()) continue;
      classify(piece, i, previous);
      piece.space = previous != nullptr && space_between(*previous, piece);
      previous = &piece;
    }
  }

 private:
  void classify(Piece& piece, std::size_t i, const Piece* previous) {
    std::size_t before = previous == nullptr ? 0 : previous->type;
    bool generic = before == MatchaLexer::LIST_TYPE || before == MatchaLexer::TUPLE_TYPE ||
                   before == MatchaLexer::VAR_TYPE || before == MatchaLexer::TABLE_TYPE;
    if (piece.type == MatchaLexer::LESS && generic) {
      piece.type_bracket = true;
      angles_.push_back(i);
    } else if (piece.type == MatchaLexer::GREATER && !angles_.empty()) {
      piece.type_bracket = true;
      pair(angles_, i);
    } else if (piece.is_open()) {
      brackets_.push_back(i);
    } else if (piece.is_close() && !brackets_.empty()) {
      pair(brackets_, i);
    } else if (piece.type == MatchaLexer::PLUS || piece.type == MatchaLexer::MINUS) {
      piece.unary = previous == nullptr || !ends_value(*previous);
    } else if (piece.type == MatchaLexer::COLON) {
      annotated_ = header_ && brackets_.size() == 1;
    } else if (piece.type == MatchaLexer::COMMA && angles_.empty()) {
      annotated_ = false;
    }
  }

  void pair(std::vector<std::size_t>& open, std::size_t close) {
    pieces_[close].partner = open.back();
    pieces_[open.back()].partner = close;
    open.pop_back();
  }

  bool space_between(const Piece& before, const Piece& piece) const {
    bool tight_behind = before.is_open() || before.unary || before.type == MatchaLexer::DOT ||
                        (before.type_bracket && before.type == MatchaLexer::LESS);
    bool tight_before = piece.is_close() || piece.type_bracket || piece.type == MatchaLexer::COMMA ||
                        piece.type == MatchaLexer::COLON || piece.type == MatchaLexer::DOT;
    if (tight_behind || tight_before) return false;
    bool assign = piece.type == MatchaLexer::ASSIGN || before.type == MatchaLexer::ASSIGN;
    std::size_t around = brackets_.size() - (piece.is_open() ? 1 : 0);
    if (assign) return around == 0 || annotated_;
    return piece.type != MatchaLexer::OPEN_PAREN || !ends_value(before);
  }

  std::vector<Piece>& pieces_;
  bool header_;
  std::vector<std::size_t> brackets_;
  std::vector<std::size_t> angles_;
  bool annotated_ = false;  ///< The parameter of a function has an explicit type.
};

/// Drops the commas before closing brackets, but for that of a tuple of one: `(a,)`.
void drop_last_commas(std::vector<Piece>& pieces) {
  std::vector<Piece> kept;
  std::vector<bool> maybe_one;  // Of each open bracket: it may be that of a tuple, and has had no comma.
  const Piece* before = nullptr;
  bool in_parameters = false;  // Of a lambda.
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.is_open()) {
      maybe_one.push_back(piece.type == MatchaLexer::OPEN_PAREN && (before == nullptr || !ends_value(*before)));
    } else if (piece.is_close() && !maybe_one.empty()) {
      maybe_one.pop_back();
    } else if (piece.type == MatchaLexer::LAMBDA || piece.type == MatchaLexer::COLON) {
      in_parameters = piece.type == MatchaLexer::LAMBDA;
    } else if (piece.type == MatchaLexer::COMMA && !maybe_one.empty() && !in_parameters) {
      std::size_t next = i + 1;
      while (next < pieces.size() && pieces[next].is_comment()) ++next;
      const bool is_last = next < pieces.size() && pieces[next].is_close();
      if (is_last && !maybe_one.back()) continue;
      maybe_one.back() = false;
    }
    if (!piece.is_comment()) before = &piece;
    kept.push_back(piece);
  }
  pieces = std::move(kept);
}

}  // namespace

std::vector<PieceLine> piece_lines(const std::vector<RawToken>& tokens, std::string_view text) {
  std::vector<PieceLine> lines = LineCutter(text).run(tokens);
  find_depths(lines);
  for (PieceLine& line : lines) {
    drop_last_commas(line.pieces);
    Spacer(line).run();
  }
  return lines;
}

}  // namespace matcha::frontend::syntax
