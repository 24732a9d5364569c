#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "runtime/graph/inputs.h"
#include "runtime/graph/order.h"
#include "runtime/sample/kept_draws.h"
#include "session/reporter.h"
#include "session/signature.h"
#include "session/tables.h"

/// Binding of the entry's parameters to files and values (DESIGN section 1).
namespace matcha::runtime::match {
class MatchIndex;
}  // namespace matcha::runtime::match

namespace matcha::session {

/// The inputs, in the words of the command line.
struct BindOptions {
  std::string graph;                ///< The positional graph file; empty: none.
  std::vector<std::string> inputs;  ///< `NAME=FILE`, `NAME=FILE:0,1` or `NAME=FILE:src,dst`.
  std::vector<std::string> params;  ///< `NAME=VALUE`.
  TableBinding table;
  bool directed = false;
  bool in_memory = false;  ///< Graphs are in memory. Whether they keep their arcs is tested when they are bound.
  bool temporal = false;
  bool keep_loops = false;     ///< For directed graphs: loops are kept.
  bool keep_repeats = false;   ///< As GraphSpec::keep_repeats.
  bool may_lack_info = false;  ///< As GraphSpec::may_lack_info.
  bool may_skip_info = false;  ///< As GraphSpec::may_skip_info.
};

/// Whether a graph is bound to a `.mtg`, which knows itself whether it has arcs. Looks into regular files only.
bool binds_mtg(const BindOptions& options);

/// Whether one graph is bound, to a file that is read in less time than it takes to open a GPU, or to a pipe.
bool reads_small_graph(const BindOptions& options);

/// The input of one parameter; nothing is read yet.
struct ParamPlan {
  enum class Kind { None, Graph, List, GraphEdges, Scalar };

  Kind kind = Kind::None;
  bool needs_arcs = false;                     ///< Graph: the program asks for its `arcs`.
  bool needs_symmetry = false;                 ///< Graph: the program says that it is `symmetric`.
  runtime::GraphSpec graph;                    ///< Graph and GraphEdges.
  runtime::ListSpec list;                      ///< List.
  std::vector<runtime::ColumnKind> columns;    ///< GraphEdges: the kinds of the two ends that the program wants.
  codegen::Argument scalar = std::int64_t{0};  ///< Scalar.
};

/// A plan for each parameter, in order.
struct BindPlan {
  std::vector<ParamPlan> params;
  /// A graph that is loaded for its labels only, when labels are given and no parameter is a graph.
  std::optional<runtime::GraphSpec> label_graph;
  /// Where the program computes with ids as numbers; empty: nowhere.
  bool reads_ids = false;
};

/// The error of a program that computes with ids where these are no int64; nothing if all is well.
runtime::Status check_ids(const BindPlan& plan, const runtime::Universe& universe);

/// Gives every parameter its input. All problems are reported (names that do not exist, repeats, values of the wrong
/// type, parameters that nothing is bound to), then nothing is returned; the status is Usage.
std::optional<BindPlan> plan_binding(const Signature& program, const BindOptions& options, const Reporter& reporter);

/// The edges of a graph as columns of these kinds: an id is a rank, or the int that it is. Errors: Resource.
runtime::Result<runtime::InputList> edges_as(const runtime::Graph& graph,
                                             const std::vector<runtime::ColumnKind>& columns);

/// Everything that was read; the arguments point into it.
struct BoundInputs {
  runtime::Inputs inputs;
  std::map<std::string, runtime::InputList> edge_lists;
  std::vector<codegen::Argument> arguments;
  /// Graphs of one label, and graphs with their arcs backwards: arguments that `bind_slices` adds.
  std::deque<runtime::Graph> slices;
  /// One label a rank, for graphs that the program builds; null without labels.
  const std::int64_t* labels = nullptr;
  /// The graph that reports and JSON call `graph`; empty if there is none.
  std::string main_graph;
  /// A label word that the run does not know is that of no edge, and no error.
  bool may_lack_labels = false;
  /// Gives the one graph with ranks by degree, if it is kept; empty: it is made.
  std::function<runtime::Result<runtime::Graph>(runtime::Halves)> ranked;
  /// Gives the index that patterns share in a search, if it is kept; empty: a run makes it.
  std::function<std::shared_ptr<runtime::match::MatchIndex>()> match_index;
  /// The draws of intervals that stay with the graph; null: none do.
  std::shared_ptr<runtime::sample::KeptDraws> maybe_draws;

  /// True if every vertex of every graph has a label.
  bool all_labelled() const;
};

/// Reads the files. `out` must not move afterwards.
runtime::Status load_inputs(const Signature& program, const BindPlan& plan, const runtime::IoOptions& options,
                            BoundInputs& out);

}  // namespace matcha::session
