#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <antlr4-runtime.h>

#include "ir/support/diagnostics.h"

/// Private to the parser: turns the bytes of a file into tokens of the grammar.
namespace matcha::frontend::syntax {

/// Most open brackets, `lambda`s and `if`s; limits the recursion of the parser to a thread's stack.
inline constexpr std::size_t kMaxNesting = 256;
/// Most nested blocks.
inline constexpr std::size_t kMaxBlocks = 64;
/// Most nested types: `List<List<…`.
inline constexpr std::size_t kMaxTypeNesting = 32;
/// Most tokens of one file; the parse tree takes about 2 KB a token.
inline constexpr std::size_t kMaxTokens = 100'000;

/// Finds lines from byte offsets.
class LineIndex {
 public:
  LineIndex(std::uint32_t file, std::string_view text);

  /// The place of bytes [begin, end); a range over several lines is cut at the end of its first line.
  SourceLoc loc(std::size_t begin, std::size_t end) const;

 private:
  std::uint32_t file_;
  std::size_t size_;
  std::vector<std::size_t> starts_;
};

/// The state of the parser and the tree builder besides tokens.
struct SourceText {
  std::uint32_t file;
  std::string_view text;
  LineIndex lines;
  Diagnostics& diagnostics;
  /// Logical lines that already have an error; a second error there would be a consequence of the first.
  std::set<std::size_t> lines_with_errors;
  /// Logical lines before a line with an error that may have been intended as part of the same block.
  std::set<std::size_t> lines_before_errors;
};

/// Tokens with INDENT, DEDENT and NEWLINE, closed by EOF. A token's `getLine()` is the number of its *logical* line,
/// from 1; its start and stop indices are byte offsets (stop inclusive).
struct Tokens {
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  bool parsable = true;  ///< False if the parser must not read the tokens: too deep, too many, not text.
};

Tokens tokenize(SourceText& source);

/// A token of the lexer, layout and comments included: bytes [begin, end) of the text.
struct RawToken {
  std::size_t type;
  std::size_t begin;
  std::size_t end;
};

/// Cuts the text into tokens, which together cover all of it. `plain` has one byte for each byte of the text.
std::vector<RawToken> raw_tokens(const std::string& plain);

/// The name of a token in messages: `name`, the end of the line, a deeper indentation.
std::string describe(const antlr4::Token& token, std::string_view text);

}  // namespace matcha::frontend::syntax
