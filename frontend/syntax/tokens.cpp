#include "frontend/syntax/tokens.h"

#include <algorithm>
#include <optional>

#include <MatchaLexer.h>
#include <MatchaParser.h>

#include "frontend/syntax/encoding.h"

namespace matcha::frontend::syntax {

using grammar::MatchaLexer;
using grammar::MatchaParser;  // For the tokens not made by the lexer.

LineIndex::LineIndex(std::uint32_t file, std::string_view text) : file_(file), size_(text.size()) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool carriage_return_only = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (text[i] == '\n' || carriage_return_only) starts_.push_back(i + 1);
  }
}

SourceLoc LineIndex::loc(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, size_);
  end = std::clamp(end, begin, size_);
  std::size_t line =
      static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), begin) - starts_.begin());
  std::size_t start = starts_[line - 1];
  std::size_t limit = line < starts_.size() ? starts_[line] - 1 : size_;
  std::size_t length = std::max(begin, std::min(end, limit)) - begin;
  return {file_, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(begin - start + 1),
          static_cast<std::uint32_t>(std::max<std::size_t>(length, 1))};
}

namespace {

using Raw = RawToken;

/// Computes the parser's recursion depth at a token.
class NestingCounter {
 public:
  NestingCounter() { levels_.push_back({}); }

  void open() {
    levels_.push_back({});
    ++total_;
  }
  void close() {
    total_ -= 1 + levels_.back().ifs + levels_.back().lambdas;
    levels_.pop_back();
  }
  void word(std::size_t type) {
    Level& level = levels_.back();
    if (type == MatchaLexer::LAMBDA) ++level.lambdas, ++total_;
    if (type == MatchaLexer::IF) ++level.ifs, ++total_;
    // A comma ends a conditional expression, but it can also separate the parameters of a lambda.
    if (type == MatchaLexer::COMMA && level.lambdas == 0) {
      total_ -= level.ifs;
      level.ifs = 0;
    }
  }
  void end_line() {
    levels_.assign(1, {});
    total_ = 0;
  }
  std::size_t total() const { return total_; }

 private:
  struct Level {
    std::size_t ifs = 0;
    std::size_t lambdas = 0;
  };
  std::vector<Level> levels_;
  std::size_t total_ = 0;
};

bool is_open(std::size_t type) { return type == MatchaLexer::OPEN_PAREN || type == MatchaLexer::OPEN_BRACKET; }
bool is_close(std::size_t type) { return type == MatchaLexer::CLOSE_PAREN || type == MatchaLexer::CLOSE_BRACKET; }
std::size_t partner(std::size_t open) {
  return open == MatchaLexer::OPEN_PAREN ? MatchaLexer::CLOSE_PAREN : MatchaLexer::CLOSE_BRACKET;
}
/// Words that begin a line and never occur inside brackets: an open bracket before them was not closed.
bool begins_statement(std::size_t type) {
  return type == MatchaLexer::DEF || type == MatchaLexer::RETURN || type == MatchaLexer::FROM ||
         type == MatchaLexer::IMPORT;
}

/// Words of types that have others in `<…>`.
bool takes_types(std::size_t type) {
  return type == MatchaLexer::LIST_TYPE || type == MatchaLexer::TUPLE_TYPE || type == MatchaLexer::VAR_TYPE ||
         type == MatchaLexer::TABLE_TYPE;
}
/// Tokens between the `<` and the `>` of a type, besides these.
bool stands_in_type(std::size_t type) {
  return (type >= MatchaLexer::INT_TYPE && type <= MatchaLexer::GRAPH_TYPE) || type == MatchaLexer::COMMA ||
         type == MatchaLexer::INT;
}
bool is_layout(std::size_t type) {
  return type == MatchaLexer::LINE_BREAK || type == MatchaLexer::SPACE || type == MatchaLexer::COMMENT;
}

/// Walks the raw tokens once and writes the tokens of the grammar.
class Layout {
 public:
  Layout(SourceText& source, Tokens& out) : source_(source), out_(out) {}

  void run(const std::vector<Raw>& raws) {
    for (const Raw& raw : raws) {
      if (!out_.parsable) return;
      if (raw.type == MatchaLexer::LINE_BREAK) {
        line_start_ = raw.end;
        fresh_line_ = true;
        if (brackets_.empty()) end_logical_line(raw.begin);
        continue;
      }
      if (raw.type == MatchaLexer::SPACE || raw.type == MatchaLexer::COMMENT) continue;
      token(raw);
      fresh_line_ = false;
    }
    if (!out_.parsable) return;
    report_open_brackets();
    end_logical_line(source_.text.size());
    missing_block(source_.text.size());
    while (indents_.size() > 1) dedent(source_.text.size());
    add(antlr4::Token::EOF, source_.text.size(), source_.text.size());
  }

 private:
  struct Indent {
    std::size_t width;
    bool emitted;  ///< False for an unexpected indentation that was reported and is ignored.
  };

  void error(DiagId id, std::size_t begin, std::size_t end, std::string message, std::string hint = {}) {
    source_.lines_with_errors.insert(logical_line_);
    source_.diagnostics.error(id, source_.lines.loc(begin, end), std::move(message), std::move(hint));
  }

  std::string_view spelled(const Raw& raw) const { return source_.text.substr(raw.begin, raw.end - raw.begin); }

  void add(std::size_t type, std::size_t begin, std::size_t end) {
    std::unique_ptr<antlr4::CommonToken> token = std::make_unique<antlr4::CommonToken>(type);
    token->setStartIndex(begin);
    token->setStopIndex(end == begin ? begin : end - 1);
    token->setLine(logical_line_);
    token->setText(std::string(source_.text.substr(begin, end - begin)));
    out_.tokens.push_back(std::move(token));
    last_type_ = type;
    if (out_.tokens.size() > kMaxTokens) {
      error(DiagId::TooLarge, begin, end, "the program has more than " + std::to_string(kMaxTokens) + " tokens",
            "pass data as lists with `--in` instead of writing it into the program");
      out_.parsable = false;
    }
  }

  void token(const Raw& raw) {
    if (fresh_line_ && !brackets_.empty() && begins_statement(raw.type)) {
      report_open_brackets();
      end_logical_line(raw.begin);
    }
    if (!line_has_tokens_) begin_logical_line(raw);
    line_has_tokens_ = true;
    if (reject(raw)) return;
    if (is_open(raw.type)) {
      brackets_.push_back(raw);
      nesting_.open();
    } else if (is_close(raw.type)) {
      if (!close(raw)) return;
    } else {
      nesting_.word(raw.type);
    }
    count_type_nesting(raw.type);
    if (nesting_.total() > kMaxNesting || type_nesting_ > kMaxTypeNesting) {
      error(DiagId::TooDeep, raw.begin, raw.end,
            "more than " + std::to_string(nesting_.total() > kMaxNesting ? kMaxNesting : kMaxTypeNesting) +
                " levels of nesting",
            "name parts of the expression with `name = …`");
      out_.parsable = false;
      return;
    }
    if (line_first_type_ == 0) line_first_type_ = raw.type;
    if (raw.type == MatchaLexer::COLON && brackets_.empty()) line_has_colon_ = true;
    add(raw.type, raw.begin, raw.end);
  }

  /// Reports invalid tokens; true if `raw` must not reach the parser.
  bool reject(const Raw& raw) {
    switch (raw.type) {
      case MatchaLexer::UNKNOWN: {
        bool again = last_unknown_end_ == raw.begin;
        last_unknown_end_ = raw.end;
        if (!again) report_unknown(raw);
        return true;
      }
      case MatchaLexer::OPEN_STRING:
        error(DiagId::OpenString, raw.begin, raw.end, "the quoted word is not closed on its line");
        add(MatchaLexer::STRING, raw.begin, raw.end);
        return true;
      case MatchaLexer::BAD_NUMBER: {
        bool leading_zero = spelled(raw).find_first_not_of("0123456789_") == std::string_view::npos;
        error(DiagId::BadNumber, raw.begin, raw.end, "`" + std::string(spelled(raw)) + "` is not a number",
              leading_zero ? "an int has no leading zeros, and `_` stands between digits" : "");
        add(MatchaLexer::INT, raw.begin, raw.end);
        return true;
      }
      default: return false;
    }
  }

  void report_unknown(const Raw& raw) {
    std::string character(character_at(source_.text, raw.begin));
    std::string hint;
    if (character == "!") hint = "write `not`";
    if (character == "&") hint = "write `and`";
    if (character == "|") hint = "write `or`";
    if (character == "\\") hint = "lines join within brackets";
    if (character == "{" || character == "}") hint = "blocks are made by indentation, lists by `[…]`";
    if (character == ";") hint = "one statement a line";
    bool printable = static_cast<unsigned char>(character[0]) >= 0x20 && character != "\x7f";
    error(
        DiagId::BadCharacter, raw.begin, raw.begin + character.size(),
        printable ? "the character `" + character + "` has no meaning here" : "a control character has no meaning here",
        hint);
  }

  bool close(const Raw& raw) {
    if (brackets_.empty()) {
      error(DiagId::UnmatchedBracket, raw.begin, raw.end,
            "`" + std::string(spelled(raw)) + "` closes a bracket that was never opened");
      return false;
    }
    Raw open = brackets_.back();
    brackets_.pop_back();
    nesting_.close();
    if (partner(open.type) == raw.type) return true;
    error(DiagId::UnmatchedBracket, raw.begin, raw.end,
          "`" + std::string(spelled(raw)) + "` closes `" + std::string(spelled(open)) + "`");
    add(partner(open.type), raw.begin, raw.end);
    return false;
  }

  void report_open_brackets() {
    if (brackets_.empty()) return;
    const Raw& open = brackets_.back();
    error(DiagId::UnmatchedBracket, open.begin, open.end, "`" + std::string(spelled(open)) + "` is never closed");
    for (; !brackets_.empty(); brackets_.pop_back()) {
      add(partner(brackets_.back().type), open.end, open.end);
    }
  }

  /// Counts the open `<` of types; those of comparisons do not follow a type's name.
  void count_type_nesting(std::size_t type) {
    if (type == MatchaLexer::LESS && takes_types(last_type_)) ++type_nesting_;
    if (type == MatchaLexer::GREATER && type_nesting_ > 0) --type_nesting_;
  }

  void begin_logical_line(const Raw& raw) {
    std::string_view lead = source_.text.substr(line_start_, raw.begin - line_start_);
    if (lead.size() >= 3 && lead.substr(0, 3) == kByteOrderMark) lead.remove_prefix(3);
    std::size_t tab = lead.find('\t');
    if (tab != std::string_view::npos) {
      std::size_t at = raw.begin - lead.size() + tab;
      error(DiagId::TabIndent, at, at + 1, "a tab in the indentation", "indent with spaces");
    }
    std::size_t width = lead.size();
    if (width > indents_.back().width) {
      indent(raw, width);
      return;
    }
    missing_block(raw.begin);
    block_allowed_ = false;
    while (width < indents_.back().width) dedent(raw.begin);
    if (width > indents_.back().width) {
      error(DiagId::BadIndent, raw.begin, raw.end, "the indentation fits no block around the line");
      source_.lines_before_errors.insert(logical_line_ - 1);
      indents_.push_back({width, false});
    }
  }

  void indent(const Raw& raw, std::size_t width) {
    if (!block_allowed_) {
      if (tab_free(raw) && !after_colon_)
        error(DiagId::BadIndent, raw.begin, raw.end, "the line is indented, but no block begins here");
      indents_.push_back({width, false});
      return;
    }
    block_expected_ = false;
    block_allowed_ = false;
    indents_.push_back({width, true});
    add(MatchaParser::INDENT, raw.begin, raw.begin);
    if (indents_.size() > kMaxBlocks) {
      error(DiagId::TooDeep, raw.begin, raw.end, "more than " + std::to_string(kMaxBlocks) + " blocks within blocks");
      out_.parsable = false;
    }
  }

  bool tab_free(const Raw& raw) const {
    return source_.text.substr(line_start_, raw.begin - line_start_).find('\t') == std::string_view::npos;
  }

  void dedent(std::size_t at) {
    if (indents_.back().emitted) add(MatchaParser::DEDENT, at, at);
    indents_.pop_back();
  }

  /// After a `def …:` without a block: reports it and inserts a block, so that the parser continues behind it.
  void missing_block(std::size_t at) {
    if (!block_expected_) return;
    block_expected_ = false;
    std::size_t here = header_end_;
    source_.lines_with_errors.insert(logical_line_ - 1);
    source_.diagnostics.error(DiagId::MissingBlock, source_.lines.loc(here - 1, here), "the function has no body",
                              "indent the lines that belong to it");
    add(MatchaParser::INDENT, at, at);
    add(MatchaLexer::RETURN, at, at);
    add(MatchaLexer::NONE, at, at);
    add(MatchaParser::NEWLINE, at, at);
    add(MatchaParser::DEDENT, at, at);
  }

  void end_logical_line(std::size_t at) {
    if (!line_has_tokens_) return;
    block_expected_ = line_first_type_ == MatchaLexer::DEF && last_type_ == MatchaLexer::COLON;
    after_colon_ = last_type_ == MatchaLexer::COLON;
    block_allowed_ = block_expected_ || (line_first_type_ == MatchaLexer::DEF && !line_has_colon_);
    if (block_expected_ && !out_.tokens.empty()) header_end_ = out_.tokens.back()->getStopIndex() + 1;
    add(MatchaParser::NEWLINE, at, at);
    line_has_tokens_ = false;
    line_first_type_ = 0;
    line_has_colon_ = false;
    type_nesting_ = 0;
    nesting_.end_line();
    ++logical_line_;
  }

  SourceText& source_;
  Tokens& out_;
  std::vector<Raw> brackets_;
  std::vector<Indent> indents_{{0, false}};
  NestingCounter nesting_;
  std::size_t type_nesting_ = 0;
  std::size_t line_start_ = 0;
  std::size_t logical_line_ = 1;
  std::size_t line_first_type_ = 0;
  std::size_t last_type_ = 0;
  std::size_t last_unknown_end_ = static_cast<std::size_t>(-1);
  std::size_t header_end_ = 0;
  bool line_has_tokens_ = false;
  bool fresh_line_ = true;
  bool line_has_colon_ = false;  ///< Outside brackets.
  bool after_colon_ = false;     ///< The line above ends in `:`; if it must not have a block, it is an error itself.
  bool block_expected_ = false;  ///< The line above is the whole header of a function.
  bool block_allowed_ = false;   ///< It is at least the start of one, without the `:`.
};

}  // namespace

std::vector<RawToken> raw_tokens(const std::string& plain) {
  antlr4::ANTLRInputStream input(plain);
  MatchaLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<RawToken> raws;
  std::size_t open = 0;    // `<` of types.
  std::size_t before = 0;  // The last type of a token that is no layout.
  for (std::unique_ptr<antlr4::Token> token = lexer.nextToken(); token->getType() != antlr4::Token::EOF;
       token = lexer.nextToken()) {
    const Raw raw{token->getType(), token->getStartIndex(), token->getStopIndex() + 1};
    // The `>=` of `l: List<int>=m` is the end of the type and a sign.
    const bool ends_type = raw.type == MatchaLexer::GREATER_EQUAL && open > 0;
    if (ends_type) raws.push_back({MatchaLexer::GREATER, raw.begin, raw.begin + 1});
    raws.push_back(ends_type ? Raw{MatchaLexer::ASSIGN, raw.begin + 1, raw.end} : raw);
    if (is_layout(raw.type)) continue;
    if (raw.type == MatchaLexer::LESS && takes_types(before)) {
      ++open;
    } else if (raw.type == MatchaLexer::GREATER && open > 0) {
      --open;
    } else if (!stands_in_type(raw.type)) {
      open = 0;
    }
    before = raw.type;
  }
  return raws;
}

Tokens tokenize(SourceText& source) {
  Tokens out;
  std::optional<std::string> plain = one_byte_a_character(source);
  if (!plain) {
    out.parsable = false;
    return out;
  }
  Layout(source, out).run(raw_tokens(*plain));
  return out;
}

std::string describe(const antlr4::Token& token, std::string_view text) {
  switch (token.getType()) {
    case antlr4::Token::EOF: return "the end of the file";
    case MatchaParser::NEWLINE: return "the end of the line";
    case MatchaParser::INDENT: return "a deeper indentation";
    case MatchaParser::DEDENT: return "the end of the block";
    default: {
      std::size_t size = token.getStopIndex() + 1 - token.getStartIndex();
      std::string_view word = text.substr(token.getStartIndex(), std::min<std::size_t>(size, 40));
      std::size_t line_end = word.find_first_of("\r\n");
      if (line_end == std::string_view::npos && size <= 40) return "`" + std::string(word) + "`";
      return "`" + std::string(word.substr(0, std::min<std::size_t>(line_end, 20))) + "…`";
    }
  }
}

}  // namespace matcha::frontend::syntax
