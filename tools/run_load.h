#pragma once

#include <memory>

#include "codegen/backend.h"
#include "driver/bind.h"
#include "driver/compile.h"
#include "driver/parts_counter.h"
#include "driver/pattern_source.h"
#include "runtime/graph/parts.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/run_options.h"
#include "tools/session.h"
#include "tools/shared_inputs.h"

namespace matcha::tools {

/// Reads the inputs of a run with a bar of progress, those of several patterns once.
runtime::Status load_run(const RunVerbOptions& options, const Console& console, const Session& session,
                         const Compilation& program, const BindPlan& plan, bool edge_labelled,
                         SharedInputs* maybe_shared, BoundInputs& out);

/// `--memory` and `--gpu-memory`: whether the graph fits, and if not, how the pattern is counted in parts of it.
class PartsChoice {
 public:
  explicit PartsChoice(const RunVerbOptions& options, const Console& console)
      : options_(options),
        console_(console),
        option_(options.gpu_memory != 0 ? "--gpu-memory" : "--memory"),
        memory_(options.gpu_memory != 0 ? options.gpu_memory : options.memory) {}

  /// Looks at the graph of a `.mtg` and says what fits how. If it does not fit, a graph without vertices is bound in
  /// its place. Errors: Usage and Resource for what is not counted in parts, and those of the file.
  Status open(const PatternSource* maybe_pattern, const PatternOptions& pattern, const Session& session,
              const BindPlan& plan, BoundInputs& out);
  /// The graph does not fit.
  bool needed() const { return task_.graph != nullptr; }
  /// Counts the pattern. Requires: needed.
  std::unique_ptr<codegen::Executable> counter() const { return make_parts_counter(task_); }

 private:
  bool on_gpu() const { return options_.gpu_memory != 0; }
  Status check(const PatternSource* maybe_pattern, std::uint64_t whole) const;
  void bind(const std::string& name, BoundInputs& out) const;

  const RunVerbOptions& options_;
  const Console& console_;
  const char* const option_;
  const std::uint64_t memory_;
  PartsTask task_;
};

}  // namespace matcha::tools
