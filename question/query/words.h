#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/collect.h"
#include "question/scan.h"

namespace matcha::query {

/// A token of a query.
struct Word {
  enum class Kind {
    End,
    Name,      ///< A keyword or a name.
    Variable,  ///< `?a`; the text is `a`.
    Iri,       ///< `<…>`; the text is the part between.
    Prefixed,  ///< `a:b`, `:b` or `_:b`.
    Quoted,    ///< Text in quotes or in backquotes, without them.
    Number,
    Sign,
  };
  Kind kind = Kind::End;
  std::string text;
  SourceLoc loc;
  char quote = '\0';
  std::size_t begin = 0, end = 0;  ///< Its bytes in the text.

  bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
  /// True for this word; `word` is in capitals.
  bool is_keyword(std::string_view word) const;
};

/// The tokens of a query, in order, and the error reports of its readers.
class Words {
 public:
  /// `sparql`: a variable begins with `?`, an IRI is between `<` and `>`, and `#` begins a comment; else `//` does.
  Words(pattern::Scanner scan, bool sparql, pattern::Collector& collector);

  const Word& peek(std::size_t ahead = 0) const { return all_[std::min(at_ + ahead, all_.size() - 1)]; }
  Word take();
  /// Takes the sign, or the keyword, if it is next.
  bool skip(std::string_view sign);
  bool skip_keyword(std::string_view word);
  /// The same; reports an error if it is not next.
  bool want(std::string_view sign);
  bool want_keyword(std::string_view word);
  /// Reports that `wanted` was expected in place of the next token.
  void refuse(const std::string& wanted, const std::string& hint = {});
  void refuse(const Word& at, const std::string& message, const std::string& hint);
  bool failed() const { return collector_.failed(); }
  /// The token before the next one. Requires: one was taken.
  const Word& last() const { return all_[at_ - 1]; }
  /// The text from one place to another.
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

 private:
  void read(pattern::Scanner scan, bool sparql);

  std::vector<Word> all_;
  std::string_view text_;
  std::size_t at_ = 0;
  pattern::Collector& collector_;
};

}  // namespace matcha::query
