#pragma once

#include <string>

#include "planner/nest.h"
#include "question/pattern.h"

namespace matcha::pattern {

/// The relations that the program of a pattern reads: the edges of `G` that have a label, `neighbor(G, v, 'a')` and,
/// backwards, `sources(G, v, 'a')`; for edges of any label, and all of a pattern without labels, `neighbor(G, v)` and
/// that of `R`, which has every arc backwards. In a pattern with labels these are `G_any` and `R_any`, where a vertex
/// has every neighbour once, however many parallel edges join them. Variables are edges of any label.
///
///     def pattern(G: Graph) -> int:
///         G_any = adjacent(G)
class Relations {
 public:
  explicit Relations(const Pattern& pattern);

  /// `neighbor(G, v0, 3)`: the targets of arcs with the label; an empty label is any.
  std::string after(const std::string& label, const std::string& vertex) const;
  /// `sources(G, v0, 3)`: the sources.
  std::string before(const std::string& label, const std::string& vertex) const;
  /// `vertices(G, 3)`: a list with all candidates of a vertex of the pattern, those that an edge leaves which the
  /// pattern wants there, if there is one with a label.
  static std::string all(const Pattern& pattern, int v);

  /// Defines the graphs that `body` reads, at the top of its function.
  void define(const std::string& body, Text& out) const;
  /// The functions that `program`, the text of whole functions, calls to make these graphs.
  static void write_functions(const std::string& program, Text& out);

 private:
  std::string any_;  ///< Behind the names of graphs that have edges of any label.
};

}  // namespace matcha::pattern
