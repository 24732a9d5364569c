#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "planner/counted.h"
#include "planner/order.h"
#include "question/pattern.h"
#include "question/requirements.h"

namespace matcha::pattern {
class Relations;
}

/// The text of nested functions that match one vertex after another.
namespace matcha::pattern {

/// Lines with indentation, and the names that are visible where the next one goes.
class Text {
 public:
  void line(const std::string& text);
  void open(const std::string& head);
  /// Ends the block and forgets its names.
  void close();
  const std::string& str() const { return text_; }
  /// Drops definitions `name = …` from position `begin` on that nothing in their block reads: sets of which the only
  /// successor has another name already.
  void drop_unused(std::size_t begin);

  /// `wanted`, or that with `more` or a number behind it, so that nothing visible has the name.
  std::string fresh(const std::string& wanted, const std::string& more = {});

  /// A set of vertices by its definition: lists it is in or off, by vertex, bounds, and labels and the list it was
  /// taken from.
  using SetKey = std::tuple<Mask, Mask, Mask, Mask, Mask, Mask, std::string>;
  /// The visible name of the set; empty if it has none.
  std::string find(const SetKey& key) const;
  void add(const SetKey& key, const std::string& name) { sets_.emplace_back(key, name); }

 private:
  struct Block {
    std::size_t names, sets;
  };

  std::string text_;
  std::vector<Block> blocks_;
  std::vector<std::string> names_;
  std::vector<std::pair<SetKey, std::string>> sets_;
};

/// The results of the functions.
enum class Answer { Count, Rows };

/// Writes the levels of one pattern in one order. Candidate sets are named as soon as their inputs are placed, each
/// from the one before (`C_j = C_i ∩ N(v)`), and shared by the vertices that have them in common.
class Nest {
 public:
  /// `vertex_names` are those of the placed vertices; `bases`, if not empty, names a list for each vertex that holds
  /// all its candidates, so that labels and degrees are not tested. The caller matches the first `given` vertices and
  /// names their candidates. `by_degree`: vertices with too few neighbours are left out, which reads their degrees.
  /// Everything is kept by reference.
  Nest(const Pattern& pattern, const Requirements& requirements, const Relations& relations, const Order& order,
       const std::vector<std::string>& vertex_names, const std::vector<std::string>& bases, Answer answer, Text& out,
       std::size_t given = 0, bool by_degree = true);

  /// Sets the columns of rows, kept by reference; by default a row has all vertices. A number from the number of
  /// vertices on stands for the label of one of the `variables` of edges.
  void set_columns(const std::vector<int>& columns, const std::vector<std::string>& variables) {
    maybe_columns_ = &columns;
    maybe_variables_ = &variables;
  }
  /// Defines the sets that the vertex at `level` completes. Call it for every level in turn, inside that vertex's
  /// function; rest() does so itself.
  void define(std::size_t level);
  /// Writes the functions for the levels from `level` on; the expression that counts or lists them. Of two last
  /// vertices with known candidates, the program iterates over the one with fewer and counts the other; the numbers of
  /// two independent vertices are multiplied.
  std::string rest(std::size_t level);
  /// A list with all candidates of the first vertex, instead of those by its edges.
  void set_start(const std::string& list) { start_ = list; }
  /// The loop over the candidates of the vertex at `level`, `sum(apply(function, cond=…, …))`.
  std::string walk(std::size_t level, const std::string& function) const;
  const std::string& name(int v) const { return vertex_names_[static_cast<std::size_t>(v)]; }

 private:
  /// The candidates of a vertex so far.
  struct Candidates {
    std::string list;           ///< Empty: no vertex that it is adjacent to is placed.
    bool named = false;         ///< `list` is a name and not a list of neighbours.
    bool labelled = false;      ///< Only those with the right label.
    Mask below = 0, above = 0;  ///< Bounds that are taken care of.
  };

  Mask placed(std::size_t levels) const;
  bool either_is_last(std::size_t level) const;
  bool last_is_apart(std::size_t level) const;
  std::string rest_in_order(std::size_t level);
  std::string filtered(int v, std::size_t level, const std::string& give) const;
  std::string rows(int v, std::size_t level) const;
  std::string size_of(int v, std::size_t level) const;
  Mask smaller(int v) const;
  std::string based(int v, const std::string& neighbors) const;
  void define_group(std::size_t level, Mask users);
  std::string combine(int v, std::size_t level, int& operations) const;
  std::string edge_key(int v, Mask bound) const;
  std::vector<std::string> bound_conditions(const std::string& item, Mask below, Mask above) const;
  std::string list_of(int v, std::size_t level) const;
  void add_own(int v, std::vector<std::string>& texts) const;
  std::string factors(std::size_t level) const;
  std::string times(std::size_t level, const std::string& number) const;
  void add_apart(int v, Mask bound, std::vector<std::string>& texts) const;
  std::vector<std::string> conditions(int v, std::size_t level, bool last) const;
  std::string set_name(Mask users, std::size_t level) const;

  const Pattern& pattern_;
  const Requirements& requirements_;
  const Relations& relations_;
  const Order& order_;
  const std::vector<std::string>& vertex_names_;
  const std::vector<std::string>& bases_;
  Answer answer_;
  Text& out_;
  std::size_t given_;
  bool by_degree_;
  std::vector<Factor> factors_;  ///< The factors of a match.
  const std::vector<int>* maybe_columns_ = nullptr;
  const std::vector<std::string>* maybe_variables_ = nullptr;
  bool inline_ = false;  ///< Sets are written where they are read.
  std::vector<Candidates> candidates_;
  std::string start_;
};

}  // namespace matcha::pattern
