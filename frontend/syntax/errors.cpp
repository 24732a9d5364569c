#include "frontend/syntax/errors.h"

#include <algorithm>
#include <array>
#include <utility>

#include <MatchaParser.h>

namespace matcha::frontend::syntax {

using grammar::MatchaParser;

namespace {

struct WordHint {
  std::string_view word;
  std::string_view hint;
};

/// Words of Python that users try.
constexpr std::array kForeignStatements{
    WordHint{"for", "iterate with `apply(func, list)`"},
    WordHint{"while", "`iterate(step, x, most)` and `repeat(step, x, n)` apply a function again and again"},
    WordHint{"if", "write `x if condition else y`"},
    WordHint{"elif", "write `x if condition else y`"},
    WordHint{"else", "write `x if condition else y`"},
    WordHint{"class", "a program has imports and functions"},
    WordHint{"import", "write `from module import name`"},
    WordHint{"print", "the value that the entry returns is printed"},
    WordHint{"pass", "a function needs a `return`"},
    WordHint{"assert", ""},
    WordHint{"break", "iterate with `apply(func, list)`"},
    WordHint{"continue", "filter with the `cond` of `apply`"},
    WordHint{"with", ""},
    WordHint{"try", ""},
    WordHint{"raise", ""},
    WordHint{"global", "functions have no effects"},
    WordHint{"nonlocal", "functions have no effects"},
    WordHint{"yield", "`apply` gives a list"},
};

const WordHint* foreign_statement(std::string_view word) {
  for (const WordHint& entry : kForeignStatements) {
    if (entry.word == word) return &entry;
  }
  return nullptr;
}

/// The words for a set of tokens, in a fixed order.
std::string describe_expected(const antlr4::misc::IntervalSet& expected) {
  std::vector<std::string> parts;
  bool expression = expected.contains(static_cast<std::size_t>(MatchaParser::INT)) &&
                    expected.contains(static_cast<std::size_t>(MatchaParser::OPEN_BRACKET));
  if (expression) parts.push_back("an expression");
  auto has = [&](std::size_t type) { return expected.contains(type); };
  if (has(MatchaParser::DEF) && !expression) parts.push_back("`def`");
  if (has(MatchaParser::RETURN)) parts.push_back("`return`");
  if (has(MatchaParser::FROM)) parts.push_back("`from`");
  if (has(MatchaParser::IMPORT)) parts.push_back("`import`");
  if (!expression) {
    if (has(MatchaParser::NAME)) parts.push_back("a name");
    if (has(MatchaParser::LIST_TYPE)) parts.push_back("a type");
    if (has(MatchaParser::INT)) parts.push_back("a number");
  }
  if (has(MatchaParser::PLUS) && !expression) parts.push_back("an operator");
  if (has(MatchaParser::ELSE)) parts.push_back("`else`");
  constexpr std::array<std::pair<std::size_t, const char*>, 8> kSigns{{
      {MatchaParser::CLOSE_PAREN, "`)`"},
      {MatchaParser::CLOSE_BRACKET, "`]`"},
      {MatchaParser::COMMA, "`,`"},
      {MatchaParser::COLON, "`:`"},
      {MatchaParser::ASSIGN, "`=`"},
      {MatchaParser::ARROW, "`->`"},
      {MatchaParser::DOT, "`.`"},
      {MatchaParser::INDENT, "an indented block"},
  }};
  for (const auto& [type, words] : kSigns) {
    bool implied = type == MatchaParser::ARROW && has(MatchaParser::COLON);
    if (has(type) && !implied) parts.push_back(words);
  }
  if (!expression && has(MatchaParser::LESS) && !has(MatchaParser::PLUS)) parts.push_back("`<`");
  if (!expression && has(MatchaParser::GREATER) && !has(MatchaParser::PLUS)) parts.push_back("`>`");
  if (has(MatchaParser::OPEN_PAREN) && !expression && !has(MatchaParser::PLUS)) parts.push_back("`(`");
  if (has(MatchaParser::NEWLINE)) parts.push_back("the end of the line");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text.empty() ? "the end of the file" : text;
}

/// A guess of the user's intention if `seen` follows `before` in place of one of `expected`.
std::string hint_for(const antlr4::Token& seen, const antlr4::Token* before, const antlr4::Token* after,
                     const antlr4::misc::IntervalSet& expected) {
  std::size_t previous = before == nullptr ? 0 : before->getType();
  const auto could_be = [&expected](std::size_t type) { return expected.contains(type); };
  if (seen.getText() == "for") {
    return "there are no comprehensions; `apply(lambda x: f(x), cond=lambda x: p(x), list)` is `[f(x) for x in list if "
           "p(x)]`";
  }
  if (seen.getType() == MatchaParser::COMMA && could_be(MatchaParser::ASSIGN)) {
    return "a tuple is not taken apart by names; its parts are `get(t, 0)`, `get(t, 1)`, …";
  }
  if (after != nullptr && after->getType() == MatchaParser::ASSIGN) {
    return "a name is bound once; give the new value a name of its own";
  }
  switch (seen.getType()) {
    case MatchaParser::OPEN_BRACKET: return "an item is read with `get(list, position)`";
    case MatchaParser::DOT: return "values have no attributes; operators are called as `size(x)`";
    case MatchaParser::SLASH: return previous == MatchaParser::SLASH ? "`/` of two ints truncates" : "";
    case MatchaParser::STAR: return previous == MatchaParser::STAR ? "there is no power operator" : "";
    case MatchaParser::ASSIGN: return "`==` compares";
    case MatchaParser::INDENT: return "only the lines of a function are indented";
    default: return "";
  }
}

const antlr4::Token* token_before(antlr4::Parser* parser, const antlr4::Token* seen) {
  std::size_t index = seen->getTokenIndex();
  if (index == 0 || index == INVALID_INDEX) return nullptr;
  return parser->getTokenStream()->get(index - 1);
}

/// The token after `seen`, if `seen` is the parser's current token.
const antlr4::Token* token_after(antlr4::Parser* parser, const antlr4::Token* seen) {
  bool here = parser->getCurrentToken() == seen && seen->getType() != antlr4::Token::EOF;
  return here ? parser->getTokenStream()->LT(2) : nullptr;
}

/// The first token of the logical line that `seen` is on.
const antlr4::Token* first_on_line(antlr4::Parser* parser, const antlr4::Token* seen) {
  const antlr4::Token* first = seen;
  for (const antlr4::Token* t = seen; t != nullptr && t->getLine() == seen->getLine(); t = token_before(parser, t)) {
    bool layout = t->getType() == MatchaParser::INDENT || t->getType() == MatchaParser::DEDENT;
    if (!layout) first = t;
  }
  return first;
}

/// The parser state in which a function's body begins.
std::size_t state_of_body(const antlr4::atn::ATN& atn) {
  for (const antlr4::atn::ATNState* state : atn.states) {
    if (state == nullptr || state->ruleIndex != MatchaParser::RuleDef || state->transitions.size() != 1) continue;
    const antlr4::atn::Transition& only = *state->transitions[0];
    if (only.getSerializationType() != antlr4::atn::Transition::RULE) continue;
    if (static_cast<const antlr4::atn::RuleTransition&>(only).ruleIndex == MatchaParser::RuleSuite) {
      return state->stateNumber;
    }
  }
  return antlr4::atn::ATNState::INVALID_STATE_NUMBER;  // The grammar has one.
}

}  // namespace

void SyntaxErrors::recover(antlr4::Parser* parser, std::exception_ptr) {
  auto next = [&] { return parser->getCurrentToken()->getType(); };
  auto at_end = [&] { return next() == antlr4::Token::EOF || next() == MatchaParser::DEDENT; };
  while (!at_end() && next() != MatchaParser::NEWLINE && next() != MatchaParser::INDENT) parser->consume();
  switch (parser->getContext()->getRuleIndex()) {
    case MatchaParser::RuleDef:
      if (next() == MatchaParser::NEWLINE && parser->getTokenStream()->LA(2) == MatchaParser::INDENT) {
        parser->setState(state_of_body(parser->getATN()));
        static_cast<MatchaParser*>(parser)->suite();
        return;
      }
      break;
    case MatchaParser::RuleSuite: break;
    case MatchaParser::RuleProgram:
    case MatchaParser::RuleImportStmt:
    case MatchaParser::RuleStatement:
    case MatchaParser::RuleSimpleStmt:
    case MatchaParser::RuleAssignment:
    case MatchaParser::RuleReturnStmt:
    case MatchaParser::RuleDocstring:
      if (next() == MatchaParser::NEWLINE) parser->consume();
      return;
    default: return;
  }
  if (next() == MatchaParser::NEWLINE) parser->consume();
  skip_block(parser);
}

void SyntaxErrors::skip_block(antlr4::Parser* parser) {
  auto next = [&] { return parser->getCurrentToken()->getType(); };
  if (next() != MatchaParser::INDENT) return;
  std::size_t depth = 0;
  do {
    if (next() == MatchaParser::INDENT) ++depth;
    if (next() == MatchaParser::DEDENT) --depth;
    parser->consume();
  } while (depth > 0 && next() != antlr4::Token::EOF);
}

void SyntaxErrors::sync(antlr4::Parser* parser) {
  if (parser->getContext()->getRuleIndex() != MatchaParser::RuleProgram) {
    DefaultErrorStrategy::sync(parser);
    return;
  }
  const antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
  auto next = [&] { return parser->getCurrentToken()->getType(); };
  while (next() != antlr4::Token::EOF && !expected.contains(next())) {
    bool layout = next() == MatchaParser::INDENT || next() == MatchaParser::DEDENT || next() == MatchaParser::NEWLINE;
    if (!layout) report(parser, parser->getCurrentToken());
    bool statement = next() == MatchaParser::RETURN || parser->getTokenStream()->LA(2) == MatchaParser::ASSIGN;
    if (statement) source_.lines_before_errors.insert(parser->getCurrentToken()->getLine() - 1);
    beginErrorCondition(parser);
    while (!layout && next() != antlr4::Token::EOF && next() != MatchaParser::NEWLINE) parser->consume();
    if (next() != antlr4::Token::EOF) parser->consume();
    skip_block(parser);
    endErrorCondition(parser);
  }
}

void SyntaxErrors::report(antlr4::Parser* parser, const antlr4::Token* seen) {
  if (!source_.lines_with_errors.insert(seen->getLine()).second) return;
  SourceLoc loc = source_.lines.loc(seen->getStartIndex(), seen->getStopIndex() + 1);
  const antlr4::Token* first = first_on_line(parser, seen);
  const WordHint* foreign = foreign_statement(first->getText());
  if (foreign != nullptr) {
    source_.diagnostics.error(DiagId::Syntax, source_.lines.loc(first->getStartIndex(), first->getStopIndex() + 1),
                              "there is no `" + first->getText() + "` statement", std::string(foreign->hint));
    return;
  }
  const antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
  std::string hint = hint_for(*seen, token_before(parser, seen), token_after(parser, seen), expected);
  if (expected.contains(static_cast<std::size_t>(MatchaParser::LIST_TYPE))) {
    const std::string near =
        nearest_word(seen->getText(), {"int", "float", "bool", "Var", "Tuple", "List", "Table", "Graph"});
    if (!near.empty()) hint = "did you mean `" + near + "`?";
  }
  source_.diagnostics.error(DiagId::Syntax, loc,
                            "expected " + describe_expected(expected) + " but found " + describe(*seen, source_.text),
                            std::move(hint));
}

void SyntaxErrors::reportNoViableAlternative(antlr4::Parser* parser, const antlr4::NoViableAltException& error) {
  report(parser, error.getOffendingToken());
}

void SyntaxErrors::reportInputMismatch(antlr4::Parser* parser, const antlr4::InputMismatchException& error) {
  report(parser, error.getOffendingToken());
}

void SyntaxErrors::reportUnwantedToken(antlr4::Parser* parser) {
  if (inErrorRecoveryMode(parser)) return;
  beginErrorCondition(parser);
  report(parser, parser->getCurrentToken());
}

void SyntaxErrors::reportMissingToken(antlr4::Parser* parser) {
  if (inErrorRecoveryMode(parser)) return;
  beginErrorCondition(parser);
  report(parser, parser->getCurrentToken());
}

antlr4::Token* SyntaxErrors::singleTokenDeletion(antlr4::Parser* parser) {
  switch (parser->getCurrentToken()->getType()) {
    case MatchaParser::NEWLINE:
    case MatchaParser::INDENT:
    case MatchaParser::DEDENT: return nullptr;
    default: return DefaultErrorStrategy::singleTokenDeletion(parser);
  }
}

}  // namespace matcha::frontend::syntax
