#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "question/pattern.h"
#include "session/program_nests.h"

namespace matcha::session {

/// A pattern of which every embedding counts `factor / kWholeFactor`.
struct WeightedPattern {
  pattern::Pattern pattern;  ///< Edge-induced.
  __int128 factor = 0;
};

/// Keeps the factor whole under most divisions of programs (ir::Nest::kOne), and under the orders of 8 vertices.
inline constexpr __int128 kWholeFactor = __int128{5040} * 40320;

/// The patterns that a program counts. Its one result must be a sum of nests over one undirected graph, each a
/// conjunction of: pairs that are adjacent or not, labels, vertices that are equal or not, as many neighbours as the
/// other conditions ask for, and an order of vertices that the result does not depend on. Otherwise empty, with the
/// reason in `why`.
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

/// A pattern of which a program counts the subgraphs.
struct CountedPattern {
  pattern::Pattern pattern;
  pattern::Induced induced = pattern::Induced::Edge;
};

/// A sum of a program as one of counts of patterns.
struct CountedSum {
  struct Term {
    std::size_t pattern;  ///< Its place among the patterns of the program.
    std::int64_t times;   ///< How often each subgraph counts.
  };

  const ir::Expr* value;  ///< Its variable, or a result that adds up several sums, which alone are no counts.
  std::vector<Term> terms;
};

/// A program whose results are arithmetic of sums, each of which counts subgraphs, and of parameters.
struct CountedProgram {
  std::vector<CountedPattern> patterns;  ///< Each once.
  std::vector<CountedSum> sums;
  std::vector<const ir::Let*> steps;      ///< Arithmetic of sums, in order.
  std::vector<const ir::Expr*> results;   ///< Arithmetic of sums, constants, parameters and the variables of `steps`.
  std::vector<const ir::Var*> params;     ///< In the order of the arguments of a run.
  std::shared_ptr<ProgramNests> program;  ///< Owns these.
};

/// The subgraphs that a program counts, whose entry takes one graph without labels of edges, and numbers that the sums
/// do not read. If the graph may have arcs, the patterns have arcs. Empty, with the reason in `why`, if it counts
/// something else. Vertices may have labels.
std::optional<CountedProgram> counted_program(std::shared_ptr<ProgramNests> program, std::string& why);

}  // namespace matcha::session
