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

/// The lists that a program reads, made when they are asked for. Each gives the name of its parameter.
class Lists {
 public:
  Lists(const Plan& plan, const Table& table) : plan_(plan), table_(table) {}

  /// The rows of a class and their entries. `turned`: from targets to sources.
  std::pair<std::string, std::string> edges(std::size_t of_class, bool turned);
  /// By entry: the last entry whose time is at most its own plus `by`, or `strictly` less than that; -1: none.
  std::string last(bool strictly, __int128 by);
  /// By entry: its row; its number or id.
  std::string rows();
  std::string ids();
  bool has_ids() const { return names_.contains("ids"); }
  /// By entry: a column of edges, or of the vertices where they begin, or end.
  enum class Of : std::uint8_t { Edge, From, To };
  std::string column(Of of, const std::string& name, bool as_float);
  /// By entry: 1 if it has a value of the column, else 0.
  std::string has_value(Of of, const std::string& name);

  std::vector<std::pair<std::string, runtime::InputList>> take() { return std::move(lists_); }

 private:
  std::string ints(const std::string& key, const std::function<std::int64_t(std::uint64_t entry)>& value);
  std::string add(const std::string& key, runtime::InputList list);
  const Column& cells(Of of, const std::string& name) const;
  std::uint64_t place(Of of, std::uint64_t entry) const;

  const Plan& plan_;
  const Table& table_;
  std::map<std::string, std::string> names_;
  std::vector<std::pair<std::string, runtime::InputList>> lists_;
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
  TermWriter(const Plan& plan, const Table& table, Lists& lists, Diagnostics& diagnostics)
      : plan_(plan), table_(table), lists_(lists), diagnostics_(diagnostics) {}

  /// True where the condition is true, or with `of_true` false where it is false; false where it is unknown.
  std::string truth(const pattern::Condition& term, bool of_true, const Images& images);
  /// After an error: an int that may leave 64 bits.
  bool failed() const { return diagnostics_.has_errors(); }

 private:
  struct Range {
    __int128 least = 0, most = 0;
  };

  std::string comparison(const pattern::Condition& term, bool of_true, const Images& images);
  std::string gap(const pattern::Condition& term, bool of_true, const Images& images);
  /// The values that it needs are there; empty: they always are.
  std::string has_values(const pattern::Condition& term, const Images& images);
  std::string value(const pattern::Condition& term, bool as_float, const Images& images);
  Range range(const pattern::Condition& term) const;
  bool check(const pattern::Condition& term, bool as_float);
  std::pair<Lists::Of, std::string> place(const pattern::Condition& column, const Images& images) const;

  const Plan& plan_;
  const Table& table_;
  Lists& lists_;
  Diagnostics& diagnostics_;
};

}  // namespace matcha::session::ledger
