#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/fuse_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The planned changes of the module's collects.
struct Plan {
  std::unordered_map<const Var*, const Collect*> walked;  ///< Lists to be made inside the loop that walks them.
  std::unordered_map<const Var*, const Collect*> added;   ///< Sums, any and all that are only yielded to another sink.
  std::unordered_map<const Var*, const Var*> counted;     ///< Lists replaced by a sum of 1, with that sum.
  bool empty() const { return walked.empty() && added.empty() && counted.empty(); }
};

class ProducerPlanner {
 public:
  ProducerPlanner(const Module& module, PassContext& context)
      : module_(module), facts_(module), uses_(module), context_(context), builder_(context.context) {}

  Plan run() {
    for_each_stmt(*module_.body, [&](const Stmt& stmt) {
      if (const Collect* collect = as<Collect>(&stmt)) counted(*collect);
    });
    // Collects that move below a condition are planned last, when it is known which others move into them.
    for (bool conditional : {false, true}) {
      for_each_stmt(*module_.body, [&](const Stmt& stmt) {
        if (const Collect* collect = as<Collect>(&stmt)) moved(*collect, conditional);
      });
    }
    return std::move(plan_);
  }

 private:
  void counted(const Collect& collect) {
    for (const Sink& sink : collect.sinks) {
      const Use& use = uses_.of(sink.var);
      if (sink.kind != SinkKind::List || use.count == 0 || use.size_count != use.count) continue;
      bool traps = false;
      for_each_stmt(*collect.body, [&](const Stmt& stmt) {
        const Yield* yield = as<Yield>(&stmt);
        if (yield == nullptr || yield->sink != sink.var) return;
        for (const Expr* value : yield->values) traps = traps || facts_.may_trap(value);
      });
      if (traps) continue;
      builder_.set_loc(sink.var->loc);
      plan_.counted[sink.var] = builder_.var(builder_.context().i64(), std::string(sink.var->hint) + "_size");
      context_.count("sizes");
    }
  }

  void moved(const Collect& collect, bool conditional) {
    if (collect.sinks.size() != 1) return;
    const Sink& sink = collect.sinks[0];
    const Use& use = uses_.of(sink.var);
    if (plan_.counted.contains(sink.var) || use.count != 1 || use.crosses_loop || use.conditional != conditional)
      return;
    if (conditional && (may_trap(facts_, collect) || receives(collect))) return;
    if (sink.kind == SinkKind::List) {
      bool plain = use.walker != nullptr && use.walker->maybe_index == nullptr;
      if (!plain || (yields(collect, sink.var) > 1 && statement_count(*use.walker->body) > context_.option("copies")))
        return;
      if (is_searched_repeatedly(collect)) return;
      plan_.walked[sink.var] = &collect;
      context_.count("lists walked");
    } else if (use.yielder != nullptr && adds_up(sink, *uses_.sink(use.yielder->sink))) {
      plan_.added[sink.var] = &collect;
      context_.count("sums of sums");
    }
  }

  /// True if a list that does not depend on the surrounding loop is searched for a label. Walked in place it would be
  /// searched in each iteration; `hoist` moves it in front of the loop.
  bool is_searched_repeatedly(const Collect& collect) const {
    if (!reads_some_label(*collect.body) || may_trap(facts_, collect)) return false;
    int depth = 0;
    const std::unordered_set<const Var*> own = bound_in(collect);
    for_each_stmt(*collect.body, [&](const Stmt& stmt) {
      for_each_expr(stmt, [&](const Expr& e) {
        for_each_node(e, [&](const Expr& node) {
          const Var* var = as<Var>(&node);
          if (var != nullptr && !own.contains(var)) depth = std::max(depth, uses_.depth(*var));
        });
      });
    });
    return depth < uses_.depth(*collect.sinks[0].var);
  }

  /// True if the reader of another moving collect is inside `collect`.
  bool receives(const Collect& collect) const {
    bool found = false;
    for_each_stmt(*collect.body, [&](const Stmt& stmt) {
      const For* loop = as<For>(&stmt);
      const Yield* yield = as<Yield>(&stmt);
      const Var* list = loop != nullptr && loop->lists.size() == 1 ? as<Var>(loop->lists[0]) : nullptr;
      const Var* value = yield != nullptr && yield->values.size() == 1 ? as<Var>(yield->values[0]) : nullptr;
      found = found || (list != nullptr && plan_.walked.contains(list)) ||
              (value != nullptr && plan_.added.contains(value));
    });
    return found;
  }

  static int yields(const Collect& collect, const Var* sink) {
    int count = 0;
    for_each_stmt(*collect.body, [&](const Stmt& stmt) {
      const Yield* yield = as<Yield>(&stmt);
      count += yield != nullptr && yield->sink == sink;
    });
    return count;
  }

  static bool adds_up(const Sink& part, const Sink& whole) {
    if (part.kind != whole.kind) return false;
    if (part.kind == SinkKind::Any || part.kind == SinkKind::All) return true;
    return part.kind == SinkKind::Sum && part.var->type->is_scalar(ScalarKind::I64);
  }

  const Module& module_;
  Facts facts_;
  Uses uses_;
  PassContext& context_;
  Builder builder_;
  Plan plan_;
};

class Fuser final : public Rewriter {
 public:
  Fuser(const Module& module, PassContext& context, Plan plan)
      : Rewriter(context.context), facts_(module), plan_(std::move(plan)) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    const Var* list = e->kind == Kind::Size ? as<Var>(e->operands[0]) : nullptr;
    const auto found = list != nullptr ? plan_.counted.find(list) : plan_.counted.end();
    return found != plan_.counted.end() ? found->second : e;
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    match(
        *stmt, [&](const Collect& s) { collect(s, out); }, [&](const For& s) { loop(s, out); },
        [&](const Yield& s) { yield(s, out); }, [&](const Stmt& s) { out.push_back(rebuild(&s)); });
  }

 private:
  void all(const Block& block, Stmts& out) {
    for (const Stmt* stmt : block.body) on_stmt(stmt, out);
  }

  void collect(const Collect& s, Stmts& out) {
    const Var* first = s.sinks[0].var;
    if (plan_.walked.contains(first) || plan_.added.contains(first)) return;
    std::vector<Sink> sinks(s.sinks.begin(), s.sinks.end());
    bool changed = false;
    for (Sink& sink : sinks) {
      const auto found = plan_.counted.find(sink.var);
      if (found == plan_.counted.end()) continue;
      sink = {found->second, SinkKind::Sum, nullptr};
      changed = true;
    }
    const Stmt* rebuilt = rebuild(&s);
    builder().set_loc(s.loc);
    out.push_back(changed ? builder().collect(sinks, static_cast<const Collect*>(rebuilt)->body) : rebuilt);
  }

  void loop(const For& s, Stmts& out) {
    const Var* list = s.lists.size() == 1 ? as<Var>(s.lists[0]) : nullptr;
    const auto found = list != nullptr ? plan_.walked.find(list) : plan_.walked.end();
    if (found == plan_.walked.end()) {
      out.push_back(rebuild(&s));
      return;
    }
    walkers_[list] = {&s, false};
    all(*found->second->body, out);
  }

  void yield(const Yield& s, Stmts& out) {
    if (const auto walker = walkers_.find(s.sink); walker != walkers_.end())
      return inline_walker(s, walker->second, out);
    const Var* value = s.values.size() == 1 ? as<Var>(s.values[0]) : nullptr;
    const auto added = value != nullptr ? plan_.added.find(value) : plan_.added.end();
    if (added != plan_.added.end()) {
      const auto outer = targets_.find(s.sink);
      targets_[value] = outer != targets_.end() ? outer->second : s.sink;
      return all(*added->second->body, out);
    }
    const Yield* rebuilt = static_cast<const Yield*>(rebuild(&s));
    builder().set_loc(s.loc);
    if (const auto counted = plan_.counted.find(s.sink); counted != plan_.counted.end()) {
      const Expr* one = builder().integer(1);
      rebuilt = builder().yield(counted->second, {&one, 1});
    } else if (const auto target = targets_.find(s.sink); target != targets_.end()) {
      rebuilt = builder().yield(target->second, rebuilt->values);
    }
    out.push_back(rebuilt);
  }

  struct Walker {
    const For* loop;
    bool used;  ///< Its body was placed already; further places get copies.
  };

  /// Puts the body of the loop that walked the list in place of a yield into the list.
  void inline_walker(const Yield& s, Walker& walker, Stmts& out) {
    const For& loop = *walker.loop;
    std::vector<const Expr*> items;
    for (const Expr* value : s.values) items.push_back(expr(value));
    builder().set_loc(s.loc);
    if (!std::exchange(walker.used, true)) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_harmless(*items[i])) {
          substitute(loop.vars[i], items[i]);
        } else {
          out.push_back(builder().let(loop.vars[i], items[i]));
        }
      }
      return all(*loop.body, out);
    }
    std::vector<const Expr*> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Var* name = builder().var(items[i]->type, loop.vars[i]->hint);
      out.push_back(builder().let(name, items[i]));
      names.push_back(name);
    }
    all(*copy_with_new_vars(builder().context(), *loop.body, loop.vars, names), out);
  }

  /// A constant, or a variable that cannot trap when it is read; the minimum of a list can.
  bool is_harmless(const Expr& item) const {
    const Var* var = as<Var>(&item);
    bool known = var == nullptr || facts_.top_level(var) || facts_.definition(var) != nullptr;
    return item.operands.empty() && known && !facts_.may_trap(&item);
  }

  Facts facts_;
  Plan plan_;
  std::unordered_map<const Var*, Walker> walkers_;
  std::unordered_map<const Var*, const Var*> targets_;  ///< The replacement of a sink that moved.
};

}  // namespace

Module fuse_producers(const Module& module, PassContext& context) {
  Plan plan = ProducerPlanner(module, context).run();
  return plan.empty() ? module : Fuser(module, context, std::move(plan)).run(module);
}

}  // namespace matcha::passes
