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

/// Divisions that most programs make leave it whole (ir::Nest::kOne), and so do the orders of 8 vertices.
inline constexpr __int128 kWholeFactor = __int128{5040} * 40320;

/// What a program counts, as patterns, if its one result is a sum of nests over one undirected graph of which each is a
/// conjunction: pairs that are adjacent or not, labels, vertices that are the same or not, and an order of vertices
/// that the result does not depend on. Else nothing, and why.
///
/// A nest is split by which of its items are the same vertex; what is left are embeddings of a pattern. Conditions on
/// the order go: as every order of the vertices gives the same result, so does the mean over all of them, in which a
/// nest counts by the share of the orders that it admits. Nests of the same pattern are added up.
///
/// Requires: the module is what the pipeline `nests` leaves. `literal_of`: a label as patterns write it, from the text
/// of its constant; nothing where that is no label. `maybe_edge_labels`: by graph of the module behind its first one,
/// the label of its edges, as patterns write it (ir/analysis/nests.h); null: the program reads no labels of edges.
using LiteralOf = std::function<std::optional<std::string>(const std::string& constant)>;
std::optional<std::vector<WeightedPattern>> patterns_of(const ir::Module& module, const LiteralOf& literal_of,
                                                        const std::vector<std::string>* maybe_edge_labels,
                                                        std::string& why);

}  // namespace matcha::session::stream
