#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/backend.h"

namespace matcha::codegen {

/// An assumption of a module about an argument, in plain values that outlive the module's nodes.
struct AssumedArgument {
  ir::AssumptionKind kind{};
  std::int64_t limit = 0;    ///< The largest degree.
  std::size_t position = 0;  ///< Index among the arguments.
  std::string name;          ///< Name of the parameter.
  SourceLoc loc;
};

std::vector<AssumedArgument> assumed_arguments(const ir::Module& module);

/// True if the argument is not as assumed. `maybe_labels`: the labels of the run, for graphs that have none.
bool is_broken(const AssumedArgument& assumed, std::span<const Argument> arguments, const std::int64_t* maybe_labels);

/// The error of the first argument that is not as assumed; nothing if all are.
std::optional<RunError> broken_assumption(std::span<const AssumedArgument> assumed, std::span<const Argument> arguments,
                                          const std::int64_t* maybe_labels);

}  // namespace matcha::codegen
