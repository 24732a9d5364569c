#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/nodes.h"
#include "ir/support/arena.h"

namespace matcha::ir {

/// Owns the nodes and types of any number of modules. Not thread-safe; a module dies with its context.
class Context {
 public:
  Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Type* scalar(ScalarKind kind) const { return &scalars_[static_cast<std::size_t>(kind)]; }
  const Type* boolean() const { return scalar(ScalarKind::Bool); }
  const Type* vid() const { return scalar(ScalarKind::Vid); }
  const Type* i64() const { return scalar(ScalarKind::I64); }
  const Type* i128() const { return scalar(ScalarKind::I128); }
  const Type* f64() const { return scalar(ScalarKind::F64); }
  const Type* graph() const { return &graph_; }
  const Type* list(std::span<const Type* const> columns) { return table(columns, 0); }
  /// A list of these columns, a table if `keys` is not 0.
  const Type* table(std::span<const Type* const> columns, std::uint32_t keys);
  const Type* bits() const { return &bits_; }
  const Type* list(const Type* column) { return list(std::span<const Type* const>(&column, 1)); }

  Arena& arena() { return arena_; }

 private:
  friend class Builder;

  struct ExprHash {
    std::size_t operator()(const Expr* expr) const;
  };
  struct ExprEqual {
    bool operator()(const Expr* a, const Expr* b) const;
  };

  Arena arena_;
  std::vector<Type> scalars_;
  Type graph_;
  const Type* bits_column_[1];
  Type bits_;
  std::vector<const Type*> lists_;
  std::unordered_set<const Expr*, ExprHash, ExprEqual> exprs_;
  std::uint32_t next_var_ = 0;
};

}  // namespace matcha::ir
