#include "session/loop_counts.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::session {

namespace {

/// More sums than this take longer to compile than anyone waits for the figures.
constexpr std::size_t kMostCounters = 400;

/// The last of the conditions that a loop body begins with; null if there is none. Values before them cost nothing.
const ir::If* last_condition(const ir::Block& body) {
  const ir::If* found = nullptr;
  const ir::Block* block = &body;
  for (bool more = true; more;) {
    more = false;
    for (const ir::Stmt* stmt : block->body) {
      if (stmt->kind == ir::Kind::Let) continue;
      const ir::If* condition = ir::as<ir::If>(stmt);
      more = condition != nullptr && condition->maybe_else == nullptr && stmt == block->body.back();
      if (more) found = condition;
      break;
    }
    if (more) block = found->then_body;
  }
  return found;
}

}  // namespace

class CountingRewriter final : public ir::Rewriter {
 public:
  using Figure = LoopCounts::Figure;

  CountingRewriter(const ir::Module& module, ir::Context& context, std::vector<LoopCounts::Counter>& counters,
                   std::int64_t sample)
      : Rewriter(context), context_(context), counters_(counters), sample_(sample) {
    find_read(module);
    ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
      const ir::Collect* collect = ir::as<ir::Collect>(&stmt);
      for (std::size_t i = 0; collect != nullptr && i < collect->sinks.size(); ++i) {
        if (collect->sinks[i].kind == ir::SinkKind::Sum) sums_.insert(collect->sinks[i].var);
      }
    });
    std::unordered_map<const ir::Var*, int> uses = ir::count_uses(*module.body);
    const ir::Return* last = module.body->body.empty() ? nullptr : ir::as<ir::Return>(module.body->body.back());
    if (last == nullptr) return;
    for (const ir::Expr* value : last->values) {
      const ir::Var* var = ir::as<ir::Var>(value);
      if (var != nullptr && var->type->is_list() && uses[var] == 1) dropped_.insert(var);
    }
  }

 protected:
  void on_stmt(const ir::Stmt* stmt, ir::Stmts& out) override {
    ir::match(
        *stmt, [&](const ir::Region& s) { region(s, out); }, [&](const ir::For& s) { loop(s, out); },
        [&](const ir::If& s) { branch(s, out); },
        [&](const ir::Store& s) {
          out.push_back(&s);
          count(s, Figure::Times, builder().integer(1), out);
          if (s.var->type->is_list()) count(s, Figure::Items, builder().make(ir::Kind::Size, {s.var}), out);
        },
        [&](const ir::Yield& s) { yield(s, out); },
        [&](const ir::Return&) {
          std::vector<const ir::Expr*> sums;
          for (const LoopCounts::Counter& counter : counters_) sums.push_back(counter.sink);
          out.push_back(builder().ret(sums));
        },
        [&](const ir::Stmt& s) { out.push_back(rebuild(&s)); });
  }

 private:
  /// Finds the values that steps after `return` read.
  void find_read(const ir::Module& module) {
    for (const ir::Stmt* step : module.body->body) {
      if (step->kind == ir::Kind::Return) continue;
      const auto note = [&](const ir::Stmt& stmt) {
        ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
          ir::for_each_node(expr, [&](const ir::Expr& node) {
            if (const ir::Var* var = ir::as<ir::Var>(&node)) read_.insert(var);
          });
        });
      };
      if (const ir::Let* let = ir::as<ir::Let>(step); let == nullptr || let->value->type->is_list()) {
        ir::for_each_stmt(*builder().block(std::array{step}), note);
      }
    }
  }

  void region(const ir::Region& s, ir::Stmts& out) {
    const std::size_t before = counters_.size();
    times_ = s.schedule.parallel ? sample_ : 1;
    for (const ir::Sink& sink : s.collect->sinks) {
      if (read_.contains(sink.var)) times_ = 1;
    }
    // A parallel region is one loop, which is entered once.
    outermost_ = s.schedule.parallel ? s.collect->body->body[0] : nullptr;
    in_region_ = true;
    const ir::Block* body = block(s.collect->body);
    in_region_ = false;
    std::vector<ir::Sink> sinks;
    for (const ir::Sink& sink : s.collect->sinks) {
      if (!dropped_.contains(sink.var)) sinks.push_back(sink);
    }
    for (std::size_t i = before; i < counters_.size(); ++i) {
      sinks.push_back({counters_[i].sink, ir::SinkKind::Sum, nullptr});
    }
    builder().set_loc(s.loc);
    out.push_back(builder().region(s.schedule, s.buffers, builder().collect(sinks, body)));
  }

  void loop(const ir::For& s, ir::Stmts& out) {
    if (!in_region_) return out.push_back(&s);
    if (&s != outermost_) count(s, Figure::Times, builder().integer(1), out);
    if (const ir::If* condition = last_condition(*s.body)) kept_of_.emplace(condition, &s);
    ir::Stmts body;
    count(s, Figure::Items, builder().integer(1), body);
    append(block(s.body), body);
    builder().set_loc(s.loc);
    const ir::Var* index = s.maybe_index;
    if (&s == outermost_ && times_ > 1) {
      if (index == nullptr) index = builder().var(context_.i64(), "i");
      const ir::Expr* rest = builder().make(ir::Kind::Mod, {index, builder().integer(times_)});
      const ir::Expr* chosen = builder().make(ir::Kind::Eq, {rest, builder().integer(times_ / 2)});
      body = {builder().branch(chosen, builder().block(body))};
    }
    out.push_back(builder().loop(s.vars, s.lists, index, builder().block(body), s.mode));
  }

  void branch(const ir::If& s, ir::Stmts& out) {
    ir::Stmts then_body;
    if (const auto kept = kept_of_.find(&s); kept != kept_of_.end()) {
      count(*kept->second, Figure::Kept, builder().integer(1), then_body);
    }
    append(block(s.then_body), then_body);
    const ir::Block* maybe_else = s.maybe_else != nullptr ? block(s.maybe_else) : nullptr;
    builder().set_loc(s.loc);
    out.push_back(builder().branch(s.cond, builder().block(then_body), maybe_else));
  }

  void yield(const ir::Yield& s, ir::Stmts& out) {
    count(s, Figure::Times, builder().integer(1), out);
    const ir::Expr* value = s.values[0];
    if (in_region_ && sums_.contains(s.sink) && value->type->is_scalar(ir::ScalarKind::I64)) {
      const ir::Var* named = builder().var(value->type, "value");
      out.push_back(builder().let(named, value));
      count(s, Figure::Items, named, out);
      value = named;
    }
    builder().set_loc(s.loc);
    if (dropped_.contains(s.sink)) return;
    out.push_back(value == s.values[0] ? &s : builder().yield(s.sink, std::array{value}));
  }

  /// Adds `value` to a sum for this figure of `stmt`.
  void count(const ir::Stmt& stmt, Figure figure, const ir::Expr* value, ir::Stmts& out) {
    if (!in_region_ || counters_.size() >= kMostCounters) return;
    builder().set_loc(stmt.loc);
    const ir::Var* sink = builder().var(context_.i128(), "count");
    counters_.push_back({sink, &stmt, figure, times_});
    out.push_back(builder().yield(sink, std::array{value}));
  }

  static void append(const ir::Block* block, ir::Stmts& out) {
    out.insert(out.end(), block->body.begin(), block->body.end());
  }

  ir::Context& context_;
  std::vector<LoopCounts::Counter>& counters_;
  std::unordered_set<const ir::Var*> sums_;
  std::unordered_set<const ir::Var*> dropped_;  ///< Lists that are only returned.
  std::unordered_map<const ir::If*, const ir::For*> kept_of_;
  std::unordered_set<const ir::Var*> read_;  ///< By steps that are no `return` and no scalar.
  const std::int64_t sample_;
  std::int64_t times_ = 1;  ///< `sample_` in a region that is sampled.
  const ir::Stmt* outermost_ = nullptr;
  bool in_region_ = false;
};

LoopCounts::LoopCounts(const ir::Module& module, ir::Context& context, std::int64_t sample) : counting_(module) {
  if (module.stage != ir::Stage::Kernel) return;
  counting_ = CountingRewriter(module, context, counters_, sample).run(module);
  if (counters_.size() >= kMostCounters) counters_.clear();
}

void LoopCounts::fill(const codegen::RunResult& result, std::vector<Step>& steps) const {
  std::map<std::pair<const ir::Stmt*, Figure>, __int128> found;
  for (std::size_t i = 0; i < counters_.size() && i < result.values.size(); ++i) {
    found[{counters_[i].stmt, counters_[i].figure}] += counters_[i].times * std::get<__int128>(result.values[i]);
  }
  const auto enter = [&](const auto& self, std::vector<Step>& some) -> void {
    for (Step& step : some) {
      const auto figure = [&](Figure which, __int128 otherwise) {
        const auto at = found.find({step.stmt, which});
        return at == found.end() ? otherwise : at->second;
      };
      const bool counted = step.kind == StepKind::Loop || step.kind == StepKind::Set || step.kind == StepKind::Give;
      const auto first = found.lower_bound({step.stmt, Figure::Times});
      if (counted && first != found.end() && first->first.first == step.stmt) {
        StepCount count;
        // The loop of a parallel region is entered once.
        count.times = figure(Figure::Times, 1);
        count.items = figure(Figure::Items, count.times);
        count.kept = figure(Figure::Kept, count.items);
        step.actual = count;
      }
      self(self, step.steps);
    }
  };
  enter(enter, steps);
}

}  // namespace matcha::session
