#pragma once

#include <optional>

#include "frontend/asg.h"
#include "frontend/builtins.h"
#include "ir/kinds.h"

/// The set operations of the language, listed by MATCHA_SET_BUILTIN in builtins.def. Each has the same name as a
/// builtin, in the graph and in ir/nodes.def.
namespace matcha::frontend {

// The formatter would join an #include to the macro above it.
// clang-format off
/// The operator of a builtin that is a set operation; empty for others.
constexpr std::optional<asg::Op> set_op(BuiltinId id) {
  switch (id) {
#define MATCHA_SET_BUILTIN(Name, word, doc) \
  case BuiltinId::Name:                     \
    return asg::Op::Name;
#include "frontend/builtins.def"
    default:
      return std::nullopt;
  }
}

/// The kind of the intermediate representation for a set operation; empty for other operators.
constexpr std::optional<ir::Kind> set_kind(asg::Op op) {
  switch (op) {
#define MATCHA_SET_BUILTIN(Name, word, doc) \
  case asg::Op::Name:                       \
    return ir::Kind::Name;
#include "frontend/builtins.def"
    default:
      return std::nullopt;
  }
}
// clang-format on

}  // namespace matcha::frontend
