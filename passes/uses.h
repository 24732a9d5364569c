#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/builder.h"

namespace matcha::passes {

/// How one value is read. A yield into a sink is no read of it.
struct Use {
  int count = 0;
  int size_count = 0;                  ///< Reads as the operand of `size`.
  int counted = 0;                     ///< Reads as a part of a set operation of which only the size is taken.
  bool crosses_loop = false;           ///< A read is in a loop that the definition is not in.
  bool conditional = false;            ///< A read may not happen although the definition is reached (loops included).
  const ir::For* walker = nullptr;     ///< A loop that walks the value as its only list.
  const ir::Yield* yielder = nullptr;  ///< A yield of the value alone.
};

/// The uses of every value of a module, and what its sinks are.
class Uses {
 public:
  explicit Uses(const ir::Module& module);

  const Use& of(const ir::Var* var) const;
  /// The number of loops around the innermost definition that `expr` reads.
  int depth(const ir::Expr& expr) const;
  /// The sink that `var` is; null if it is none.
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

/// True if running `stmt` may end the run with an error. Sums that overflow are not counted: passes may move or drop
/// them, as they change how a sum is made up. Statements that are `spared` count as if they could not.
bool may_trap(const ir::Facts& facts, const ir::Stmt& stmt, const std::function<bool(const ir::Stmt&)>& spared = {});

/// True if a sum of ints that `stmt` collects may overflow, so that `stmt` must not move to where it might not have
/// been reached. Counts and sums of sizes are taken to fit: they would have to count 2^63 items.
bool sums_may_overflow(const ir::Facts& facts, const ir::Stmt& stmt);

/// Every value that `stmt` and what is below it binds.
std::unordered_set<const ir::Var*> bound_in(const ir::Stmt& stmt);

/// True if `expr` reads one of `vars`.
bool reads(const ir::Expr& expr, const std::unordered_set<const ir::Var*>& vars);

/// `a and b and c` as a list, left to right.
std::vector<const ir::Expr*> conjuncts(const ir::Expr* cond);
/// The opposite of `conjuncts`; `true` for none.
const ir::Expr* conjunction(ir::Builder& builder, const std::vector<const ir::Expr*>& parts);

/// True if few items are likely to pass: an equality, or membership in a list. A label is no such equality: of the
/// items of a list some have it nearly always, and each would compute anew what costs as much as the list to walk.
bool is_selective(const ir::Expr* cond);

/// True if something in the block asks for the label of a vertex.
bool looks_at_labels(const ir::Block& block);

/// Statements below `stmt`, itself included.
int statement_count(const ir::Block& block);

}  // namespace matcha::passes
