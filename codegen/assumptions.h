#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/backend.h"

namespace matcha::codegen {

/// What a module takes for granted of an argument, without the module's nodes.
struct AssumedArgument {
  ir::AssumptionKind kind{};
  std::size_t position = 0;  ///< Among the arguments.
  std::string name;          ///< Of the parameter.
  SourceLoc loc;
};

std::vector<AssumedArgument> assumed_arguments(const ir::Module& module);

/// The error of the first argument that is not as assumed; nothing if all are. Reads facts of the graphs alone.
std::optional<RunError> broken_assumption(std::span<const AssumedArgument> assumed,
                                          std::span<const Argument> arguments);

}  // namespace matcha::codegen
