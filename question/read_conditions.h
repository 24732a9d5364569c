#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "question/conditions.h"
#include "question/query/words.h"

namespace matcha::query {

/// Reads conditions from words, for patterns and for Cypher. Errors go to the collector of the words.
class ConditionReader {
 public:
  /// `find`: the vertex or edge of a name; nothing if there is none.
  using Find = std::function<std::optional<pattern::Subject>(std::string_view name)>;

  /// `of_cypher`: refuses the syntax that patterns add to Cypher.
  ConditionReader(Words& words, Find find, bool of_cypher = false)
      : words_(words), find_(std::move(find)), of_cypher_(of_cypher) {}

  /// `x.amount > 1000 and not (y.kind = 'wire' or a.age is null)`, a chain `x < y < z within 1d`. Empty after an error.
  std::optional<pattern::Condition> condition();
  /// Conditions with commas between them; `within 1d` is one, for all of `edges`. Empty after an error.
  std::vector<pattern::Condition> list(const std::vector<pattern::Subject>& edges);
  /// `amount > 1000, kind = 'wire'`, `id: 7`: conditions on columns of the subject; of Cypher the last form alone, with
  /// a value that names no column. Empty after an error.
  std::vector<pattern::Condition> of_subject(pattern::Subject subject);

 private:
  using Condition = pattern::Condition;
  using Maybe = std::optional<Condition>;

  Maybe all_of();
  Maybe negated();
  Maybe comparison();
  Maybe sum();
  Maybe product();
  Maybe factor();
  Maybe name();
  Maybe number();
  Maybe in_list(Condition value, bool is_negated);
  Maybe within(std::vector<Condition> chain, bool ascends);
  Maybe duration();
  /// `<`, `<=`, `=`, `<>`, `>` or `>=`, if it is next; other spellings of them too.
  std::string comparison_sign();
  bool is_adjacent(const Word& left, const Word& right) const;
  bool is_path_behind(const Condition& left) const;
  Maybe fail(const Word& at, const std::string& message, const std::string& hint = {});

  Words& words_;
  Find find_;
  bool of_cypher_;
  std::optional<pattern::Subject> subject_;  ///< Names without a dot are its columns.
  int depth_ = 0;
};

}  // namespace matcha::query
