#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/interp/evaluator.h"
#include "codegen/interp/rows.h"
#include "codegen/interp/sink.h"

namespace matcha::codegen::interp {

/// One run of a module.
class Runner {
 public:
  Runner(const ir::Module& module, const std::unordered_set<const ir::Expr*>& shared, const runtime::Universe& universe,
         const RunOptions& options);

  RunOutcome run(std::span<const Argument> arguments);

 private:
  /// Binds the parameters; throws Trap if the arguments do not fit.
  void bind(std::span<const Argument> arguments);
  void results(const ir::Return& s, RunResult& result);

  void block(const ir::Block& b);
  void stmt(const ir::Stmt& s);
  void loop(const ir::For& s);
  void collect(const ir::Collect& s);
  void yield(const ir::Yield& s);
  void build_graph(const ir::BuildGraph& s);
  void region(const ir::Region& s);
  void store(const ir::Store& s);

  GraphPtr graph_value(const runtime::Graph& graph) const;
  /// Tests for a stop and the deadline; loops end soon after an ending was set.
  bool again(const ir::Repeat& begin, const ir::Again& end, std::int64_t done);
  void poll();

  const ir::Module& module_;
  const RunOptions& options_;
  Environment environment_;
  Evaluator evaluate_;
  std::unordered_map<const ir::Var*, SinkState> sinks_;
  /// The capacities of the buffers of the current region.
  std::unordered_map<const ir::Var*, std::uint64_t> capacities_;
  std::vector<std::unique_ptr<runtime::Graph>> graphs_;
  std::unique_ptr<RowStream> stream_;           ///< Null unless rows are handed over.
  const ir::Var* maybe_stream_sink_ = nullptr;  ///< The sink whose rows are handed over as they are found.
  std::optional<Ending> ending_;
  std::int64_t rounds_wanted_ = 0;
  std::uint64_t positions_ = 0;
  std::uint64_t iterations_ = 0;
  int depth_ = 0;
};

}  // namespace matcha::codegen::interp
