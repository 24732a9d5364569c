#include "question/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "question/scan.h"

namespace matcha::pattern {

namespace {

std::string_view sign_of(Condition::Kind kind) {
  switch (kind) {
    case Condition::Kind::Sum: return " + ";
    case Condition::Kind::Difference: return " - ";
    case Condition::Kind::Product: return " * ";
    case Condition::Kind::Less: return " < ";
    case Condition::Kind::AtMost: return " <= ";
    case Condition::Kind::Equal: return " = ";
    case Condition::Kind::Different: return " <> ";
    case Condition::Kind::And: return " and ";
    default: return " or ";
  }
}

bool commutes(Condition::Kind kind) {
  return kind == Condition::Kind::Sum || kind == Condition::Kind::Product || kind == Condition::Kind::Equal ||
         kind == Condition::Kind::Different || kind == Condition::Kind::And || kind == Condition::Kind::Or;
}

/// How tightly the parts of a term hold together.
int strength(Condition::Kind kind) {
  switch (kind) {
    case Condition::Kind::Or: return 0;
    case Condition::Kind::And: return 1;
    case Condition::Kind::Not: return 2;
    case Condition::Kind::Less:
    case Condition::Kind::AtMost:
    case Condition::Kind::Equal:
    case Condition::Kind::Different:
    case Condition::Kind::IsNull: return 3;
    case Condition::Kind::Sum:
    case Condition::Kind::Difference: return 4;
    case Condition::Kind::Product: return 5;
    default: return 6;
  }
}

std::string quoted_by(char quote, std::string_view text) {
  std::string out(1, quote);
  for (const char c : text) {
    const unsigned code = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') out += '\\';
    out += code < 0x20 ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return out + quote;
}

/// A name as it is written: one that is no word stands in backquotes.
std::string name_text(const std::string& name) {
  const bool is_word =
      is_letter(name.front()) && std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
  return is_word ? name : quoted_by('`', name);
}

/// A float is no int, also if it is whole.
std::string float_text(double number) {
  const std::string text = fmt::format("{}", number);
  return std::ranges::all_of(text, is_digit) ? text + ".0" : text;
}

}  // namespace

std::string quoted(std::string_view text) { return quoted_by('\'', text); }

std::string to_text(const Condition& term, const std::function<std::string(Subject)>& name, bool in_order) {
  const auto part = [&](const Condition& of, bool tighter) {
    std::string text = to_text(of, name, in_order);
    const int mine = strength(term.kind), its = strength(of.kind);
    return its < mine || (its == mine && (tighter || in_order)) ? "(" + text + ")" : text;
  };
  switch (term.kind) {
    case Condition::Kind::Null: return "null";
    case Condition::Kind::Bool: return term.integer != 0 ? "true" : "false";
    case Condition::Kind::Int: return fmt::format("{}", term.integer);
    case Condition::Kind::Float: return float_text(term.number);
    case Condition::Kind::Text: return quoted(term.text);
    case Condition::Kind::Duration: return fmt::format("{}{}", term.integer, term.text);
    case Condition::Kind::Column:
      return term.text.empty() ? name(term.subject) : fmt::format("{}.{}", name(term.subject), name_text(term.text));
    case Condition::Kind::Negative: return "-" + part(term.parts[0], true);
    case Condition::Kind::Not: return "not " + part(term.parts[0], false);
    case Condition::Kind::IsNull: return part(term.parts[0], true) + " is null";
    default: break;
  }
  std::vector<std::string> parts;
  for (const Condition& of : term.parts) parts.push_back(part(of, !parts.empty()));
  if (in_order && commutes(term.kind)) std::ranges::sort(parts);
  std::string text;
  for (const std::string& one : parts) text += (text.empty() ? "" : std::string(sign_of(term.kind))) + one;
  return text;
}

void for_each_column(const Condition& term, const std::function<void(const Condition&)>& f) {
  if (term.kind == Condition::Kind::Column) f(term);
  for (const Condition& part : term.parts) for_each_column(part, f);
}

std::vector<Condition> conjuncts_of(Condition term) {
  if (term.kind != Condition::Kind::And) return {std::move(term)};
  std::vector<Condition> all;
  for (Condition& part : term.parts) {
    std::vector<Condition> some = conjuncts_of(std::move(part));
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

}  // namespace matcha::pattern
