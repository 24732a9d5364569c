#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "frontend/syntax/tokens.h"

/// Private to the formatter: the text as lines of pieces, each with the space before it.
namespace matcha::frontend::syntax {

/// A token or a comment of a line.
struct Piece {
  std::size_t type = 0;  ///< The type of the token in the lexer.
  std::string_view text;
  bool own_line = false;      ///< A comment with nothing before it on its line.
  bool space = false;         ///< Before it, unless it begins a line.
  bool unary = false;         ///< A sign before its only operand.
  bool type_bracket = false;  ///< `<` and `>` of a type.
  std::size_t partner = 0;    ///< For a bracket: the place of the other one in the line.

  bool is_comment() const;
  bool is_open() const;
  bool is_close() const;
  /// Number of characters, its width in a fixed-width font.
  std::size_t width() const;
};

/// A logical line, or a comment between two of them.
struct PieceLine {
  std::size_t column = 0;  ///< Spaces before it in the text.
  std::size_t depth = 0;   ///< Blocks around it.
  std::size_t blank_lines = 0;
  std::vector<Piece> pieces;

  bool is_comment() const { return pieces.front().is_comment(); }
  bool begins_def() const;
  bool is_docstring() const;
};

/// The lines of a text without syntax errors. Commas before closing brackets are left out, but for
/// that of a tuple of one.
std::vector<PieceLine> piece_lines(const std::vector<RawToken>& tokens, std::string_view text);

}  // namespace matcha::frontend::syntax
