#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "ir/with_parts.h"
#include "passes/alike.h"
#include "passes/exprs.h"
#include "passes/pass.h"
#include "passes/uses.h"

/// hoist: computes loop-invariant values in front of the loop, and computes named values only once.
///
/// What. Expressions that do not depend on a loop get a name in front of it, as far out as possible: neighbour lists
/// and their edge information (a hash look-up in sparse graphs), slices, set operations, their sizes, and searches.
/// Collects that do not depend on it move as a whole. Under an equality or a look-up, which few items pass, only values
/// that need no walk move; the label of a vertex is not such an equality. Values computed in one branch of a choice of
/// numbers stay there unless a loop is around the choice. If a statement always computes a set operation or its size,
/// and it or its block computes that again, the value gets a name before the statement.
///
/// Why. Matcha 3.6.2; Listing 1 of its paper becomes Listing 3.
///
/// Before:  for %v in %c { yield %n, size(intersect(below(neighbors(%G, %u), %u), neighbors(%G, %v))) }
/// After:   let %slice = below(neighbors(%G, %u), %u)
///          for %v in %c { yield %n, size(intersect(%slice, neighbors(%G, %v))) }
///
/// Requires and ensures: stage loop. Nothing that may trap moves.
/// Gives up on: arithmetic, which back ends move themselves; graphs that are built, which stand at top level anyway.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

enum class Cost { Free, Search, Walk };

/// The cost of computing the node itself.
Cost node_cost(const Expr& e) { return walks(e.kind) ? Cost::Walk : searches(e.kind) ? Cost::Search : Cost::Free; }

Cost cost(const Expr& e) {
  Cost worst = node_cost(e);
  for (const Expr* operand : e.operands) worst = std::max(worst, cost(*operand));
  return worst;
}

std::string_view hint(const Expr& e) {
  switch (e.kind) {
    case Kind::Neighbors: return is_all_neighbors(e) ? "near" : side_of(e) == Side::Lower ? "lower" : "upper";
    case Kind::EdgeInfo: return "info";
    case Kind::Cut:
    case Kind::Span: return "slice";
    case Kind::Intersect: return "common";
    case Kind::Diff: return "rest";
    case Kind::Size: return "count";
    default: return "fixed";
  }
}

class Hoister {
 public:
  Hoister(const Module& module, PassContext& context)
      : module_(module), facts_(module), builder_(context.context), context_(context) {}

  Module run() {
    const Block* body = block(*module_.body);
    if (body == module_.body) return module_;
    Module result = module_;
    result.body = body;
    return result;
  }

 private:
  using Names = std::unordered_map<const Expr*, const Expr*>;
  using Occurrences = std::unordered_map<const Expr*, int>;

  /// A value that moves in front of a loop, with its name in the program, if any.
  struct Fixed {
    const Expr* value;
    std::string_view name;
  };

  const Block* block(const Block& b) {
    Names outer = names_;
    const std::size_t outer_collects = collects_.size();
    Occurrences times;
    // A single statement only gets names for expressions that it computes unconditionally twice.
    if (b.body.size() > 1) occurrences(b, times);
    if (b.body.size() == 1) own_occurrences(*b.body[0], times);
    Stmts out;
    for (const Stmt* s : b.body) {
      name_repeated(*s, times, out);
      stmt(s, out);
    }
    names_ = std::move(outer);
    collects_.resize(outer_collects);
    if (std::ranges::equal(out, b.body)) return &b;
    builder_.set_loc(b.loc);
    return builder_.block(out);
  }

  /// Counts the occurrences of each set operation, and of its size, in the block and its nested blocks.
  static void occurrences(const Block& b, Occurrences& times) {
    for_each_stmt(b, [&](const Stmt& s) { own_occurrences(s, times); });
  }

  static void own_occurrences(const Stmt& s, Occurrences& times) {
    const auto count = [&](const auto& self, const Expr& e) -> void {
      if (is_walk(e)) ++times[&e];
      for (const Expr* operand : e.operands) self(self, *operand);
    };
    for_each_expr(s, [&](const Expr& e) { count(count, e); });
  }

  static bool is_walk(const Expr& e) {
    return node_cost(e) == Cost::Walk || (e.kind == Kind::Size && node_cost(*e.operands[0]) == Cost::Walk);
  }

  /// Names expressions that the statement always computes and the block computes again: merged loops have the same
  /// counts side by side.
  void name_repeated(const Stmt& s, const Occurrences& times, Stmts& out) {
    const Let* let = as<Let>(&s);
    const auto visit = [&](const auto& self, const Expr& e) -> void {
      if (names_.contains(&e) || (let != nullptr && let->value == &e)) return;
      bool only_size = e.kind == Kind::Size && is_walk(e) && times.at(&e) == times.at(e.operands[0]);
      bool worth = is_walk(e) && times.at(&e) > 1 && (e.kind != Kind::Size || only_size);
      if (worth && !facts_.may_trap(&e)) {
        add_name(e, {}, out);
        return;
      }
      bool lazy = is_lazy(e.kind);
      for (std::size_t i = 0; i < e.operands.size() && (i == 0 || !lazy); ++i) self(self, *e.operands[i]);
    };
    for_each_expr(s, [&](const Expr& e) { visit(visit, e); });
  }

  /// Names the expression at this place.
  void add_name(const Expr& e, std::string_view wanted, Stmts& out) {
    builder_.set_loc(e.loc);
    const Var* name = builder_.var(e.type, wanted.empty() ? hint(e) : wanted);
    const Expr* value = replace(builder_, &e, names_);
    out.push_back(builder_.let(name, value));
    names_[&e] = name;
    names_[value] = name;
    context_.count("values");
  }

  void stmt(const Stmt* stmt, Stmts& out) {
    const Stmt* s = names_.empty() ? stmt : renamed(stmt);
    builder_.set_loc(s->loc);
    match(
        *s, [&](const Let& let) { this->let(let, out); },
        [&](const For& loop) { out.push_back(this->loop(loop, out)); },
        [&](const If& branch) {
          const Block* then_body = block(*branch.then_body);
          const Block* else_body = branch.maybe_else != nullptr ? block(*branch.maybe_else) : nullptr;
          bool same = then_body == branch.then_body && else_body == branch.maybe_else;
          builder_.set_loc(branch.loc);
          out.push_back(same ? &branch : builder_.branch(branch.cond, then_body, else_body));
        },
        [&](const Collect& collect) { this->collect(collect, out); },
        [&](const OneOf<Block, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto& other) {
          out.push_back(&other);
        });
  }

  /// The statement with known names in its own expressions; itself if there are none.
  const Stmt* renamed(const Stmt* stmt) {
    bool found = false;
    for_each_expr(*stmt, [&](const Expr& e) { found = found || replace(builder_, &e, names_) != &e; });
    return found ? replace_in(builder_, stmt, names_) : stmt;
  }

  void let(const Let& s, Stmts& out) {
    if (s.value->kind == Kind::Var && !facts_.may_trap(s.value)) {
      names_[s.var] = s.value;
      return;
    }
    out.push_back(&s);
    if (cost(*s.value) != Cost::Free) names_[s.value] = s.var;
  }

  void collect(const Collect& s, Stmts& out) {
    std::unordered_set<const Var*> inside = bound_in(s);
    Stmts moved;
    // No loop is between here and the branches of a choice, of which only one is computed.
    const Block* left = is_choice(s) ? s.body : without_fixed(*s.body, inside, moved);
    for (const Stmt* stmt : moved) this->stmt(stmt, out);
    const Block* body = block(*left);
    builder_.set_loc(s.loc);
    const Collect* result = body == s.body ? &s : builder_.collect(s.sinks, body);
    if (const Expr* value = chosen(*result)) {
      if (facts_.may_trap(value)) {
        out.push_back(builder_.let(s.sinks[0].var, value));  // Even if it is unread.
      } else {
        names_[s.sinks[0].var] = value;
      }
      return;
    }
    const auto same = [&](const Collect* earlier) { return alike(builder_, *earlier, *result); };
    const auto found = std::ranges::find_if(collects_, same);
    if (found == collects_.end()) {
      collects_.push_back(result);
      out.push_back(result);
      return;
    }
    for (std::size_t i = 0; i < s.sinks.size(); ++i) names_[s.sinks[i].var] = (*found)->sinks[i].var;
    context_.count("repeated statements");
  }

  /// True for `x if c else y` over values that are not conditions, which may become `and` or `or`.
  static bool is_choice(const Collect& s) {
    return s.sinks.size() == 1 && s.sinks[0].kind != SinkKind::Any && s.body->body.size() == 1 &&
           s.body->body[0]->kind == Kind::If;
  }

  /// The value of a collect that is only an `and` or `or`, once the statements of its branches have moved; else null.
  const Expr* chosen(const Collect& s) {
    if (s.sinks.size() != 1 || s.sinks[0].kind != SinkKind::Any || s.body->body.size() != 1) return nullptr;
    const If* branch = as<If>(s.body->body[0]);
    if (branch == nullptr || branch->maybe_else == nullptr) return nullptr;
    const auto only_value = [&](const Block& b) -> const Expr* {
      const Yield* yield = b.body.size() == 1 ? as<Yield>(b.body[0]) : nullptr;
      return yield != nullptr && yield->sink == s.sinks[0].var ? yield->values[0] : nullptr;
    };
    const Expr* yes = only_value(*branch->then_body);
    const Expr* no = only_value(*branch->maybe_else);
    if (yes == nullptr || no == nullptr) return nullptr;
    if (no == builder_.boolean(false)) return builder_.make(Kind::And, {branch->cond, yes});
    if (yes == builder_.boolean(true)) return builder_.make(Kind::Or, {branch->cond, no});
    return nullptr;
  }

  const For* loop(const For& s, Stmts& out) {
    std::unordered_set<const Var*> inside = bound_in(s);
    Stmts moved;
    const Block* left = without_fixed(*s.body, inside, moved);
    for (const Stmt* stmt : moved) this->stmt(stmt, out);
    std::vector<Fixed> found;
    fixed_in(*left, inside, false, found);
    for (const auto& [e, wanted_name] : found) {
      if (!names_.contains(e)) add_name(*e, wanted_name, out);
    }
    Names outer = names_;
    std::vector<const Expr*> lists;
    for (const Expr* list : s.lists) lists.push_back(replace(builder_, list, names_));
    const Block* body = block(*left);
    names_ = std::move(outer);
    builder_.set_loc(s.loc);
    bool same = body == s.body && std::ranges::equal(lists, s.lists);
    return same ? &s : builder_.loop(s.vars, lists, s.maybe_index, body);
  }

  /// The block without the lets and collects that do not depend on the loop or collect, which are appended to `moved`.
  /// Nested loops and conditions that most items pass are searched too.
  const Block* without_fixed(const Block& b, std::unordered_set<const Var*>& inside, Stmts& moved) {
    Stmts left;
    for (const Stmt* stmt : b.body) {
      if (is_fixed(*stmt, inside)) {
        for_each_binding(*stmt, [&](const Var& var) { inside.erase(&var); });
        moved.push_back(stmt);
        context_.count("statements");
      } else {
        left.push_back(parts_without_fixed(stmt, inside, moved));
      }
    }
    if (std::ranges::equal(left, b.body)) return &b;
    builder_.set_loc(b.loc);
    return builder_.block(left);
  }

  const Stmt* parts_without_fixed(const Stmt* stmt, std::unordered_set<const Var*>& inside, Stmts& moved) {
    const If* branch = as<If>(stmt);
    const bool stays = stmt->kind == Kind::Block || stmt->kind == Kind::Region;
    if (stays || (branch != nullptr && is_selective(branch->cond))) return stmt;
    return with_parts(
        builder_, *stmt, [](const Expr* e) { return e; },
        [&](const Block* b) { return without_fixed(*b, inside, moved); });
  }

  bool is_fixed(const Stmt& stmt, const std::unordered_set<const Var*>& inside) const {
    if (stmt.kind != Kind::Let && stmt.kind != Kind::Collect) return false;
    if (may_trap(facts_, stmt) || sums_may_overflow(facts_, stmt)) return false;
    std::unordered_set<const Var*> own = bound_in(stmt);
    std::unordered_set<const Var*> others;
    for (const Var* var : inside) {
      if (!own.contains(var)) others.insert(var);
    }
    bool depends = false;
    const auto visit = [&](const Stmt& s) {
      for_each_expr(s, [&](const Expr& e) { depends = depends || reads(e, others); });
      const Yield* yield = as<Yield>(&s);  // A yield into an outer sink has an effect in each iteration.
      depends = depends || (yield != nullptr && !own.contains(yield->sink));
    };
    for_each_stmt_of(stmt, visit);
    return !depends;
  }

  /// Finds the largest expressions worth a name that do not depend on the loop.
  void fixed_in(const Block& b, const std::unordered_set<const Var*>& inside, bool conditional,
                std::vector<Fixed>& found) {
    for (const Stmt* stmt : b.body) {
      std::size_t before = found.size();
      for_each_expr(*stmt, [&](const Expr& e) { fixed(e, inside, conditional, found); });
      const Let* let = as<Let>(stmt);
      bool whole = let != nullptr && found.size() == before + 1 && found.back().value == let->value;
      if (whole) found.back().name = let->var->hint;
      match(
          *stmt, [&](const Block& s) { fixed_in(s, inside, conditional, found); },
          [&](const For& s) { fixed_in(*s.body, inside, conditional, found); },
          [&](const If& s) {
            fixed_in(*s.then_body, inside, conditional || is_selective(s.cond), found);
            if (s.maybe_else != nullptr) fixed_in(*s.maybe_else, inside, conditional, found);
          },
          [&](const Collect& s) { fixed_in(*s.body, inside, conditional, found); },
          [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
    }
  }

  void fixed(const Expr& e, const std::unordered_set<const Var*>& inside, bool conditional, std::vector<Fixed>& found) {
    if (e.operands.empty()) return;
    Cost worst = cost(e);
    if (worst == Cost::Free) return;
    bool size_of_slice = e.kind == Kind::Size && worst == Cost::Search;
    bool worth = node_cost(e) != Cost::Free || (e.kind == Kind::Size && !size_of_slice);
    bool affordable = worst == Cost::Search || !conditional;
    if (worth && affordable && !reads(e, inside) && !facts_.may_trap(&e)) {
      found.push_back({&e, {}});
      return;
    }
    bool lazy = is_lazy(e.kind);
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      fixed(*e.operands[i], inside, conditional || (lazy && i != 0), found);
    }
  }

  const Module& module_;
  Facts facts_;
  Builder builder_;
  PassContext& context_;
  Names names_;                           ///< Expressions that have a name at this place.
  std::vector<const Collect*> collects_;  ///< Collects computed before this place, which can be read again.
};

}  // namespace

Module hoist(const Module& module, PassContext& context) { return Hoister(module, context).run(); }

}  // namespace matcha::passes
