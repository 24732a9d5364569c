#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "runtime/graph/page_limit.h"
#include "runtime/graph/parts.h"
#include "session/bind.h"
#include "session/block_runner.h"
#include "session/compile.h"
#include "session/engines.h"
#include "session/parts_counter.h"
#include "session/pattern_source.h"
#include "session/run/host.h"
#include "session/run/request.h"
#include "session/run/shared_inputs.h"
#include "session/status.h"

namespace matcha::session {

/// `--memory` and `--gpu-memory`: whether the graph fits, and if not, how the run continues. There are three ways:
/// - matches of a pattern are counted in parts of the graph, if possible;
/// - else the graph stays in its file, and at most this much of it is in memory;
/// - for a GPU, the rows that do not fit stay in memory of the host.
class GraphFit {
 public:
  explicit GraphFit(const RunRequest& options, const RunReporter& console)
      : options_(options),
        console_(console),
        option_(options.gpu_memory != 0 ? "--gpu-memory" : "--memory"),
        memory_(options.gpu_memory != 0 ? options.gpu_memory : options.memory) {}

  /// Decides how the graph of a `.mtg` fits into memory, before it is read, and sets `compile` and `gpu` accordingly.
  /// If it is counted in parts, `out` gets a graph without vertices in its place. Ok also if the run is stopped.
  /// Errors: Usage and Resource if there is no way, and those of the file.
  Status open(const PatternSource* maybe_pattern, const PatternOptions& pattern, const StopControl& session,
              const BindPlan& plan, CompileOptions& compile, GpuOptions& gpu, BoundInputs& out);
  /// True if the graph is counted in parts.
  bool needed() const { return task_.graph != nullptr; }
  /// True if the graph does not fit: no step may put all of it into memory.
  bool does_not_fit() const { return needed() || in_place_; }
  /// Fills in the context of the engines. This object must outlive the context.
  void describe(EngineContext& context) const;
  /// `--order`, for `order_vertices`. A graph that stays in its file keeps its order, as ranking would need memory.
  std::string order() const { return in_place_ && !on_gpu() && options_.order == "auto" ? "stored" : options_.order; }
  /// Loads the program after its passes. If the pass `block` changed it, `executable` runs it for every block of
  /// vertices.
  Status load(Compilation& program, codegen::Backend& backend, std::unique_ptr<codegen::Executable>& executable) const;
  /// The limit on the pages of the file in host memory; null: none.
  const std::shared_ptr<runtime::PageLimit>& page_limit() const { return page_limit_; }
  /// After the inputs are read. Errors: Resource if the graph is not mapped from its file.
  Status check_loaded(const BoundInputs& bound) const;

 private:
  using Parted = std::pair<const ParamPlan*, std::shared_ptr<const runtime::PartedGraph>>;

  bool on_gpu() const { return options_.gpu_memory != 0; }
  /// Opens the graphs of the plan, and adds their bytes to `whole_`.
  runtime::Status look(const BindPlan& plan, const runtime::IoOptions& io, std::vector<Parted>& graphs);
  std::string_view why_not_parts(const PatternSource* maybe_pattern, const BindPlan& plan,
                                 const runtime::PartedGraph& graph) const;
  /// Reports the error that the graph does not fit, with the reason and a hint.
  Status refuse(std::string_view why, std::string_view remedy) const;
  Status check(const PatternSource* maybe_pattern) const;
  Status check_whole(const BindPlan& plan, const std::vector<Parted>& graphs) const;
  void take_parts(runtime::PartsPlan parts, std::shared_ptr<const runtime::PartedGraph> graph,
                  const PatternOptions& pattern);
  void take_pages(std::string_view why);
  void take_rows(GpuOptions& gpu);
  bool prefers_parts() const;
  void bind(const std::string& name, BoundInputs& out) const;

  const RunRequest& options_;
  const RunReporter& console_;
  const char* const option_;
  const std::uint64_t memory_;
  std::uint64_t whole_ = 0;  ///< Bytes of the graph.
  std::string no_parts_;     ///< The reason why it is not counted in parts; empty: it is, or this is not decided yet.
  PartsTask task_;
  bool in_place_ = false;
  std::shared_ptr<runtime::PageLimit> page_limit_;
};

/// Reads the inputs of a run with a progress bar. Several patterns of one command share them (`maybe_shared`).
runtime::Status load_run(const RunRequest& options, const RunReporter& console, const StopControl& session,
                         const Signature& program, const BindPlan& plan, SharedInputs* maybe_shared,
                         const GraphFit& parts, BoundInputs& out);

/// Adds a hint to the error that a pattern has labels of edges and the graph has none, as pattern files of other
/// systems may have: the option that ignores these labels.
void add_hint_of_labels(runtime::Status& loaded);

}  // namespace matcha::session
