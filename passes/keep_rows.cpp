#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// keep-rows: copies rows of neighbours that are read repeatedly into memory of the worker.
///
/// What. Applies to a list that is a row of neighbours, or a part of one. It is stored instead of bound if it is read
/// in loops below its binding, or if rows of bits are made of it; all these reads use the copy. A row without a name
/// that is read in loops below that of its vertex is stored before its first reader. Reads of the length do not read
/// the row.
///
/// Why. Rows may be in host memory, which a device reads through the bus. Reading each of them once is fast enough;
/// searching one list for each item of another is not.
///
/// Before:  let %near = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
/// After:   store %near in %near_buffer = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
///
/// Requires and ensures: stage kernel. Gives up on: rows without a bound of their length, and modules that walk blocks
/// of vertices (passes/block.cpp), whose rows are already resident.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class RowKeeper final : public Rewriter {
 public:
  RowKeeper(const Module& module, PassContext& context)
      : Rewriter(context.context),
        facts_(module),
        context_(context),
        marker_(builder().var(context.context.i64(), "marker")) {
    if (walks_blocks(module)) return;
    for (const Stmt* stmt : module.body->body) {
      if (const Region* region = as<Region>(stmt)) look(*region->collect->body, 0);
    }
    for (const auto& [row, loop] : rows_) {
      const Stmt* const first = first_reader(*loop->body, *row);
      if (first != nullptr) before_[first].push_back(row);
    }
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    if (const auto found = before_.find(stmt); found != before_.end()) {
      for (const Expr* row : found->second) store(*row, out);
    }
    if (const Region* region = as<Region>(stmt)) {
      keep(*region, out);
    } else if (const If* branch = as<If>(stmt)) {
      const Expr* const cond = expr(branch->cond);
      const Block* const then_body = scope(branch->then_body);
      const Block* const else_body = branch->maybe_else != nullptr ? scope(branch->maybe_else) : nullptr;
      builder().set_loc(stmt->loc);
      const bool same = cond == branch->cond && then_body == branch->then_body && else_body == branch->maybe_else;
      out.push_back(same ? stmt : builder().branch(cond, then_body, else_body));
    } else if (const Let* let = as<Let>(stmt); let != nullptr && depth_ > 0 && is_wanted(*let)) {
      store(*let, out);
    } else {
      const int inside = stmt->kind == Kind::For ? 1 : 0;
      depth_ += inside;
      out.push_back(rebuild(stmt));
      depth_ -= inside;
    }
  }

  const Expr* on_expr(const Expr* e) override {
    const auto found = copies_.find(e);
    return found != copies_.end() ? found->second : e;
  }

 private:
  /// True if some loop walks the items from a vertex on that is at a position in the list of all vertices.
  bool walks_blocks(const Module& module) const {
    bool found = false;
    for_each_stmt(*module.body, [&](const Stmt& stmt) {
      const For* const loop = as<For>(&stmt);
      const Expr* const list = loop != nullptr ? resolve(facts_, loop->lists[0]) : nullptr;
      const Expr* const from =
          list != nullptr && list->kind == Kind::Span ? resolve(facts_, list->operands[1]) : nullptr;
      if (from == nullptr || from->kind != Kind::LowerBound) return;
      const Expr* const begin = resolve(facts_, from->operands[1]);
      found = found || (begin->kind == Kind::At && begin->operands[0]->kind == Kind::Vertices);
    });
    return found;
  }

  /// Values stored in a block are unknown behind it.
  const Block* scope(const Block* body) {
    const std::unordered_map<const Expr*, const Var*> around = copies_;
    const Block* const rebuilt = block(body);
    if (copies_.size() != around.size()) {
      copies_ = around;
      forget();
    }
    return rebuilt;
  }
  /// Clears the cache of rewritten expressions.
  void forget() { substitute(marker_, marker_); }

  /// Finds the lists that are read in loops below those they are bound in, or whose items get rows of bits. `loops`:
  /// around the block.
  void look(const Block& block, int loops) {
    for (const Stmt* stmt : block.body) {
      match(
          *stmt,
          [&](const For& s) {
            for (const Expr* list : s.lists) look(*list, loops, false);
            for (const Var* var : s.vars) items_[var] = {&s, loops + 1};
            look(*s.body, loops + 1);
          },
          [&](const Block& s) { look(s, loops); },
          [&](const If& s) {
            look(*s.cond, loops, false);
            look(*s.then_body, loops);
            if (s.maybe_else != nullptr) look(*s.maybe_else, loops);
          },
          [&](const Collect& s) { look(*s.body, loops); },
          [&](const Let& s) {
            bound_at_[s.var] = loops;
            if (!is_slice(s.value->kind)) look(*s.value, loops, false);
          },
          [&](const Store& s) { look(*s.value, loops, false); },
          [&](const Yield& s) {
            for (const Expr* value : s.values) look(*value, loops, false);
          },
          [](const OneOf<BuildGraph, Repeat, Again, Return, Region> auto&) {});
    }
  }

  /// `again`: the surrounding expression reads it repeatedly.
  void look(const Expr& e, int loops, bool again) {
    if (is_length(e)) return;
    if (const Item* item = item_of(e); item != nullptr && (again || loops > item->loops)) {
      if (std::ranges::find(rows_, &e, &Row::first) == rows_.end()) rows_.emplace_back(&e, item->loop);
    }
    if (const Var* var = as<Var>(&e); var != nullptr && var->type->is_list()) {
      const auto bound = bound_at_.find(var);
      if (bound != bound_at_.end() && (again || loops > bound->second)) read_repeatedly_.insert(var);
    }
    for (const Expr* operand : e.operands) look(*operand, loops, again || e.kind == Kind::BitRows);
  }

  static bool is_length(const Expr& e) {
    return e.kind == Kind::Size && (e.operands[0]->kind == Kind::Var || e.operands[0]->kind == Kind::Neighbors);
  }

  /// The item of a loop, and the number of loops around that.
  struct Item {
    const For* loop = nullptr;
    int loops = 0;
  };
  /// The loop item whose neighbours a list is; null for other lists.
  const Item* item_of(const Expr& e) const {
    const Var* const var = e.kind == Kind::Neighbors ? as<Var>(e.operands[1]) : nullptr;
    const auto found = var != nullptr ? items_.find(var) : items_.end();
    return found != items_.end() ? &found->second : nullptr;
  }

  static bool reads(const Expr& e, const Expr& row) {
    if (&e == &row) return true;
    if (is_length(e)) return false;
    return std::ranges::any_of(e.operands, [&](const Expr* operand) { return reads(*operand, row); });
  }
  static bool reads(const Block& block, const Expr& row) {
    return std::ranges::any_of(block.body, [&](const Stmt* stmt) { return reads(*stmt, row); });
  }
  static bool reads(const Stmt& stmt, const Expr& row) {
    bool found = false;
    const auto look_at = [&](const Stmt& one) {
      for_each_expr(one, [&](const Expr& e) { found = found || reads(e, row); });
    };
    look_at(stmt);
    for_each_stmt_of(stmt, look_at);
    return found;
  }

  /// The statement before which a row is stored: all its readers are in that block, from the statement on. A branch is
  /// preferred if only it reads the row. Null: a condition reads it, once.
  const Stmt* first_reader(const Block& block, const Expr& row) const {
    const auto first = std::ranges::find_if(block.body, [&](const Stmt* stmt) { return reads(*stmt, row); });
    if (first == block.body.end()) return nullptr;
    const bool is_only = std::none_of(first + 1, block.body.end(), [&](const Stmt* stmt) { return reads(*stmt, row); });
    const If* const branch = as<If>(*first);
    if (branch == nullptr || !is_only || reads(*branch->cond, row)) return *first;
    const bool in_then = reads(*branch->then_body, row);
    const bool in_else = branch->maybe_else != nullptr && reads(*branch->maybe_else, row);
    if (in_then == in_else) return *first;
    return first_reader(in_then ? *branch->then_body : *branch->maybe_else, row);
  }

  /// The neighbours that a list is a part of, unless it is a part of a stored list.
  const Expr* row_of(const Expr* list) const {
    for (;;) {
      if (is_slice(list->kind)) {
        list = list->operands[0];
      } else if (const Var* var = as<Var>(list); var != nullptr && !kept_.contains(var)) {
        const Stmt* const stmt = facts_.definition(var);
        const Let* const let = stmt != nullptr ? as<Let>(stmt) : nullptr;
        if (let == nullptr) return nullptr;
        list = let->value;
      } else {
        return list->kind == Kind::Neighbors ? list : nullptr;
      }
    }
  }

  bool is_wanted(const Let& let) const {
    return let.var->type->is_flat_list() && read_repeatedly_.contains(let.var) && row_of(let.value) != nullptr;
  }

  void store(const Let& let, Stmts& out) {
    Builder& b = builder();
    b.set_loc(let.loc);
    const Expr* const capacity = facts_.bound(b, let.var);
    if (capacity == nullptr) {
      out.push_back(rebuild(&let));
      return;
    }
    const Var* const buffer = b.var(let.var->type, fmt::format("{}_buffer", let.var->hint));
    added_.push_back(Buffer{buffer, capacity});
    kept_.insert(let.var);
    out.push_back(b.store(let.var, buffer, expr(let.value)));
    context_.count("rows");
  }

  /// Stores the row under a name.
  void store(const Expr& row, Stmts& out) {
    Builder& b = builder();
    b.set_loc(row.loc);
    const Expr* const capacity = facts_.bound(b, &row);
    if (capacity == nullptr) return;
    const Var* const near = b.var(row.type, "near");
    const Var* const buffer = b.var(row.type, "near_buffer");
    added_.push_back(Buffer{buffer, capacity});
    out.push_back(b.store(near, buffer, &row));
    copies_[&row] = near;
    forget();
    context_.count("rows");
  }

  void keep(const Region& region, Stmts& out) {
    added_.clear();
    const Region* const rebuilt = as<Region>(rebuild(&region));
    if (added_.empty()) {
      out.push_back(rebuilt);
      return;
    }
    std::vector<Buffer> buffers(rebuilt->buffers.begin(), rebuilt->buffers.end());
    buffers.insert(buffers.end(), added_.begin(), added_.end());
    builder().set_loc(region.loc);
    out.push_back(builder().region(rebuilt->schedule, buffers, rebuilt->collect));
  }

  Facts facts_;
  PassContext& context_;
  const Var* const marker_;
  std::unordered_map<const Var*, Item> items_;
  using Row = std::pair<const Expr*, const For*>;
  std::vector<Row> rows_;  ///< Rows of loop items that are read repeatedly and have no name.
  std::unordered_map<const Stmt*, std::vector<const Expr*>> before_;  ///< Rows to be stored before a statement.
  std::unordered_map<const Expr*, const Var*> copies_;                ///< The copies stored around the current place.
  std::unordered_map<const Var*, int> bound_at_;                      ///< Number of loops around each variable.
  std::unordered_set<const Var*> read_repeatedly_;
  std::unordered_set<const Var*> kept_;
  std::vector<Buffer> added_;  ///< Buffers added to the current region.
  int depth_ = 0;              ///< Loops around the current statement.
};

}  // namespace

Module keep_rows(const Module& module, PassContext& context) { return RowKeeper(module, context).run(module); }

}  // namespace matcha::passes
