#include "passes/demand.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Least sizes of lists and least values of positions, in the order in which they were found.
using Needs = std::vector<std::pair<const Expr*, std::int64_t>>;

std::int64_t* find(Needs& needs, const Expr* key) {
  for (auto& [known, least] : needs) {
    if (known == key) return &least;
  }
  return nullptr;
}

/// Both.
void join(Needs& needs, const Expr* key, std::int64_t least) {
  if (std::int64_t* known = find(needs, key)) {
    *known = std::max(*known, least);
  } else {
    needs.emplace_back(key, least);
  }
}

void join(Needs& needs, const Needs& more) {
  for (const auto& [key, least] : more) join(needs, key, least);
}

/// What is needed for one or the other; nothing stands for what never has an effect.
using MaybeNeeds = std::optional<Needs>;

void meet(MaybeNeeds& needs, MaybeNeeds other) {
  if (!other) return;
  if (!needs) {
    needs = std::move(other);
    return;
  }
  Needs both;
  for (const auto& [key, least] : *needs) {
    if (const std::int64_t* known = find(*other, key)) both.emplace_back(key, std::min(least, *known));
  }
  needs = std::move(both);
}

class Demander final : public Rewriter {
 public:
  Demander(const Module& module, PassContext& context) : Rewriter(context.context), facts_(module), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    const MaybeNeeds needs = loop != nullptr && loop->lists.size() == 1 ? body_needs(*loop) : Needs{};
    if (!needs || needs->empty() || may_trap(facts_, *loop)) {
      out.push_back(rebuild(stmt));
      return;
    }
    const Expr* list = expr(loop->lists[0]);
    const std::int64_t least = walked_need(*loop, *needs);
    const bool asked = is_asked(list, least);
    const For* made = guarded_body(*loop, *needs);
    Builder& b = builder();
    b.set_loc(loop->loc);
    if (least < 2 || asked || !is_measured(*list)) {
      out.push_back(made);
      return;
    }
    context_.count("loops");
    const Stmt* inner = made;
    out.push_back(b.branch(at_least(b.make(Kind::Size, {list}), least), b.block({&inner, 1})));
  }

 private:
  // Conditions

  const Expr* at_least(const Expr* value, std::int64_t least) {
    return builder().make(Kind::Le, {builder().integer(least), value});
  }

  /// True for a list whose size costs no walk.
  static bool is_measured(const Expr& list) {
    return list.kind == Kind::Var || list.kind == Kind::Neighbors || list.kind == Kind::LowerNeighbors ||
           list.kind == Kind::UpperNeighbors;
  }

  /// The loop with its body under a condition on what the loop itself binds.
  const For* guarded_body(const For& loop, const Needs& needs) {
    Builder& b = builder();
    b.set_loc(loop.loc);
    std::unordered_set<const Var*> own(loop.vars.begin(), loop.vars.end());
    if (loop.maybe_index != nullptr) own.insert(loop.maybe_index);
    std::vector<const Expr*> parts;
    const std::size_t outer = asked_.size();
    for (const auto& [key, least] : needs) {
      if (!reads(*key, own)) continue;
      if (key == loop.maybe_index) {
        parts.push_back(at_least(key, least));
      } else if (least >= 2 && key->kind != Kind::Var) {
        const Expr* list = expr(key);
        parts.push_back(at_least(b.make(Kind::Size, {list}), least));
        asked_.emplace_back(list, least);
      }
    }
    const For* rebuilt = static_cast<const For*>(rebuild(&loop));
    asked_.resize(outer);
    b.set_loc(loop.loc);
    if (parts.empty()) return rebuilt;
    context_.count("bodies");
    const Stmt* branch = b.branch(conjunction(b, parts), rebuilt->body);
    return b.loop(rebuilt->vars, rebuilt->lists, rebuilt->maybe_index, b.block({&branch, 1}));
  }

  bool is_asked(const Expr* list, std::int64_t least) const {
    return std::any_of(asked_.begin(), asked_.end(),
                       [&](const auto& known) { return known.first == list && known.second >= least; });
  }

  // What an effect needs

  MaybeNeeds body_needs(const For& loop) {
    if (loop.vars.size() == 1 && facts_.list(loop.lists[0]).unique) walked_[loop.vars[0]] = loop.lists[0];
    return block_needs(*loop.body, nullptr);
  }

  /// The number of items of its list that a loop needs.
  static std::int64_t walked_need(const For& loop, Needs needs) {
    std::int64_t least = 1;
    if (loop.maybe_index != nullptr) {
      if (const std::int64_t* index = find(needs, loop.maybe_index)) least = *index + 1;
    }
    if (const std::int64_t* size = find(needs, loop.lists[0])) least = std::max(least, *size);
    return least;
  }

  /// For an effect on `sink`, or on anything outside the block if that is null.
  MaybeNeeds block_needs(const Block& block, const Var* sink) {
    MaybeNeeds needs;
    for (const Stmt* stmt : block.body) {
      match(
          *stmt,
          [&](const Yield& s) {
            if (sink == nullptr || s.sink == sink) meet(needs, yield_needs(s));
          },
          [&](const For& s) { meet(needs, loop_needs(s, sink)); },
          [&](const If& s) {
            meet(needs, block_needs(*s.then_body, sink));
            if (s.maybe_else != nullptr) meet(needs, block_needs(*s.maybe_else, sink));
          },
          [&](const Block& s) { meet(needs, block_needs(s, sink)); },
          [&](const Collect& s) {
            // Its own sinks have effects only where they are read.
            if (sink != nullptr)
              meet(needs, block_needs(*s.body, sink));
            else
              meet(needs, outward_needs(s));
          },
          [](const Stmt&) {});
    }
    return needs;
  }

  /// What the body of a collect needs for effects on sinks other than its own.
  MaybeNeeds outward_needs(const Collect& collect) {
    bool outward = false;
    for_each_stmt(*collect.body, [&](const Stmt& stmt) {
      const Yield* yield = as<Yield>(&stmt);
      const Stmt* opened = yield != nullptr ? facts_.definition(yield->sink) : nullptr;
      if (opened == nullptr) return;
      bool inside = opened == &collect;
      for_each_stmt(*collect.body, [&](const Stmt& inner) { inside = inside || &inner == opened; });
      outward = outward || !inside;
    });
    return outward ? MaybeNeeds(Needs{}) : std::nullopt;
  }

  MaybeNeeds yield_needs(const Yield& yield) {
    const Stmt* stmt = facts_.definition(yield.sink);
    const Collect* collect = stmt != nullptr ? as<Collect>(stmt) : nullptr;
    if (collect == nullptr) return Needs{};
    for (const Sink& sink : collect->sinks) {
      if (sink.var != yield.sink) continue;
      if (sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64)) return nonzero(*yield.values[0]);
    }
    return Needs{};
  }

  MaybeNeeds loop_needs(const For& loop, const Var* sink) {
    if (loop.lists.size() != 1) return Needs{};
    if (loop.vars.size() == 1 && facts_.list(loop.lists[0]).unique) walked_[loop.vars[0]] = loop.lists[0];
    MaybeNeeds inside = block_needs(*loop.body, sink);
    if (!inside) return inside;
    std::unordered_set<const Var*> bound = bound_in(loop);
    Needs needs;
    for (const auto& [key, least] : *inside) {
      if (!reads(*key, bound)) join(needs, key, least);
    }
    nonempty(*loop.lists[0], walked_need(loop, *inside), needs);
    return needs;
  }

  /// For `e` not to be 0.
  MaybeNeeds nonzero(const Expr& e) {
    switch (e.kind) {
      case Kind::ConstInt: return static_cast<const ConstInt&>(e).value == 0 ? MaybeNeeds() : Needs{};
      case Kind::Size: {
        Needs needs;
        nonempty(*e.operands[0], 1, needs);
        return needs;
      }
      case Kind::Convert: return e.operands[0]->type->is_scalar(ScalarKind::I64) ? nonzero(*e.operands[0]) : Needs{};
      case Kind::Mul: {
        MaybeNeeds first = nonzero(*e.operands[0]);
        MaybeNeeds second = nonzero(*e.operands[1]);
        if (!first || !second) return std::nullopt;
        join(*first, *second);
        return first;
      }
      case Kind::Add: {
        MaybeNeeds needs = nonzero(*e.operands[0]);
        meet(needs, nonzero(*e.operands[1]));
        return needs;
      }
      case Kind::Var: break;
      default: return Needs{};
    }
    const Stmt* stmt = facts_.definition(static_cast<const Var*>(&e));
    if (stmt == nullptr) return Needs{};
    if (const Let* let = as<Let>(stmt)) return nonzero(*let->value);
    const Collect* collect = as<Collect>(stmt);
    if (collect == nullptr || !e.type->is_scalar(ScalarKind::I64)) return Needs{};
    return block_needs(*collect->body, static_cast<const Var*>(&e));
  }

  /// For `list` to have `least` items.
  void nonempty(const Expr& list, std::int64_t least, Needs& needs) {
    switch (list.kind) {
      case Kind::Intersect:
        for (std::size_t i = 0; i < 2; ++i) {
          bool item_missing = is_walked_at(*list.operands[i], *list.operands[1 - i]);
          // Items of the first list that repeat are one item of the second.
          std::int64_t own = i == 0 || facts_.list(list.operands[0]).unique ? least : 1;
          nonempty(*list.operands[i], item_missing ? own + 1 : own, needs);
        }
        return;
      case Kind::Diff:
      case Kind::Below:
      case Kind::Above:
      case Kind::Sorted: nonempty(*list.operands[0], least, needs); return;
      case Kind::Span: {
        const ConstInt* begin = as<ConstInt>(list.operands[1]);
        const Var* end = as<Var>(list.operands[2]);
        bool prefix = begin != nullptr && begin->value == 0 && end != nullptr;
        if (prefix && end->type->is_scalar(ScalarKind::I64)) join(needs, end, least);
        nonempty(*list.operands[0], least, needs);
        return;
      }
      case Kind::Neighbors:
      case Kind::LowerNeighbors:
      case Kind::UpperNeighbors: join(needs, &list, least); return;
      case Kind::Var: {
        join(needs, &list, least);
        const Stmt* stmt = facts_.definition(static_cast<const Var*>(&list));
        if (const Let* let = stmt != nullptr ? as<Let>(stmt) : nullptr) nonempty(*let->value, least, needs);
        return;
      }
      default: return;
    }
  }

  /// True if a loop walks `list` and `others` are neighbours of its item in a graph without loops: the item is in
  /// `list` but not in `others`.
  bool is_walked_at(const Expr& list, const Expr& others) const {
    bool neighbors =
        others.kind == Kind::Neighbors || others.kind == Kind::LowerNeighbors || others.kind == Kind::UpperNeighbors;
    const Var* item = neighbors ? as<Var>(others.operands[1]) : nullptr;
    const auto found = item != nullptr ? walked_.find(item) : walked_.end();
    return found != walked_.end() && found->second == &list && facts_.loop_free(others.operands[0]);
  }

  Facts facts_;
  PassContext& context_;
  Needs asked_;                                         ///< What the conditions around the statement at hand ask for.
  std::unordered_map<const Var*, const Expr*> walked_;  ///< Lists without repeats that loops walk, by their item.
};

}  // namespace

Module demand(const Module& module, PassContext& context) { return Demander(module, context).run(module); }

}  // namespace matcha::passes
