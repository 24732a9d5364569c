#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "question/query/cypher_reader.h"
#include "question/query/readers.h"

namespace matcha::query {

namespace {

constexpr ValueType kNode{ValueType::Base::Node, 0};
/// Nodes and relationships of a statement.
constexpr std::size_t kMostElements = 500;

ValueType type_of(std::size_t role) {
  constexpr ValueType kTypes[] = {
      kNode, {ValueType::Base::Relationship, 0}, {ValueType::Base::Relationship, 1}, {ValueType::Base::Path, 0}};
  return kTypes[role];
}

/// True if a value of type `type` may stand where a pattern needs one of type `wanted`.
bool may_be(ValueType type, ValueType wanted) {
  return type == wanted || type == ValueType() || (type.base == ValueType::Base::Any && type.lists == wanted.lists);
}

}  // namespace

std::size_t CypherReader::new_slot(MatchClause& clause) {
  clause.new_slots.push_back(part_.slots);
  return part_.slots++;
}

/// Whether a pattern is next, and no value in parentheses.
bool CypherReader::is_pattern() const {
  if (!words_.peek().is("(")) return false;
  const std::size_t first = is_name(words_.peek(1)) ? 2 : 1;
  if (!words_.peek(first).is(")") && !words_.peek(first).is(":") && !words_.peek(first).is("{")) return false;
  std::size_t at = 1;
  for (int depth = 1; depth != 0; ++at) {
    const Word& word = words_.peek(at);
    if (word.kind == Word::Kind::End) return false;
    depth += word.is("(") || word.is("[") || word.is("{") ? 1 : 0;
    depth -= word.is(")") || word.is("]") || word.is("}") ? 1 : 0;
  }
  const Word &one = words_.peek(at), &two = words_.peek(at + 1), &three = words_.peek(at + 2);
  if (one.is("-")) return two.is("[") || (two.is("-") && (three.is("(") || three.is(">")));
  return one.is("<") && two.is("-") && (three.is("[") || three.is("-"));
}

std::optional<Term> CypherReader::pattern_term() {
  const Word at = words_.peek();
  MatchClause clause;
  clause.loc = at.loc;
  const bool outer = std::exchange(in_condition_, true);
  std::set<std::size_t> here = std::exchange(here_, {});
  PathPattern path;
  const bool is_read = chain(clause, path);
  in_condition_ = outer;
  here_ = std::move(here);
  if (!is_read) return std::nullopt;
  clause.paths.push_back(std::move(path));
  Term term = made(Term::Kind::Matches, at.loc);
  term.pattern = std::make_shared<const MatchClause>(std::move(clause));
  return term;
}

std::optional<std::size_t> CypherReader::slot_of(const Word& name, Role role, MatchClause& clause) {
  const ValueType type = type_of(static_cast<std::size_t>(role));
  const bool is_relationship = role == Role::Relationship || role == Role::Trail;
  const auto found = names_.find(name.text);
  if (found == names_.end()) {
    if (in_condition_) {
      fail(name, fmt::format("nothing is called `{}` here", name.text), "a pattern in a condition names what is there");
      return std::nullopt;
    }
    const std::size_t slot = new_slot(clause);
    names_.emplace(name.text, Variable{slot, type});
    if (is_relationship) here_.insert(slot);
    return slot;
  }
  const Variable& known = found->second;
  if (role == Role::Path) {
    fail(name, fmt::format("`{}` is {} already, and a path has a name of its own", name.text, name_of(known.type)));
    return std::nullopt;
  }
  if (!may_be(known.type, type)) {
    fail(name, fmt::format("`{}` is {}, and {} stands here", name.text, name_of(known.type), name_of(type)));
    return std::nullopt;
  }
  if (is_relationship && !here_.insert(known.slot).second) {
    fail(name, fmt::format("`{}` stands here again", name.text), "no relationship is twice in one MATCH");
    return std::nullopt;
  }
  return known.slot;
}

std::optional<PathPattern> CypherReader::path(MatchClause& clause) {
  PathPattern path;
  std::optional<Word> name;
  if (is_name(words_.peek()) && words_.peek(1).is("=")) {
    name = words_.take();
    words_.take();
  }
  if (is_name(words_.peek()) && words_.peek(1).is("(")) {
    fail(words_.peek(), fmt::format("`{}` is not read in a pattern", words_.peek().text));
    return std::nullopt;
  }
  if (!chain(clause, path)) return std::nullopt;
  // Within the path its name has no value.
  if (name) path.maybe_slot = slot_of(*name, Role::Path, clause);
  return name && !path.maybe_slot ? std::nullopt : std::optional(std::move(path));
}

bool CypherReader::chain(MatchClause& clause, PathPattern& into) {
  std::optional<NodePattern> first = node(clause);
  if (!first) return false;
  into.nodes.push_back(std::move(*first));
  while (words_.peek().is("-") || (words_.peek().is("<") && words_.peek(1).is("-"))) {
    std::optional<RelationshipPattern> one = relationship(clause);
    if (!one) return false;
    std::optional<NodePattern> next = node(clause);
    if (!next) return false;
    into.relationships.push_back(std::move(*one));
    into.nodes.push_back(std::move(*next));
  }
  return true;
}

/// `:T`, `:T:U`, `:T&U` or `:T|U`.
bool CypherReader::labels(std::vector<std::vector<std::string>>& into) {
  while (words_.peek().is(":") || words_.peek().is("&")) {
    const Word sign = words_.take();
    std::vector<std::string> any;
    do {
      words_.skip(":");
      std::optional<Word> one = take_label(words_, true);
      if (!one) return false;
      any.push_back(std::move(one->text));
    } while (words_.skip("|"));
    into.push_back(std::move(any));
    const auto has_choice = [](const std::vector<std::string>& one) { return one.size() > 1; };
    if (into.size() > 1 && std::ranges::any_of(into, has_choice)) {
      return refuse(sign, "`|` beside `&` or `:` is not read in labels", "`WHERE` has both: `a:T AND (a:U OR a:V)`");
    }
  }
  statement_.asks_labels = true;
  return true;
}

bool CypherReader::map_of(const Term& subject, std::vector<Term>& into) {
  if (words_.peek().is("$")) {
    return refuse(words_.peek(), "a parameter stands for one value, and not for a map of a pattern",
                  "such as `{name: 'Ann'}`");
  }
  if (!words_.skip("{")) return true;
  while (!words_.peek().is("}")) {
    const Word name = words_.take();
    if (!is_name(name)) return refuse(name, "expected the name of a property here");
    if (!words_.want(":")) return false;
    Maybe column = property(subject, name);
    Maybe value = column ? term() : std::nullopt;
    if (!value) return false;
    into.push_back(made(Term::Kind::Equal, name.loc, parts_of(std::move(*column), std::move(*value))));
    if (!words_.skip(",")) break;
  }
  return words_.want("}");
}

std::optional<NodePattern> CypherReader::node(MatchClause& clause) {
  const Word at = words_.peek();
  if (!words_.want("(")) return std::nullopt;
  if (++elements_ > kMostElements) {
    words_.refuse(at, fmt::format("the query has more than {} nodes and relationships", kMostElements), "");
    return std::nullopt;
  }
  NodePattern node;
  node.loc = at.loc;
  if (is_name(words_.peek())) {
    const Word name = words_.take();
    const std::optional<std::size_t> slot = slot_of(name, Role::Node, clause);
    if (!slot) return std::nullopt;
    node.slot = *slot;
    node.loc = name.loc;
  } else {
    node.slot = new_slot(clause);
  }
  if (words_.peek().is(":") && !labels(node.labels)) return std::nullopt;
  if (!map_of(variable_term(node.slot, kNode, node.loc), clause.conditions)) return std::nullopt;
  return words_.want(")") ? std::optional(std::move(node)) : std::nullopt;
}

std::optional<RelationshipPattern> CypherReader::relationship(MatchClause& clause) {
  RelationshipPattern found;
  const Word at = words_.peek();
  found.loc = at.loc;
  found.is_backwards = words_.skip("<");
  if (!words_.want("-")) return std::nullopt;
  if (words_.skip("[")) {
    if (!relationship_inside(clause, found)) return std::nullopt;
  } else {
    found.slot = new_slot(clause);
  }
  if (++elements_ > kMostElements) {
    words_.refuse(at, fmt::format("the query has more than {} nodes and relationships", kMostElements), "");
    return std::nullopt;
  }
  if (!words_.want("-")) return std::nullopt;
  // `<-->` means the same as `--`.
  found.is_either = words_.skip(">") == found.is_backwards;
  if (found.is_either) found.is_backwards = false;
  return found;
}

/// The part between the brackets, and the closing one.
bool CypherReader::relationship_inside(MatchClause& clause, RelationshipPattern& into) {
  std::optional<Word> name;
  if (is_name(words_.peek())) name = words_.take();
  if (words_.skip(":")) {
    statement_.asks_types = true;
    if (!statement_.maybe_type) statement_.maybe_type = words_.peek().loc;
    do {
      words_.skip(":");
      std::optional<Word> one = take_label(words_, false);
      if (!one) return false;
      into.types.push_back(std::move(one->text));
    } while (words_.skip("|"));
  }
  if (words_.peek().is(".")) {
    return refuse(words_.peek(), "a length stands behind `*`", "such as `*1..3`");
  }
  if (words_.peek().is("*") && !range(into)) return false;
  into.is_named = name.has_value();
  const auto take_slot = [&](Role role) {
    const std::optional<std::size_t> slot = name ? slot_of(*name, role, clause) : new_slot(clause);
    into.slot = slot.value_or(0);
    return slot.has_value();
  };
  constexpr ValueType kRelationship{ValueType::Base::Relationship, 0};
  if (!into.is_trail) {
    return take_slot(Role::Relationship) &&
           map_of(variable_term(into.slot, kRelationship, into.loc), clause.conditions) && words_.want("]");
  }
  // Within the trail its name has no value.
  into.one = new_slot(clause);
  return map_of(variable_term(into.one, kRelationship, into.loc), into.each) && take_slot(Role::Trail) &&
         words_.want("]");
}

/// `*`, `*2`, `*1..3`, `*..3` or `*2..`.
bool CypherReader::range(RelationshipPattern& into) {
  words_.take();
  into.is_trail = true;
  const auto length = [this](std::uint64_t& out) {
    const Word number = words_.peek();
    if (number.is("-")) return refuse(number, "a length is a whole number from 0 on", "such as `*1..3`");
    if (number.kind != Word::Kind::Number) return true;
    words_.take();
    const char* const end = number.text.data() + number.text.size();
    const std::from_chars_result read = std::from_chars(number.text.data(), end, out);
    return (read.ec == std::errc() && out != RelationshipPattern::kNoEnd) ||
           refuse(number, "a length is a whole number of 64 bits");
  };
  into.most = RelationshipPattern::kNoEnd;
  const bool has_first = words_.peek().kind == Word::Kind::Number;
  if (!length(into.least)) return false;
  if (words_.peek().is(".") && words_.peek(1).is(".")) {
    words_.take();
    words_.take();
    return length(into.most);
  }
  if (has_first) into.most = into.least;
  return true;
}

}  // namespace matcha::query
