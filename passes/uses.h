#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/builder.h"

namespace matcha::passes {

/// The reads of one value. A yield into a sink is not a read of it.
struct Use {
  int count = 0;
  int size_count = 0;                  ///< Reads as the operand of `size`.
  int counted = 0;                     ///< Reads as a part of a set operation of which only the size is taken.
  bool crosses_loop = false;           ///< A read is inside a loop that does not contain the definition.
  bool conditional = false;            ///< A read may not happen although the definition is reached (loops included).
  const ir::For* walker = nullptr;     ///< A loop that walks the value as its only list.
  const ir::Yield* yielder = nullptr;  ///< A yield of the value alone.
};

/// The uses of every value of a module, and its sinks.
class Uses {
 public:
  explicit Uses(const ir::Module& module);

  const Use& of(const ir::Var* var) const;
  /// The number of loops around the innermost definition that `expr` reads.
  int depth(const ir::Expr& expr) const;
  /// The sink that `var` is; null for other variables.
  const ir::Sink* sink(const ir::Var* var) const;

 private:
  struct Depth {
    int loops = 0;
    int conditions = 0;
  };

  void bind(const ir::Var* var);
  void block(const ir::Block& block);
  void stmt(const ir::Stmt& stmt);
  void expr(const ir::Expr& expr);
  void count_parts(const ir::Expr& set);

  std::unordered_map<const ir::Var*, Use> uses_;
  std::unordered_map<const ir::Var*, Depth> defined_;
  std::unordered_map<const ir::Var*, const ir::Sink*> sinks_;
  Depth here_;
};

/// True if running `stmt` may end the run with an error. Overflows of sums are excluded: passes may move or drop them
/// when they change how a sum is computed. Statements for which `spared` is true count as if they could not trap.
bool may_trap(const ir::Facts& facts, const ir::Stmt& stmt, const std::function<bool(const ir::Stmt&)>& spared = {});

/// True if a sum of ints in `stmt` may overflow, so that `stmt` must not move to a place that is reached in more cases.
/// Counts and sums of sizes are assumed to fit: they would have to count 2^63 items.
bool sums_may_overflow(const ir::Facts& facts, const ir::Stmt& stmt);

/// Every variable bound by `stmt` and its nested statements.
std::unordered_set<const ir::Var*> bound_in(const ir::Stmt& stmt);

/// True if `expr` reads one of `vars`.
bool reads(const ir::Expr& expr, const std::unordered_set<const ir::Var*>& vars);

/// `a and b and c` as a list, left to right.
std::vector<const ir::Expr*> conjuncts(const ir::Expr* cond);
/// The inverse of `conjuncts`; `true` for none.
const ir::Expr* conjunction(ir::Builder& builder, const std::vector<const ir::Expr*>& parts);

/// True if few items are likely to pass: an equality, or membership in a list. Labels are excluded: some items of a
/// list nearly always have the label, and each would repeat a computation as expensive as the walk.
bool is_selective(const ir::Expr* cond);

/// True if the block reads the label of a vertex.
bool reads_some_label(const ir::Block& block);

/// Number of statements in the block, nested ones included.
int statement_count(const ir::Block& block);

}  // namespace matcha::passes
