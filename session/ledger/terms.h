#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/inputs.h"
#include "session/ledger/plan.h"

/// Conditions between edges, and the lists that they read, in the words of programs.
namespace matcha::session::ledger {

/// The content of a list of a program, apart from the rows.
struct ListKey {
  enum class Kind : std::uint8_t {
    Edges,     ///< The ends of the rows of a class; with `flag` from targets to sources.
    Entries,   ///< The entries of these rows.
    Last,      ///< By entry: the last entry whose time is at most its own plus `by`, with `flag` less; -1: none.
    Rows,      ///< By entry: its row,
    Ids,       ///< and the number or id of that.
    Column,    ///< By entry: a column of edges, or of the vertices where they begin, or end; with `flag` as floats.
    HasValue,  ///< By entry: 1 if it has a value of the column, else 0.
    Text,      ///< The code of a text, alone.
  };
  enum class Of : std::uint8_t { Edge, From, To };

  Kind kind = Kind::Rows;
  std::size_t of_class = 0;
  bool flag = false;
  __int128 by = 0;
  Of of = Of::Edge;
  std::string name{};  ///< Of a column; a text.

  bool operator==(const ListKey&) const = default;
};

/// The list for a plan and its table.
runtime::InputList list_of(const ListKey& key, const Plan& plan, const Table& table);

/// The lists that a program reads: the parameter of each is called by its place.
class Lists {
 public:
  /// The name of a list, which becomes one of them.
  std::string name(const ListKey& key);
  /// The names of the rows of a class and of their entries. `turned`: from targets to sources.
  std::pair<std::string, std::string> edges(std::size_t of_class, bool turned);
  static std::string name_of(std::size_t place);
  const std::vector<ListKey>& keys() const { return keys_; }

 private:
  std::vector<ListKey> keys_;
};

/// Where a program has the vertices and edges of the pattern.
struct Images {
  std::function<std::string(std::size_t edge)> edge;
  std::function<std::string(std::size_t vertex)> vertex;
  /// An edge that has the vertex as an end, and whether it comes from there.
  std::function<std::optional<std::pair<std::size_t, bool>>(std::size_t vertex)> end;
};

/// Conditions as expressions of programs.
class TermWriter {
 public:
  TermWriter(const Table& table, Lists& lists, Diagnostics& diagnostics)
      : table_(table), lists_(lists), diagnostics_(diagnostics) {}

  /// True where the condition is true, or with `of_true` false where it is false; false where it is unknown.
  std::string truth(const pattern::Condition& term, bool of_true, const Images& images);
  /// After an error: an int that may leave 64 bits.
  bool failed() const { return diagnostics_.has_errors(); }

 private:
  struct Range {
    __int128 least = 0, most = 0;
  };

  std::string comparison(const pattern::Condition& term, bool of_true, const Images& images);
  /// The values that it needs are there; empty: they always are.
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
