#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// block: restricts each loop whose items' rows are read to one block of the vertices (loop tiling).
///
/// What. The module gets two int parameters for each such loop level, positions in the list of all vertices. A loop of
/// level k over a set walks only the items from the vertex at the first position up to, and without, that at the second
/// one. Yields outside the loops of a level happen only in the run of that level's first block. So the values of the
/// sinks, summed over all blocks of all levels, are those of the original module. The caller chooses the positions of
/// the outermost loop. With all vertices in one block, the module computes the same as before.
///
/// Why. A run then reads the rows of a few blocks, for every size of graph: those of the outermost loop's positions,
/// and one block for each level. All pairs of k blocks read the graph k times, in long pieces. Without blocks, loops in
/// the order of neighbours fetch single rows.
///
/// Before:  module loop "triangles" (%G: graph) {
///            collect %n: sum i128 {
///              for %u in vertices(%G) {
///                for %v in lower_neighbors(%G, %u) {
///                  yield %n, size(intersect(lower_neighbors(%G, %u), lower_neighbors(%G, %v)))
///                }
///              }
///            }
///            return %n
///          }
/// After:   module loop "triangles" (%G: graph, %first: i64, %end: i64) {
///            let %begin = at<0>(vertices(%G), %first)
///            …
///            collect %n: sum i128 {
///              for %u in vertices(%G) {
///                let %all = lower_neighbors(%G, %u)
///                for %v in span(%all, lower_bound(%all, %begin), …) { … }
///
/// Requires and ensures: stage loop; the first position of each block is that of a vertex. Gives up, and leaves the
/// module unchanged, unless the module is one collect with a loop over the vertices of its only graph and without list
/// sinks. Also gives up on: values that are used in computations inside a loop whose items' rows were read for them;
/// rows of vertices that are not items of a loop; loops over unordered lists. Loops below the option `levels` walk all
/// items; with `deeper=0` modules that read rows of their items are left unchanged too.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The vertex whose row a node reads; null: none. A degree is known without the row.
const Expr* row_read(const Expr& node) {
  switch (node.kind) {
    case Kind::Neighbors:
    case Kind::EdgeInfo:
    case Kind::HasEdge: return node.operands[1];
    default: return nullptr;
  }
}

/// Calls `visit` on every vertex whose row an expression reads.
void for_each_row(const Expr& e, const std::function<void(const Expr&)>& visit) {
  if (e.kind == Kind::Size && e.operands[0]->kind == Kind::Neighbors) return;
  for (const Expr* operand : e.operands) for_each_row(*operand, visit);
  if (const Expr* vertex = row_read(e)) visit(*vertex);
}

/// The loops of a region to be blocked; or that the region cannot be blocked.
class BlockedLoops {
 public:
  BlockedLoops(const Module& module, std::int64_t levels, bool deeper)
      : facts_(module), levels_(levels), deeper_(deeper) {
    for (const Stmt* stmt : module.body->body) {
      if (const Collect* collect = as<Collect>(stmt)) {
        if (collect_ != nullptr) return;
        collect_ = collect;
      } else if (stmt->kind != Kind::Let && stmt->kind != Kind::Return) {
        return;
      }
    }
    if (collect_ == nullptr || !has_form(module)) return;
    fits_ = true;
    for_each_stmt(*outer_->body, [this](const Stmt& stmt) { look_for_rows(stmt); });
    if (fits_) walk(*outer_->body, 0, false);
    fits_ = fits_ && deepest_ != 0;
  }

  bool fits() const { return fits_; }
  std::int64_t deepest() const { return deepest_; }
  const Collect& collect() const { return *collect_; }
  const Var* graph() const { return graph_; }
  /// The level of a loop, from 1; 0: not blocked.
  std::int64_t level(const For& loop) const {
    const auto found = loops_.find(&loop);
    return found == loops_.end() ? 0 : found->second;
  }
  bool is_sink(const Var* var) const {
    return std::ranges::any_of(collect_->sinks, [var](const Sink& sink) { return sink.var == var; });
  }

 private:
  bool has_form(const Module& module) {
    if (std::ranges::any_of(collect_->sinks, [](const Sink& sink) { return sink.kind == SinkKind::List; }))
      return false;
    outer_ = collect_->body->body.size() == 1 ? as<For>(collect_->body->body[0]) : nullptr;
    if (outer_ == nullptr || outer_->lists.size() != 1 || outer_->lists[0]->kind != Kind::Vertices) return false;
    graph_ = as<Var>(outer_->lists[0]->operands[0]);
    const auto graphs = std::ranges::count_if(module.params, [](const Var* param) { return param->type->is_graph(); });
    return graphs == 1 &&
           graph_ == *std::ranges::find_if(module.params, [](const Var* param) { return param->type->is_graph(); });
  }

  /// Records the vertices whose rows are read.
  void look_for_rows(const Stmt& stmt) {
    for_each_expr(stmt, [this](const Expr& e) {
      for_each_node(e, [this](const Expr& node) {
        fits_ = fits_ && node.kind != Kind::BitRows && node.kind != Kind::CommonNeighbors && node.kind != Kind::Edges;
      });
      for_each_row(e, [this](const Expr& vertex) {
        const Var* var = as<Var>(&vertex);
        if (var == nullptr) {
          fits_ = false;
        } else {
          read_.insert(var);
        }
      });
    });
    if (const For* loop = as<For>(&stmt)) items_.insert(loop->vars.begin(), loop->vars.end());
  }

  /// `inside`: in a collect inside the loop, whose values are used in computations.
  void walk(const Block& block, std::int64_t level, bool inside) {
    for (const Stmt* stmt : block.body) {
      if (const For* loop = as<For>(stmt)) {
        walk_loop(*loop, level, inside);
      } else if (const If* branch = as<If>(stmt)) {
        walk(*branch->then_body, level, inside);
        if (branch->maybe_else != nullptr) walk(*branch->maybe_else, level, inside);
      } else if (const Collect* collect = as<Collect>(stmt)) {
        walk(*collect->body, level, true);
      }
    }
    if (level != 0) return;
    // The caller chooses the positions of the outermost loop; all other vertices are items of loops.
    fits_ = fits_ && std::ranges::all_of(read_, [this](const Var* var) {
              return items_.contains(var) || std::ranges::count(outer_->vars, var) != 0;
            });
  }

  void walk_loop(const For& loop, std::int64_t level, bool inside) {
    const bool reads = std::ranges::any_of(loop.vars, [this](const Var* var) { return read_.contains(var); });
    if (reads && level >= levels_) fits_ = fits_ && deeper_;
    if (!reads || level >= levels_) return walk(*loop.body, level, inside);
    const ListFacts known = facts_.list(loop.lists[0]);
    fits_ = fits_ && !inside && known.ascending && loop.vars[0]->type->is_scalar(ScalarKind::Vid) &&
            std::ranges::none_of(loop.vars.subspan(1), [this](const Var* var) { return read_.contains(var); });
    loops_.emplace(&loop, level + 1);
    deepest_ = std::max(deepest_, level + 1);
    walk(*loop.body, level + 1, inside);
  }

  Facts facts_;
  const std::int64_t levels_;
  const bool deeper_;  ///< Loops inside these levels may read rows.
  const Collect* collect_ = nullptr;
  const For* outer_ = nullptr;
  const Var* graph_ = nullptr;
  bool fits_ = false;
  std::int64_t deepest_ = 0;
  std::unordered_set<const Var*> read_;   ///< Vertices whose rows are read.
  std::unordered_set<const Var*> items_;  ///< Of all loops.
  std::unordered_map<const For*, std::int64_t> loops_;
};

/// A block of a level, as values of the module.
struct BlockOfLevel {
  const Expr* is_first;  ///< True if it begins with the first vertex.
  const Expr* is_last;   ///< True if no vertex is behind it.
  const Expr* begin;     ///< Its first vertex.
  const Expr* end;       ///< The vertex behind its last; arbitrary if there is none.
};

class Blocker final : public Rewriter {
 public:
  Blocker(PassContext& context, const BlockedLoops& loops)
      : Rewriter(context.context), context_(context), loops_(loops) {}

  Module block_module(const Module& module) {
    Builder& b = builder();
    b.set_loc(loops_.collect().loc);
    params_.assign(module.params.begin(), module.params.end());
    const Expr* const all = b.make(Kind::Vertices, {loops_.graph()});
    for (std::int64_t level = 1; level <= loops_.deepest(); ++level) {
      const Var* const first = b.var(b.context().i64(), "first");
      const Var* const end = b.var(b.context().i64(), "end");
      params_.insert(params_.end(), {first, end});
      BlockOfLevel block{};
      block.is_first = name(b.make(Kind::Le, {first, b.integer(0)}), "is_first");
      block.is_last = name(b.make(Kind::Le, {b.make(Kind::Size, {all}), end}), "is_last");
      block.begin = name(b.at(all, first, 0), "begin");
      block.end = name(b.at(all, b.make(Kind::Select, {block.is_last, first, end}), 0), "behind");
      blocks_.push_back(block);
    }
    Module result = run(module);
    result.params = b.module(module.stage, module.name, params_, result.body).params;
    context_.count("levels", loops_.deepest());
    return result;
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    if (stmt == &loops_.collect()) out.insert(out.end(), lets_.begin(), lets_.end());
    const For* loop = as<For>(stmt);
    const std::int64_t level = loop != nullptr ? loops_.level(*loop) : 0;
    if (const Yield* yield = as<Yield>(stmt); yield != nullptr && loops_.is_sink(yield->sink)) {
      yield_once(*yield, out);
    } else if (level == 0) {
      out.push_back(rebuild(stmt));
    } else {
      walk_block(*loop, level, out);
    }
  }

 private:
  const Expr* name(const Expr* value, std::string_view hint) {
    const Var* const var = builder().var(value->type, hint);
    lets_.push_back(builder().let(var, value));
    return var;
  }

  /// Outside the loops of a level, values are yielded for the first block only.
  void yield_once(const Yield& yield, Stmts& out) {
    const Stmt* rebuilt = rebuild(&yield);
    Builder& b = builder();
    for (std::int64_t level = loops_.deepest(); level > level_; --level) {
      b.set_loc(yield.loc);
      rebuilt = b.branch(blocks_[static_cast<std::size_t>(level - 1)].is_first, b.block({&rebuilt, 1}));
    }
    out.push_back(rebuilt);
  }

  void walk_block(const For& loop, std::int64_t level, Stmts& out) {
    Builder& b = builder();
    const BlockOfLevel& block_of = blocks_[static_cast<std::size_t>(level - 1)];
    const auto bind = [&](const Expr* value, std::string_view hint) -> const Expr* {
      b.set_loc(loop.loc);
      const Var* const var = b.var(value->type, hint);
      out.push_back(b.let(var, value));
      return var;
    };
    std::vector<const Expr*> lists;
    for (const Expr* list : loop.lists) lists.push_back(bind(expr(list), "all"));
    const Expr* const begin = bind(b.make(Kind::LowerBound, {lists[0], block_of.begin}), "from");
    const Expr* const behind = b.make(Kind::LowerBound, {lists[0], block_of.end});
    const Expr* const end =
        bind(b.make(Kind::Select, {block_of.is_last, b.make(Kind::Size, {lists[0]}), behind}), "to");
    for (const Expr*& list : lists) list = b.make(Kind::Span, {list, begin, end});
    const std::int64_t around = level_;
    level_ = level;
    const Var* index = loop.maybe_index;
    Stmts body;
    if (index != nullptr) {
      index = b.var(b.context().i64(), "i");
      body.push_back(b.let(loop.maybe_index, b.make(Kind::Add, {index, begin})));
    }
    const Block* const inner = block(loop.body);
    body.insert(body.end(), inner->body.begin(), inner->body.end());
    level_ = around;
    b.set_loc(loop.loc);
    out.push_back(b.loop(loop.vars, lists, index, b.block(body)));
    context_.count("loops");
  }

  PassContext& context_;
  const BlockedLoops& loops_;
  std::vector<const Var*> params_;
  std::vector<BlockOfLevel> blocks_;
  Stmts lets_;
  std::int64_t level_ = 0;  ///< Blocked loops around the current statement.
};

}  // namespace

Module block_vertices(const Module& module, PassContext& context) {
  const BlockedLoops loops(module, context.option("levels"), context.option("deeper") != 0);
  return loops.fits() ? Blocker(context, loops).block_module(module) : module;
}

}  // namespace matcha::passes
