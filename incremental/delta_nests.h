#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "question/pattern.h"

namespace matcha::session::stream {

/// A pattern of which every embedding counts `factor / kWholeFactor`.
struct WeightedPattern {
  pattern::Pattern pattern;  ///< Edge-induced.
  __int128 factor = 0;
};

/// Keeps the factor whole under most divisions of programs (ir::Nest::kOne), and under the orders of 8 vertices.
inline constexpr __int128 kWholeFactor = __int128{5040} * 40320;

/// The patterns that a program counts. Its one result must be a sum of nests over one undirected graph, each a
/// conjunction of: pairs that are adjacent or not, labels, vertices that are equal or not, and an order of vertices
/// that the result does not depend on. Otherwise empty, with the reason in `why`.
///
/// A nest is split by which of its items are the same vertex; each case is the embeddings of a pattern. Conditions on
/// the order are removed: every order of the vertices gives the same result, so does the mean over all orders, in which
/// a nest counts by the share of orders that it admits. Nests of the same pattern are added up.
///
/// Requires: the module is the result of the pipeline `nests`. `literal_of`: a label in the syntax of patterns, from
/// the text of its constant; empty if it is not a label. `maybe_edge_labels`: for each graph of the module after its
/// first one, the label of its edges in the syntax of patterns (ir/analysis/nests.h); null: the program reads no labels
/// of edges.
using LiteralOf = std::function<std::optional<std::string>(const std::string& constant)>;
std::optional<std::vector<WeightedPattern>> patterns_of(const ir::Module& module, const LiteralOf& literal_of,
                                                        const std::vector<std::string>* maybe_edge_labels,
                                                        std::string& why);

}  // namespace matcha::session::stream
