#pragma once

#include <concepts>
#include <utility>

#include "ir/check.h"
#include "ir/nodes.h"

namespace matcha::ir {

// The formatter would join an #include to the macro above it.
// clang-format off
template <typename T>
inline constexpr Kind kind_of = Kind{};
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits) \
  template <>                                                           \
  inline constexpr Kind kind_of<Struct> = Kind::Struct;
#define MATCHA_STMT(Struct, keyword, First, Last) \
  template <>                                     \
  inline constexpr Kind kind_of<Struct> = Kind::Struct;
#include "ir/nodes.def"

template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overload(Fs...) -> Overload<Fs...>;

/// A node of one of these kinds, for a case of `match` that several share: `[](const OneOf<Let, Store> auto& s) { … }`.
template <typename T, typename... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);

/// A node of one of these groups: `[](const InGroup<Group::SetOp> auto& e) { … }`.
template <typename T, Group... groups>
concept InGroup = ((group_of(kind_of<T>) == groups) || ...);

/// A node with operands only, which a case may visit without regard to their meaning.
template <typename T>
concept Plain = sizeof(T) == sizeof(Expr) && std::derived_from<T, Expr>;

/// Calls the case for the node's own struct. A kind without a case does not compile. An explicit catch-all (`[](const
/// Expr&) { … }`) is visible in review, and is only for statements about all nodes, future ones included.
template <typename... Fs>
decltype(auto) match(const Expr& expr, Fs&&... cases) {
  Overload<std::decay_t<Fs>...> overload{std::forward<Fs>(cases)...};
  switch (expr.kind) {
#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits) \
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

#define MATCHA_EXPR(Struct, keyword, arity, First, Last, Group, Traits)                \
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
