#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "codegen/assumptions.h"
#include "codegen/backend.h"
#include "codegen/host/list.h"

namespace matcha::codegen::host {

struct Parameter {
  const ir::Type* type = nullptr;
  std::string name;
  SourceLoc loc;
};

/// The parameters of a program.
struct Signature {
  explicit Signature(const ir::Module& module);
  Signature() = default;

  std::vector<Parameter> params;
  std::vector<AssumedArgument> assumed;
};

/// An argument in the type of its parameter.
using Bound = std::variant<bool, std::int64_t, double, runtime::Graph*, List>;

/// Checks the number and types of the arguments, then passes each to `take(number, bound)`. Returns the first error,
/// its own or one of `take`; a broken assumption about an argument is an error. `maybe_labels`: as in RunOptions.
std::optional<RunError> bind_arguments(const Signature& signature, std::span<const Argument> arguments,
                                       const std::int64_t* maybe_labels,
                                       const std::function<std::optional<RunError>(std::size_t, Bound)>& take);

}  // namespace matcha::codegen::host
