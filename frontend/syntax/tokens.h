#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <antlr4-runtime.h>

#include "ir/support/diagnostics.h"

/// Private to the parser: from the bytes of a file to the tokens that the grammar reads.
namespace matcha::frontend::syntax {

/// Brackets, `lambda`s and `if`s that may be open at once; keeps the recursion of the parser within a thread's stack.
inline constexpr std::size_t kMaxNesting = 256;
/// Blocks within blocks.
inline constexpr std::size_t kMaxBlocks = 64;
/// `List<List<…`.
inline constexpr std::size_t kMaxTypeNesting = 32;
/// Tokens of one file; the parse tree takes about 2 KB a token.
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

/// What the parser and the tree builder need besides tokens.
struct SourceText {
  std::uint32_t file;
  std::string_view text;
  LineIndex lines;
  Diagnostics& diagnostics;
  /// Logical lines that have an error already; a second one there would be an echo of the first.
  std::set<std::size_t> lines_with_errors;
  /// Logical lines before one with an error that may have been meant to go on the same block.
  std::set<std::size_t> lines_before_errors;
};

/// Tokens with INDENT, DEDENT and NEWLINE, closed by EOF. A token's `getLine()` is the number of its *logical* line,
/// from 1; its start and stop indices are byte offsets (stop inclusive).
struct Tokens {
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  bool parsable = true;  ///< False if the parser must not see the tokens: too deep, too many, not text.
};

Tokens tokenize(SourceText& source);

/// A token of the lexer, layout and comments included: bytes [begin, end) of the text.
struct RawToken {
  std::size_t type;
  std::size_t begin;
  std::size_t end;
};

/// The text cut into tokens; together they are all of it. `plain` has one byte for each of the text's.
std::vector<RawToken> raw_tokens(const std::string& plain);

/// How messages call a token: `name`, the end of the line, a deeper indentation.
std::string describe(const antlr4::Token& token, std::string_view text);

}  // namespace matcha::frontend::syntax
