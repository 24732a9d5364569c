#pragma once

#include <memory>
#include <optional>

#include "codegen/match/match_batch.h"
#include "codegen/match/matcher.h"
#include "driver/bind.h"
#include "driver/pattern_matcher.h"
#include "driver/pattern_source.h"
#include "tools/run_options.h"
#include "tools/shared_inputs.h"

namespace matcha::tools {

/// What it depends on whether and where a pattern is matched by search.
struct SearchContext {
  const RunVerbOptions& options;
  const PatternOptions& pattern_options;
  const PatternSource& pattern;
  const BoundInputs& bound;  ///< With the graph.
  bool on_gpu = false;       ///< Programs would run there.
  bool may_choose = false;   ///< The device is chosen when the graph is read.
  bool in_parts = false;     ///< The graph is larger than memory.
  bool rows = false;
  SharedInputs* maybe_shared = nullptr;  ///< Of several patterns.
};

/// Whether a pattern is matched without a program, by messages or by search, and on which device. Of one pattern and
/// graph.
class SearchChoice {
 public:
  /// By messages (driver/map_task.h), on the CPU.
  bool by_messages(const SearchContext& context);
  /// By search.
  SearchUse use(const SearchContext& context);
  /// What is looked for, and on what: on a GPU at once, with the other patterns; or on a CPU, for some matches until it
  /// takes long.
  /// Requires: `use` is not Never, or it is asked by it.
  const codegen::MatchTask& task(const SearchContext& context);
  /// Whether a GPU has found this.
  bool was_on_gpu(const codegen::RunResult& result) const {
    return batch_ != nullptr && !result.tier.empty() && result.tier == batch_->label();
  }

 private:
  std::optional<bool> by_messages_;  ///< On a CPU; nothing: nobody has asked.
  std::optional<codegen::MatchTask> task_;
  std::shared_ptr<codegen::MatchBatch> batch_;  ///< A GPU matches the pattern with these.
};

}  // namespace matcha::tools
