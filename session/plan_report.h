#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "session/prepared.h"

namespace matcha::session {

/// What a report may take.
struct PlanRun {
  unsigned threads = 0;  ///< 0: as many as there are.
  const std::atomic<std::uint32_t>* maybe_stop = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// The plan of a program or a pattern on a graph in memory, and what a run of it on the CPU took, step by step. It runs
/// twice: as it is, and counting how often each step is reached.
class PlanReport {
 public:
  /// Gives the JSON object of the schema `matcha.plan/1` (docs/api.md). `reading` as in `Prepared::make`. A run that is
  /// stopped or too late leaves out what it did not find.
  static Status make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                     const Prepared::Reading& reading, const PlanRun& how, std::string& errors,
                     nlohmann::ordered_json& json);
};

}  // namespace matcha::session
