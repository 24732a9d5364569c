#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "incremental/answer.h"
#include "incremental/delta_program.h"
#include "incremental/engine.h"
#include "planner/decide.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session::stream {

/// The size of a graph, for the costs of methods; preset: that of a typical graph.
struct GraphFigures {
  double vertices = 1e6, arcs = 4e7;
  double degree = 40;  ///< The mean degree of the ends of edges.
};
GraphFigures figures_of(const runtime::Graph& graph);
GraphFigures figures_of(const runtime::stream::DynamicGraph& graph);

/// A program of a stream, and the facts that methods may use. The request and the labels outlive it.
struct MethodQuestion {
  const ProgramRequest& request;
  ProgramOptions options;
  bool directed = false;  ///< The graph has arcs.
  DeltaDevice::Kind device = DeltaDevice::Kind::Cpu;
  const runtime::LabelDictionary* maybe_labels = nullptr;  ///< The label words of the graph; null: unknown.
  GraphFigures graph = {};
  bool edge_labels = false;  ///< The graph keeps labels of edges.
};

/// The method that maintains the answer of a program: `delta`, `trees`, `roots` or `recompute`. They are engines of the
/// planner, and `planner::decide` compares them by the time for a batch of one edge.
class MethodChoice {
 public:
  /// Asks all methods, or the one that `ProgramOptions::method` names. With `ProgramOptions::explains` all offers have
  /// a cost and a plan. On the thread that reads programs and patterns.
  explicit MethodChoice(const MethodQuestion& question);
  MethodChoice(const MethodChoice&) = delete;
  MethodChoice& operator=(const MethodChoice&) = delete;

  const planner::Decision& decision() const { return decision_; }
  /// Why the method that the question names cannot be used; empty: there is a chosen one.
  const std::string& problem() const { return decision_.problem; }
  bool is_of_pattern() const { return is_pattern_; }
  /// Requires: there is no problem, as the next three.
  MaintenanceMethod chosen() const;
  /// The program of the chosen method `delta`; once.
  std::optional<DeltaProgram> take_delta() { return std::move(delta_); }
  /// For the method `trees`: the number of vertices of the cliques, 0 for all sizes; empty: it was refused.
  const std::optional<std::uint32_t>& size_of_cliques() const { return size_of_cliques_; }
  /// Turns the chosen offer into a refusal; the next one is chosen.
  void refuse(std::string why);
  /// Describes the chosen method, as lines for display. Requires: `ProgramOptions::explains`.
  std::vector<std::string> lines() const;
  /// Why a method was refused; empty: it was not.
  std::string refusal_of(MaintenanceMethod method) const;

 private:
  const std::string named_;  ///< The method that the question names.
  const bool is_pattern_, wants_gpu_;
  std::optional<DeltaProgram> delta_;
  std::optional<std::uint32_t> size_of_cliques_;
  planner::Decision decision_;
};

/// The decision for a program that is always recomputed.
planner::Decision decision_to_recompute(const MethodQuestion& question);

}  // namespace matcha::session::stream
