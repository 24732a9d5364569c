#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "codegen/backend.h"
#include "planner/engine.h"

namespace matcha::session {

/// Steps of a search that take about as long as planning and compiling a program of five vertices and more.
inline constexpr std::uint64_t kTrialSteps = 250'000;

/// A run that may end without an answer.
struct Trial {
  std::optional<codegen::RunOutcome> answer;
  /// Without an answer, the nanoseconds of one thread that the whole run is expected to take, by the part that was
  /// done.
  double ns = planner::kUnknownNs;
};

/// Runs an executable for at most `kTrialSteps`.
Trial try_run(codegen::Executable& executable, std::span<const codegen::Argument> arguments,
              const runtime::Universe& universe, codegen::RunOptions options);

}  // namespace matcha::session
