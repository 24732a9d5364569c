#include "codegen/host/arguments.h"

#include <fmt/format.h>

#include "codegen/host/host_plan.h"

namespace matcha::codegen::host {

using ir::ScalarKind;

namespace {

RunError misfit(std::string message, SourceLoc loc = {}) {
  return {runtime::Error{runtime::ErrorKind::Input, std::move(message), {}, 0, {}}, loc};
}

/// The argument in the type of its parameter; empty: it has another type.
std::optional<Bound> in_type(const Argument& argument, const ir::Type& type) {
  const bool real = type.is_scalar(ScalarKind::F64);
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&argument)) {
    if (type.is_scalar(ScalarKind::I64)) return *integer;
    if (real) return static_cast<double>(*integer);
  } else if (const double* number = std::get_if<double>(&argument)) {
    if (real) return *number;
  } else if (const bool* truth = std::get_if<bool>(&argument)) {
    if (type.is_scalar(ScalarKind::Bool)) return *truth;
  } else if (runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&argument)) {
    if (type.is_graph()) return *graph;
  } else if (type.is_flat_list()) {
    List list = view_of(*std::get<const runtime::InputList*>(argument));
    if (list.kinds == element_kinds(type)) return list;
  }
  return std::nullopt;
}

}  // namespace

Signature::Signature(const ir::Module& module) : assumed(assumed_arguments(module)) {
  for (const ir::Var* param : module.params) params.push_back({param->type, std::string(param->hint), param->loc});
}

std::optional<RunError> bind_arguments(const Signature& signature, std::span<const Argument> arguments,
                                       const std::int64_t* maybe_labels,
                                       const std::function<std::optional<RunError>(std::size_t, Bound)>& take) {
  const std::vector<Parameter>& params = signature.params;
  if (arguments.size() != params.size())
    return misfit(fmt::format("the program takes {} arguments, not {}", params.size(), arguments.size()));
  if (std::optional<RunError> broken = broken_assumption(signature.assumed, arguments, maybe_labels)) return broken;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::optional<Bound> bound = in_type(arguments[i], *params[i].type);
    if (!bound)
      return misfit(fmt::format("the argument for `{}` is no `{}`", params[i].name, ir::to_string(*params[i].type)),
                    params[i].loc);
    if (std::optional<RunError> failed = take(i, std::move(*bound))) return failed;
  }
  return std::nullopt;
}

}  // namespace matcha::codegen::host
