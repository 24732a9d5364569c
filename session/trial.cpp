#include "session/trial.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace matcha::session {

namespace {

/// A trial says nothing about a run that takes this many times as long: parts of the work differ too much.
constexpr std::uint64_t kMostTrials = 20;

}  // namespace

Trial try_run(codegen::Executable& executable, std::span<const codegen::Argument> arguments,
              const runtime::Universe& universe, codegen::RunOptions options) {
  options.most_steps = kTrialSteps;
  codegen::RunOutcome outcome = executable.run(arguments, universe, options);
  const auto* const result = std::get_if<codegen::RunResult>(&outcome);
  if (result == nullptr || !result->values.empty() || result->estimate) return {std::move(outcome)};
  Trial trial;
  const auto searched = std::ranges::find(result->times, "search", &std::pair<std::string, double>::first);
  const bool is_long = result->work_done == 0 || result->work_done < result->work_total / kMostTrials;
  if (is_long || searched == result->times.end()) return trial;
  trial.ns = 1e6 * searched->second * static_cast<double>(result->work_total) / static_cast<double>(result->work_done);
  return trial;
}

}  // namespace matcha::session
