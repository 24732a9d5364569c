#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "passes/pass_manager.h"
#include "planner/decide.h"
#include "planner/program.h"
#include "session/outline.h"

/// The parts of the schema `matcha.plan/1` (docs/api.md) that the command line and the library have in common.
namespace matcha::session {

/// `steps`: those of a program.
nlohmann::ordered_json steps_json(const std::vector<Step>& steps);
/// `steps` of an engine without a program: its lines.
nlohmann::ordered_json lines_json(const std::vector<std::string>& lines);
/// `plans`: the programs that were considered.
nlohmann::ordered_json plans_json(const std::vector<pattern::Choice>& choices);
/// `passes`.
nlohmann::ordered_json passes_json(const std::vector<passes::PassRun>& runs);
/// `memory`: the buffers of a thread.
nlohmann::ordered_json memory_json(const std::vector<PlannedBuffer>& buffers);

}  // namespace matcha::session
