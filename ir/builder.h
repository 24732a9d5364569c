#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/context.h"

namespace matcha::ir {

/// The only way to make nodes. Checks types (a wrong one is a bug of the caller, see `MATCHA_CHECK`), folds constants
/// and simplifies if no trap is lost. Later nodes get the place `loc`.
class Builder {
 public:
  explicit Builder(Context& context) : context_(context) {}

  Context& context() { return context_; }
  void set_loc(SourceLoc loc) { loc_ = loc; }
  SourceLoc loc() const { return loc_; }

  // Leaves
  const Var* var(const Type* type, std::string_view hint);
  const Expr* integer(std::int64_t value);
  const Expr* real(double value);
  const Expr* boolean(bool value);
  const Expr* label_name(std::string_view word);

  /// Makes an expression of any kind that has no payload beyond `op`; `wanted` as in `result_type`. Arithmetic and
  /// comparisons first convert their operands to the common type: a vid becomes its original id, unless both sides of a
  /// comparison are vids.
  const Expr* make(Op op, std::span<const Expr* const> operands, const Type* wanted = nullptr);
  const Expr* make(Op op, std::initializer_list<const Expr*> operands, const Type* wanted = nullptr) {
    return make(op, std::span<const Expr* const>(operands.begin(), operands.size()), wanted);
  }
  /// The table of the rows of `list`. The first `keys` columns are the key; `fold` merges rows with the same key.
  const Expr* keyed(Fold fold, const Expr* list, std::uint32_t keys);
  /// Column `column` of the row at position `index` of a list.
  const Expr* at(const Expr* list, const Expr* index, std::uint32_t column);
  /// `value` itself if it already has the type.
  const Expr* convert(const Expr* value, const Type* to);
  /// A list of this type from its items, row by row.
  const Expr* literal(const Type* list_type, std::span<const Expr* const> items);
  /// The same expression over other operands: the payload is kept, types are checked again.
  const Expr* with_operands(const Expr* expr, std::span<const Expr* const> operands);

  // Statements
  const Block* block(std::span<const Stmt* const> body);
  const Let* let(const Var* var, const Expr* value);
  const For* loop(std::span<const Var* const> vars, std::span<const Expr* const> lists, const Var* maybe_index,
                  const Block* body, LaneMode mode = LaneMode::Together);
  const If* branch(const Expr* cond, const Block* then_body, const Block* maybe_else = nullptr);
  const Collect* collect(std::span<const Sink> sinks, const Block* body);
  const Yield* yield(const Var* sink, std::span<const Expr* const> values, bool batched = false);
  const BuildGraph* build_graph(const Var* var, const Expr* edges, const Expr* maybe_labels, const Expr* maybe_info,
                                GraphIndex index, RowOrder order = RowOrder::Target);
  const Repeat* repeat(std::span<const Var* const> vars, std::span<const Expr* const> starts, const Expr* times);
  const Again* again(std::span<const Var* const> vars, std::span<const Expr* const> values, bool until_equal);
  const Return* ret(std::span<const Expr* const> values);
  const Region* region(const Schedule& schedule, std::span<const Buffer> buffers, const Collect* collect);
  const Store* store(const Var* var, const Var* buffer, const Expr* value);
  /// The module with one more assumption; unchanged if it implies it. A smaller limit replaces a larger one.
  Module assume(const Module& module, const Assumption& assumption);
  Module module(Stage stage, std::string_view name, std::span<const Var* const> params, const Block* body);

 private:
  template <typename T>
  const Expr* intern(const T& node);
  template <typename T>
  const Expr* intern_as(Op op, const Expr& plain);
  const Expr* intern_op(Op op, const Type* type, std::span<const Expr* const> operands);
  const Expr* fold(Kind kind, std::span<const Expr* const> operands);
  const Expr* simplify(Kind kind, std::span<const Expr* const> operands);

  Context& context_;
  SourceLoc loc_;
};

}  // namespace matcha::ir
