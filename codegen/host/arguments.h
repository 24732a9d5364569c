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

/// What a run of a program is bound to.
struct Signature {
  explicit Signature(const ir::Module& module);
  Signature() = default;

  std::vector<Parameter> params;
  std::vector<AssumedArgument> assumed;
};

/// An argument in the type of its parameter.
using Bound = std::variant<bool, std::int64_t, double, runtime::Graph*, List>;

/// Gives each argument to `take(number, bound)` once all of them fit the signature in number, and itself in type. The
/// first error, of its own or of `take`, ends it; an assumption that an argument breaks is one.
std::optional<RunError> bind_arguments(const Signature& signature, std::span<const Argument> arguments,
                                       const std::function<std::optional<RunError>(std::size_t, Bound)>& take);

}  // namespace matcha::codegen::host
