#pragma once

#include <utility>

#include "ir/check.h"
#include "ir/nodes.h"

namespace matcha::ir {

// The formatter would join an #include to the macro above it.
// clang-format off
template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overload(Fs...) -> Overload<Fs...>;

/// Calls the case for the node's own struct. A kind without a case does not compile; an explicit catch-all
/// (`[](const Expr&) { … }`) is visible in review.
template <typename... Fs>
decltype(auto) match(const Expr& expr, Fs&&... cases) {
  Overload<std::decay_t<Fs>...> overload{std::forward<Fs>(cases)...};
  switch (expr.kind) {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last) \
  case Kind::Struct:                                     \
    return overload(static_cast<const Struct&>(expr));
#include "ir/nodes.def"
    default:
      break;
  }
  MATCHA_UNREACHABLE("a statement kind in an expression");
}

template <typename... Fs>
decltype(auto) match(const Stmt& stmt, Fs&&... cases) {
  Overload<std::decay_t<Fs>...> overload{std::forward<Fs>(cases)...};
  switch (stmt.kind) {
#define MATCHA_STMT(Struct, keyword, First, Last) \
  case Kind::Struct:                              \
    return overload(static_cast<const Struct&>(stmt));
#include "ir/nodes.def"
    default:
      break;
  }
  MATCHA_UNREACHABLE("an expression kind in a statement");
}

/// The node as a `T`, or null if it is of another kind.
template <typename T>
const T* as(const Node* node);

#define MATCHA_EXPR(Struct, keyword, arity, First, Last)                               \
  template <>                                                                          \
  inline const Struct* as<Struct>(const Node* node) {                                  \
    return node->kind == Kind::Struct ? static_cast<const Struct*>(node) : nullptr;    \
  }
#define MATCHA_STMT(Struct, keyword, First, Last)                                      \
  template <>                                                                          \
  inline const Struct* as<Struct>(const Node* node) {                                  \
    return node->kind == Kind::Struct ? static_cast<const Struct*>(node) : nullptr;    \
  }
#include "ir/nodes.def"

// clang-format on

}  // namespace matcha::ir
