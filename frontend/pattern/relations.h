#pragma once

#include <map>
#include <string>

#include "frontend/pattern/nest.h"
#include "frontend/pattern/pattern.h"

namespace matcha::frontend::pattern {

/// The graphs that the program of a pattern walks: `G`, and `R`, which has every arc backwards. If edges of the pattern
/// have labels, graphs of one label each stand in their place, `G_3` and `R_3`, and `G_any` for edges of any label;
/// there a vertex has every neighbour once, however many parallel edges join them.
///
///     def with_label(G: Graph, label: int):
///         …
///     def pattern(G: Graph) -> int:
///         G_3 = with_label(G, 3)
class Relations {
 public:
  explicit Relations(const Pattern& pattern);

  /// `neighbor(G_3, v0)`: the targets of arcs with the label; an empty label is any.
  std::string after(const std::string& label, const std::string& vertex) const;
  /// `neighbor(R_3, v0)`: the sources.
  std::string before(const std::string& label, const std::string& vertex) const;

  /// Defines the graphs that `body` reads, at the top of its function.
  void define(const std::string& body, Text& out) const;
  /// The functions that `program`, the text of whole functions, calls to make graphs of labels.
  static void write_functions(const std::string& program, Text& out);

 private:
  std::map<std::string, std::string> suffixes_;  ///< By label: `_3`, of any label `_any`; empty where none has labels.
};

}  // namespace matcha::frontend::pattern
