#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/term.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Graphs that a program builds of the edges of its graph, each in the direction of an order, or of all of them.
class BuiltGraphs {
 public:
  /// Adds the graph of a variable, from the nests that fill the list of its arcs, rows of two items. False: it has
  /// other arcs.
  bool add(const Var* graph, const std::vector<Nest>& arcs);
  bool contains(const Var* graph) const { return arcs_.contains(graph); }
  /// Adds the conditions of an arc to `out`; false if the graph is none of these.
  bool add_arc(const Var* graph, int source, int target, std::vector<Term>& out) const;

 private:
  std::unordered_map<const Var*, Nest> arcs_;
};

/// `size(a) < size(b) or size(a) == size(b) and a < b`, of the numbers of neighbours of two items, becomes the order
/// `degree` of all vertices. Other conditions stay.
void take_order_by_degree(Term& condition);

/// Adds the orders that a term compares items by (Term::Kind::Before).
void add_orders(const Term& term, std::set<std::string>& out);

}  // namespace matcha::ir
