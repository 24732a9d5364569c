#include "question/query/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace matcha::query {

namespace {

using pattern::is_digit;
using pattern::is_letter;
using pattern::is_space;

constexpr auto kLongSigns = {"<>", "!=", "&&", "||"};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_name(char c) { return is_letter(c) || is_digit(c); }

/// `<…>` without blanks.
bool begins_iri(const pattern::Scanner& scan) {
  if (scan.peek() != '<') return false;
  for (std::size_t ahead = 1;; ++ahead) {
    const char c = scan.peek(ahead);
    if (c == '>') return true;
    if (c == '\0' || is_space(c) || c == '<' || c == '"') return false;
  }
}

}  // namespace

bool Word::is_keyword(std::string_view word) const {
  return kind == Kind::Name && std::ranges::equal(text, word, [](char a, char b) { return upper(a) == b; });
}

Words::Words(pattern::Scanner scan, bool sparql, pattern::Collector& collector) : collector_(collector) {
  read(scan, sparql);
}

void Words::read(pattern::Scanner scan, bool sparql) {
  const auto add = [&](Word::Kind kind, std::string_view text, std::size_t begin, char quote = '\0') {
    all_.push_back({kind, std::string(text), scan.since(begin), quote, begin, scan.position()});
  };
  while (!scan.done()) {
    const std::size_t begin = scan.position();
    const char c = scan.peek();
    if (is_space(c)) {
      scan.take();
    } else if ((sparql && c == '#') || (!sparql && c == '/' && scan.peek(1) == '/')) {
      scan.take_while([](char x) { return x != '\n'; });
    } else if (sparql && (c == '?' || c == '$') && is_name(scan.peek(1))) {
      scan.take();
      add(Word::Kind::Variable, scan.take_while(is_name), begin);
    } else if (sparql && begins_iri(scan)) {
      scan.take();
      const std::string_view text = scan.take_while([](char x) { return x != '>'; });
      scan.take();
      add(Word::Kind::Iri, text, begin);
    } else if (c == '"' || c == '\'' || c == '`') {
      scan.take();
      const std::string_view text = scan.take_while([c](char x) { return x != c && x != '\n'; });
      if (scan.peek() != c) {
        add(Word::Kind::Sign, std::string_view(&c, 1), begin);
        continue;
      }
      scan.take();
      add(Word::Kind::Quoted, text, begin, c);
    } else if (is_digit(c)) {
      add(Word::Kind::Number, scan.take_while(is_digit), begin);
    } else if (is_letter(c) || (sparql && c == ':')) {
      scan.take_while(is_name);
      bool prefixed = false;
      if (sparql && scan.peek() == ':') {
        prefixed = true;
        scan.take();
        // A dot inside the name belongs to it, one at its end does not.
        while (is_name(scan.peek()) || scan.peek() == '-' || (scan.peek() == '.' && is_name(scan.peek(1)))) scan.take();
      }
      add(prefixed ? Word::Kind::Prefixed : Word::Kind::Name, scan.text_since(begin), begin);
    } else {
      std::string sign(1, scan.take());
      for (std::string_view one : kLongSigns) {
        if (one[0] == c && one[1] == scan.peek()) sign = one;
      }
      if (sign.size() > 1) scan.take();
      add(Word::Kind::Sign, sign, begin);
    }
  }
  const std::size_t end = scan.position();
  add(Word::Kind::End, "", end);
  text_ = scan.text_since(0);
}

Word Words::take() {
  const Word word = peek();
  if (at_ + 1 < all_.size()) ++at_;
  return word;
}

bool Words::skip(std::string_view sign) {
  if (!peek().is(sign)) return false;
  take();
  return true;
}

bool Words::skip_keyword(std::string_view word) {
  if (!peek().is_keyword(word)) return false;
  take();
  return true;
}

bool Words::want(std::string_view sign) {
  if (skip(sign)) return true;
  refuse(fmt::format("`{}`", sign));
  return false;
}

bool Words::want_keyword(std::string_view word) {
  if (skip_keyword(word)) return true;
  refuse(fmt::format("`{}`", word));
  return false;
}

void Words::refuse(const std::string& wanted, const std::string& hint) {
  refuse(peek(), fmt::format("expected {} here", wanted), hint);
}

void Words::refuse(const Word& at, const std::string& message, const std::string& hint) {
  if (!failed()) collector_.fail(DiagId::PatternSyntax, at.loc, message, hint);
}

}  // namespace matcha::query
