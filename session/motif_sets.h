#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engines/identities/motif_counter.h"
#include "engines/identities/orbit_task.h"
#include "planner/question.h"
#include "runtime/graph/graph.h"
#include "session/reporter.h"

namespace matcha::session {

/// Whether a graph is undirected and simple, without loops, labels and numbers of edges.
bool is_countable(const runtime::Graph& graph);

/// Why identities do not give the counts of a pattern, or of all motifs of 3 to 5 vertices, in a sentence; empty: they
/// do, and `task` says how they come from edge-induced counts that patterns share.
std::string identities_problem(const planner::Question& question, const runtime::Graph& graph,
                               codegen::MotifTask& task);

/// A set of motifs that identities count in less time than programs do: of four vertices and more.
bool is_for_identities(const planner::Question& question);

/// Reports a graph that has no orbits (Usage): they need an undirected graph without labels and numbers of edges.
Status check_for_orbits(const runtime::Graph& graph, const Reporter& reporter);

/// The estimated cost of counting them, in nanoseconds of one thread.
double motif_cost(const runtime::Graph& graph, const runtime::motif::MotifSet& wanted);

/// Bytes of the list of triangles that counting keeps, at most.
double bytes_of_triangles(const runtime::Graph& graph);

/// The patterns of one command that identities could count, on one graph.
class MotifSets {
 public:
  /// `ns_of_program`: the estimated cost of its program, in nanoseconds of one thread; nothing: identities count it at
  /// any cost.
  void add(const codegen::MotifTask& task, std::optional<double> ns_of_program);
  /// Whether counting them together costs less than compiling and running their programs.
  bool are_cheaper(const runtime::Graph& graph, unsigned threads) const;
  /// Whether all counts of a task were added.
  bool has(const codegen::MotifTask& task) const { return (task.wanted() & ~shared_->wanted).none(); }
  /// Shared by all tasks, so that they count together.
  const std::shared_ptr<codegen::SharedMotifs>& shared() const { return shared_; }

 private:
  std::shared_ptr<codegen::SharedMotifs> shared_ = std::make_shared<codegen::SharedMotifs>();
  bool always_ = false;
  std::size_t programs_ = 0;
  double ns_of_programs_ = 0;
};

}  // namespace matcha::session
