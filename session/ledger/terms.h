#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/inputs.h"
#include "session/ledger/plan.h"

/// Conditions between edges, and the lists that they read, as expressions of programs.
namespace matcha::session::ledger {

/// The content of a list of a program, apart from the rows.
struct ListKey {
  enum class Kind : std::uint8_t {
    Edges,     ///< The ends of the rows of a class; with `flag` from targets to sources.
    Entries,   ///< The entries of these rows.
    Last,      ///< By entry: the last entry whose time is at most its own plus `by`, with `flag` less; -1: none.
    Rows,      ///< By entry: its row.
    Ids,       ///< By entry: the number or id of its row.
    Column,    ///< By entry: a column of edges, or of the vertices where they begin, or end; with `flag` as floats.
    HasValue,  ///< By entry: 1 if it has a value of the column, else 0.
    Text,      ///< One item, the code of a text.
  };
  enum class Of : std::uint8_t { Edge, From, To };

  Kind kind = Kind::Rows;
  std::size_t of_class = 0;
  bool flag = false;
  __int128 by = 0;
  Of of = Of::Edge;
  std::string name{};  ///< The name of a column, or the text.

  bool operator==(const ListKey&) const = default;
};

/// Makes the list for a plan and its table.
runtime::InputList list_of(const ListKey& key, const Plan& plan, const Table& table);

/// The lists that a program reads. The name of a parameter has the place of its list.
class Lists {
 public:
  /// The name of a list, which is added if it is new.
  std::string name(const ListKey& key);
  /// The names of the rows of a class and of their entries. `turned`: from targets to sources.
  std::pair<std::string, std::string> edges(std::size_t of_class, bool turned);
  static std::string name_of(std::size_t place);
  const std::vector<ListKey>& keys() const { return keys_; }

 private:
  std::vector<ListKey> keys_;
};

/// The expressions of a program for the images of the vertices and edges of the pattern.
struct Images {
  std::function<std::string(std::size_t edge)> edge;
  std::function<std::string(std::size_t vertex)> vertex;
  /// An edge that has the vertex as an end, and true if the vertex is its source.
  std::function<std::optional<std::pair<std::size_t, bool>>(std::size_t vertex)> end;
};

/// Conditions as expressions of programs.
class TermWriter {
 public:
  TermWriter(const Table& table, Lists& lists, Diagnostics& diagnostics)
      : table_(table), lists_(lists), diagnostics_(diagnostics) {}

  /// An expression that is true if the condition is true, or with `of_true` false if the condition is false. It is
  /// false if the condition is unknown.
  std::string truth(const pattern::Condition& term, bool of_true, const Images& images);
  /// True after an error: an int may overflow 64 bits.
  bool failed() const { return diagnostics_.has_errors(); }

 private:
  struct Range {
    __int128 least = 0, most = 0;
  };

  std::string comparison(const pattern::Condition& term, bool of_true, const Images& images);
  /// An expression that is true if all values of `term` are present; empty: they always are.
  std::string has_values(const pattern::Condition& term, const Images& images);
  std::string value(const pattern::Condition& term, bool as_float, const Images& images);
  Range range(const pattern::Condition& term) const;
  bool check(const pattern::Condition& term, bool as_float);
  std::pair<ListKey::Of, std::string> place(const pattern::Condition& column, const Images& images) const;

  const Table& table_;
  Lists& lists_;
  Diagnostics& diagnostics_;
};

}  // namespace matcha::session::ledger
