#include <algorithm>
#include <deque>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/reuse_steps.h"
#include "passes/set_terms.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Longest literal into which excluded items are merged.
constexpr std::size_t kMaxLeftOut = 8;

/// Most subtractions in the formula of a size.
constexpr int kMaxSteps = 2;

/// Number of set operations by the number of loops around them.
using Walks = std::vector<int>;

/// True if `a` has fewer in the innermost loop in which they differ.
bool is_cheaper(const Walks& a, const Walks& b) {
  return std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

bool is_set_operation(const Expr& e) { return e.kind == Kind::Intersect || e.kind == Kind::Diff; }

bool has_set_operation(const Expr& e) {
  return is_set_operation(e) ||
         std::ranges::any_of(e.operands, [](const Expr* operand) { return has_set_operation(*operand); });
}

class Supersets {
 public:
  Supersets(const Module& module, PassContext& context)
      : module_(module),
        facts_(module),
        order_(module, facts_),
        uses_(module),
        builder_(context.context),
        members_(facts_, order_, builder_),
        terms_(facts_, order_, members_),
        context_(context) {}

  Module run() {
    Module result = module_;
    result.body = block(*module_.body);
    return result;
  }

 private:
  /// A loop around the current expression.
  struct Frame {
    std::size_t scope;                ///< The depth of its body.
    const Var* item;                  ///< Its only variable; or null.
    const Expr* list;                 ///< The list that it walks, rewritten.
    const Var* maybe_name = nullptr;  ///< The name of the list, once something is computed from it.
    Stmts before;                     ///< Sets that were named in front of it.
  };

  /// A set that is stored, or will be once it is named: then `name` is null and a frame walks it.
  struct Stored {
    SetTerm term;
    const Var* name;
    std::size_t frame;  ///< Loops around it; for a set without a name, the frame that walks it.
    std::size_t scope;  ///< Blocks around it.
  };

  /// A set that an earlier statement computes or counts.
  struct Seen {
    SetTerm term;
    const Expr* set;
    std::size_t scope;
  };

  /// A part of a term that becomes an operand.
  struct Operand {
    const Expr* set;  ///< Null for a stored set without a name.
    SetTerm::Part part;
    std::size_t level;
    const Stored* stored = nullptr;

    bool without() const { return part.without; }
  };

  struct Plan {
    std::vector<Operand> operands;   ///< Outermost first.
    std::vector<const Expr*> items;  ///< To be subtracted last.
    Walks walks;
  };

  // Statements

  const Block* block(const Block& b) {
    ++scope_;
    Stmts out;
    for (const Stmt* s : b.body) stmt(*s, out);
    std::erase_if(stored_, [&](const Stored& stored) { return stored.scope >= scope_; });
    std::erase_if(seen_, [&](const Seen& seen) { return seen.scope >= scope_; });
    --scope_;
    if (std::ranges::equal(out, b.body)) return &b;
    builder_.set_loc(b.loc);
    return builder_.block(out);
  }

  void stmt(const Stmt& stmt, Stmts& out) {
    builder_.set_loc(stmt.loc);
    match(
        stmt,
        [&](const Let& s) {
          const Expr* value = expr(s.value);
          out.push_back(value == s.value ? &s : builder_.let(s.var, value));
          places_[s.var] = frames_.size();
          if (has_set_operation(*s.value)) store(s.value, s.var, frames_.size(), scope_);
        },
        [&](const For& s) { loop(s, out); },
        [&](const If& s) {
          const Expr* cond = expr(s.cond);
          const std::size_t outer = barrier_;
          if (is_selective(s.cond)) barrier_ = frames_.size();
          const Block* then_body = block(*s.then_body);
          barrier_ = outer;
          const Block* else_body = s.maybe_else != nullptr ? block(*s.maybe_else) : nullptr;
          bool same = cond == s.cond && then_body == s.then_body && else_body == s.maybe_else;
          builder_.set_loc(s.loc);
          out.push_back(same ? &s : builder_.branch(cond, then_body, else_body));
        },
        [&](const Collect& s) {
          const Block* body = block(*s.body);
          builder_.set_loc(s.loc);
          out.push_back(body == s.body ? &s : builder_.collect(s.sinks, body));
        },
        [&](const Yield& s) {
          std::vector<const Expr*> values = all(s.values);
          bool same = std::ranges::equal(values, s.values);
          out.push_back(same ? &s : builder_.yield(s.sink, values, s.batched));
        },
        [&](const OneOf<Block, BuildGraph, Repeat, Again, Return, Region, Store> auto& s) { out.push_back(&s); });
  }

  void loop(const For& s, Stmts& out) {
    std::vector<const Expr*> lists = all(s.lists);
    const bool alone = lists.size() == 1 && s.vars.size() == 1;
    frames_.push_back({scope_ + 1, alone ? s.vars[0] : nullptr, lists[0], nullptr, {}});
    if (alone && has_set_operation(*lists[0])) store(s.lists[0], nullptr, frames_.size() - 1, scope_ + 1);
    const Block* body = block(*s.body);
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    builder_.set_loc(s.loc);
    if (frame.maybe_name != nullptr) {
      out.push_back(builder_.let(frame.maybe_name, lists[0]));
      store(s.lists[0], frame.maybe_name, frames_.size(), scope_);
      lists[0] = frame.maybe_name;
    }
    out.insert(out.end(), frame.before.begin(), frame.before.end());
    bool same = body == s.body && std::ranges::equal(lists, s.lists);
    out.push_back(same ? &s : builder_.loop(s.vars, lists, s.maybe_index, body));
  }

  void store(const Expr* set, const Var* name, std::size_t frame, std::size_t scope) {
    const SetTerm* term = terms_.of(set);
    if (term != nullptr && term->set_count() > 1) stored_.push_back({*term, name, frame, scope});
  }

  // Expressions

  std::vector<const Expr*> all(std::span<const Expr* const> values) {
    std::vector<const Expr*> result;
    for (const Expr* value : values) result.push_back(expr(value));
    return result;
  }

  const Expr* expr(const Expr* e) {
    if (e->operands.empty() || !has_set_operation(*e)) return e;
    if (e->kind == Kind::Size) {
      if (const Expr* known = known_size(e)) return known;
    }
    if (const Expr* set = improved(e)) return set;
    if (const Seen* seen = is_set_operation(*e) ? seen_set(*e) : nullptr) return seen->set;
    const bool lazy = is_lazy(e->kind);
    const std::size_t outer = barrier_;
    std::vector<const Expr*> operands;
    for (const Expr* operand : e->operands) {
      const bool may_not_run = lazy && !operands.empty();
      if (may_not_run) barrier_ = frames_.size();
      lazy_ += may_not_run ? 1 : 0;
      operands.push_back(expr(operand));
      lazy_ -= may_not_run ? 1 : 0;
    }
    barrier_ = outer;
    const Expr* result = std::ranges::equal(operands, e->operands) ? e : builder_.with_operands(e, operands);
    const SetTerm* term = is_set_operation(*e) && lazy_ == 0 ? terms_.of(e) : nullptr;
    if (term != nullptr && term->set_count() > 1) seen_.push_back({*term, result, scope_});
    return result;
  }

  /// An equal set that was computed or counted before, so that `hoist` finds both.
  const Seen* seen_set(const Expr& e) {
    const SetTerm* term = terms_.of(&e);
    return term != nullptr ? seen_set(*term) : nullptr;
  }

  const Seen* seen_set(const SetTerm& term) const {
    const auto same = [&](const Seen& seen) {
      return seen.term.parts.size() == term.parts.size() && terms_.shared(seen.term, term) &&
             terms_.shared(term, seen.term);
    };
    const auto found = std::ranges::find_if(seen_, same);
    return found != seen_.end() ? &*found : nullptr;
  }

  // Sizes

  /// The size in terms of stored sets and of sets counted before; null if that takes a set operation.
  const Expr* known_size(const Expr* e) {
    const SetTerm* term = terms_.of(e->operands[0]);
    const auto is_item = [](const SetTerm::Part& part) { return part.is_item; };
    if (term == nullptr || term->set_count() < 2 || std::ranges::any_of(term->parts, is_item)) return nullptr;
    const Expr* size = size_of(*term, kMaxSteps);
    if (size == nullptr || size == e) return nullptr;
    context_.count("sizes");
    return size;
  }

  const Expr* size_of(const SetTerm& term, int steps) {
    const auto with = [](const SetTerm::Part& part) { return !part.without; };
    if (std::ranges::none_of(term.parts, with)) return nullptr;
    if (term.parts.size() == 1) return builder_.make(Kind::Size, {sliced(term.parts[0].spelling, term, {})});
    for (const Stored& stored : stored_) {
      const std::optional<std::vector<std::size_t>> parts = terms_.shared(stored.term, term);
      if (parts && parts->size() == term.parts.size()) {
        return builder_.make(Kind::Size, {sliced(name_of(stored), term, stored.term)});
      }
    }
    if (const Seen* seen = seen_set(term)) return builder_.make(Kind::Size, {seen->set});
    for (std::size_t i = 0; steps > 0 && i < term.parts.size(); ++i) {
      // Items of the rest are either in this part or not.
      const auto same_set = [&](const SetTerm::Part& part) { return part.set == term.parts[i].set; };
      if (std::ranges::count_if(term.parts, same_set) > 1) continue;
      SetTerm others = term;
      others.parts[i].without = !term.parts[i].without;
      const Expr* taken = size_of(others, steps - 1);
      if (taken == nullptr) continue;
      others.parts.erase(others.parts.begin() + static_cast<std::ptrdiff_t>(i));
      if (const Expr* rest = size_of(others, steps - 1)) return builder_.make(Kind::Sub, {rest, taken});
    }
    return nullptr;
  }

  /// The set computed with fewer set operations in the innermost loops; null if that is impossible.
  const Expr* improved(const Expr* e) {
    const SetTerm* term = terms_.of(e);
    if (term == nullptr || term->set_count() < 2) return nullptr;
    Walks now = no_walks();
    count_walks(*e, now);
    Plan plan = planned(*term, {});
    std::vector<const Stored*> chosen = cover(*term);
    if (!chosen.empty()) {
      Plan shorter = planned(*term, chosen);
      if (!is_cheaper(plan.walks, shorter.walks)) plan = std::move(shorter);
    }
    if (!is_cheaper(plan.walks, now) || !is_possible(plan)) return nullptr;
    return made(*term, plan);
  }

  Walks no_walks() const { return Walks(frames_.size() + 1, 0); }

  /// The loops around the outermost place where `e` may be computed.
  std::size_t level(const Expr& e) { return least_level(depth(e)); }

  /// The loops that `e` depends on; the values that it reads may be further in.
  std::size_t depth(const Expr& e) {
    const Var* var = as<Var>(&e);
    if (var == nullptr) {
      std::size_t innermost = 0;
      for (const Expr* operand : e.operands) innermost = std::max(innermost, depth(*operand));
      return innermost;
    }
    const auto found = depths_.find(var);
    if (found != depths_.end()) return found->second;
    const Stmt* stmt = facts_.definition(var);
    std::size_t result = static_cast<std::size_t>(uses_.depth(e));
    if (const Let* let = stmt != nullptr ? as<Let>(stmt) : nullptr) result = depth(*let->value);
    if (const Collect* collect = stmt != nullptr ? as<Collect>(stmt) : nullptr) result = depth_of(*collect);
    return depths_[var] = result;
  }

  std::size_t depth_of(const Collect& collect) {
    const std::unordered_set<const Var*> own = bound_in(collect);
    std::size_t innermost = 0;
    std::vector<const Var*> read;
    for_each_stmt(*collect.body,
                  [&](const Stmt& stmt) { for_each_expr(stmt, [&](const Expr& e) { free_vars(e, read); }); });
    for (const Var* var : read) {
      if (!own.contains(var)) innermost = std::max(innermost, depth(*var));
    }
    return innermost;
  }

  /// Nothing moves out of a condition that few items pass, nor out of the outermost loop.
  std::size_t least_level(std::size_t depth) const {
    return std::max({depth, barrier_, std::min<std::size_t>(1, frames_.size())});
  }

  void count_walks(const Expr& e, Walks& walks) {
    if (is_set_operation(e) && e.operands[1]->kind != Kind::Literal) ++walks[level(*members_.expanded(&e))];
    for (const Expr* operand : e.operands) count_walks(*operand, walks);
  }

  /// Stored supersets of the term: first the one with most of its parts, then the one with most of the remaining parts.
  std::vector<const Stored*> cover(const SetTerm& term) const {
    std::vector<const Stored*> chosen;
    std::vector<bool> covered(term.parts.size(), false);
    for (;;) {
      const Stored* best = nullptr;
      std::vector<std::size_t> best_parts;
      int most = 1;
      for (const Stored& stored : stored_) {
        const std::optional<std::vector<std::size_t>> parts = terms_.shared(stored.term, term);
        if (!parts) continue;
        const auto is_new = [&](std::size_t i) { return !covered[i] && !term.parts[i].is_item; };
        const int count = static_cast<int>(std::ranges::count_if(*parts, is_new));
        if (count <= most) continue;
        most = count;
        best = &stored;
        best_parts = *parts;
      }
      if (best == nullptr) return chosen;
      chosen.push_back(best);
      for (std::size_t i : best_parts) covered[i] = true;
    }
  }

  /// False if a value that is still read is further in than the new place of its reader.
  bool is_possible(const Plan& plan) const {
    return std::ranges::all_of(plan.operands, [&](const Operand& operand) {
      return operand.stored != nullptr || least_level(place(*operand.set)) <= operand.level;
    });
  }

  Plan planned(const SetTerm& term, const std::vector<const Stored*>& chosen) {
    Plan plan;
    std::vector<bool> covered(term.parts.size(), false);
    for (const Stored* stored : chosen) {
      const std::vector<std::size_t> parts = *terms_.shared(stored->term, term);
      for (std::size_t i : parts) covered[i] = true;
      plan.operands.push_back({stored->name, {}, least_level(stored->frame), stored});
    }
    for (std::size_t i = 0; i < term.parts.size(); ++i) {
      const SetTerm::Part& part = term.parts[i];
      if (covered[i]) continue;
      if (part.is_item) {
        plan.items.push_back(part.set);
        continue;
      }
      // A variable may be further in than its operands; sets are not computed again to avoid it, and expressions that
      // may trap stay in place.
      const std::size_t where = level(*part.set);
      const bool as_named =
          has_set_operation(*part.set) || facts_.may_trap(part.set) || least_level(place(*part.spelling)) <= where;
      plan.operands.push_back({as_named ? part.spelling : part.set, part, where});
    }
    std::ranges::stable_sort(plan.operands, {}, &Operand::level);
    const auto first = std::ranges::find(plan.operands, false, &Operand::without);
    const std::size_t start = first->level;
    std::rotate(plan.operands.begin(), first, first + 1);
    plan.walks = no_walks();
    for (std::size_t i = 1; i < plan.operands.size(); ++i) ++plan.walks[std::max(start, plan.operands[i].level)];
    for (const Operand& operand : plan.operands) {
      if (operand.set != nullptr) count_walks(*operand.set, plan.walks);
    }
    return plan;
  }

  /// Loops around the innermost value that `e` reads, with named sets at their own place.
  std::size_t place(const Expr& e) const {
    if (const Var* var = as<Var>(&e)) {
      const auto found = places_.find(var);
      return found != places_.end() ? found->second : static_cast<std::size_t>(uses_.depth(e));
    }
    std::size_t innermost = 0;
    for (const Expr* operand : e.operands) innermost = std::max(innermost, place(*operand));
    return innermost;
  }

  // Making a planned set

  struct Bounds {
    std::vector<const Expr*> upper;
    std::vector<const Expr*> lower;
  };

  /// A partly made set: its operands so far, and the number of loops around it.
  struct Growing {
    const Expr* set;
    SetTerm term;
    std::size_t level;
    bool is_made = false;  ///< True if a set operation in these loops made it.
  };

  const Expr* made(const SetTerm& term, const Plan& plan) {
    std::size_t innermost = 0;
    for (const Operand& operand : plan.operands) innermost = std::max(innermost, operand.level);
    for (const Expr* bound : term.upper) innermost = std::max(innermost, bound_level(*bound));
    for (const Expr* bound : term.lower) innermost = std::max(innermost, bound_level(*bound));
    Growing growing{nullptr, {}, plan.operands[0].level};
    set_bounds(growing, term, innermost);
    growing.set = operand(plan.operands[0], growing.term);
    add_parts(growing, plan.operands[0]);
    for (const Operand& next : std::span(plan.operands).subspan(1)) {
      move_in(growing, term, next.level, innermost);
      const Kind kind = next.without() ? Kind::Diff : Kind::Intersect;
      growing.set = builder_.make(kind, {growing.set, operand(next, growing.term)});
      growing.is_made = true;
      add_parts(growing, next);
    }
    move_in(growing, term, innermost, innermost);
    const Expr* set = growing.set;
    for (std::size_t i = 0; i < plan.items.size(); i += kMaxLeftOut) {
      const std::size_t count = std::min(kMaxLeftOut, plan.items.size() - i);
      const Expr* items = builder_.literal(set->type, std::span(plan.items).subspan(i, count));
      set = builder_.make(Kind::Diff, {set, items});
    }
    return set;
  }

  static void add_parts(Growing& growing, const Operand& operand) {
    std::vector<SetTerm::Part>& parts = growing.term.parts;
    if (operand.stored == nullptr) {
      parts.push_back(operand.part);
    } else {
      parts.insert(parts.end(), operand.stored->term.parts.begin(), operand.stored->term.parts.end());
    }
  }

  /// Continues the set in a loop further in.
  void move_in(Growing& growing, const SetTerm& term, std::size_t where, std::size_t innermost) {
    if (where <= growing.level) return;
    if (growing.is_made) growing.set = named(growing);
    growing.is_made = false;
    growing.level = where;
    const SetTerm outer = growing.term;
    set_bounds(growing, term, innermost);
    growing.set = sliced(growing.set, growing.term, outer);
  }

  /// Sets the bounds of the term that are known at the set's place, and those that follow from the loops there.
  void set_bounds(Growing& growing, const SetTerm& term, std::size_t innermost) const {
    growing.term.upper = growing.level == innermost ? term.upper : known_bounds(term.upper, growing.level, false);
    growing.term.lower = growing.level == innermost ? term.lower : known_bounds(term.lower, growing.level, true);
  }

  std::vector<const Expr*> known_bounds(const std::vector<const Expr*>& bounds, std::size_t where, bool above) const {
    std::vector<const Expr*> known;
    for (const Expr* bound : bounds) {
      if (bound_level(*bound) <= where) known.push_back(bound);
    }
    for (std::size_t i = 0; i < where; ++i) {
      const Var* item = frames_[i].item;
      if (item != nullptr && terms_.implied(bounds, item, above)) known.push_back(item);
    }
    return terms_.tightest(known, above);
  }

  std::size_t bound_level(const Expr& bound) const { return least_level(place(bound)); }

  const Expr* operand(const Operand& operand, const SetTerm& bounds) {
    if (operand.stored != nullptr) {
      context_.count("supersets");
      return sliced(name_of(*operand.stored), bounds, operand.stored->term);
    }
    bool cut = !operand.without() || (operand.set->kind != Kind::Literal && facts_.list(operand.set).ascending);
    return cut ? sliced(operand.set, bounds, {}) : operand.set;
  }

  const Var* name_of(const Stored& stored) {
    if (stored.name != nullptr) return stored.name;
    Frame& frame = frames_[stored.frame];
    if (frame.maybe_name == nullptr) frame.maybe_name = builder_.var(frame.list->type, "walked");
    return frame.maybe_name;
  }

  /// Slices the set to the bounds of one term, if it lies between those of another.
  const Expr* sliced(const Expr* set, const SetTerm& bounds, const SetTerm& own) {
    for (const Expr* bound : bounds.upper) {
      if (!terms_.implied(own.upper, bound, false)) set = slice(builder_, facts_, order_, Side::Lower, set, bound);
    }
    for (const Expr* bound : bounds.lower) {
      if (!terms_.implied(own.lower, bound, true)) set = slice(builder_, facts_, order_, Side::Upper, set, bound);
    }
    return set;
  }

  /// Names a set in front of the outermost loop that it does not depend on.
  const Var* named(const Growing& growing) {
    context_.count("common sets");
    const Var* name = builder_.var(growing.set->type, "common");
    Frame& frame = frames_[growing.level];
    frame.before.push_back(builder_.let(name, growing.set));
    stored_.push_back({growing.term, name, growing.level, frame.scope});
    return name;
  }

  const Module& module_;
  Facts facts_;
  Order order_;
  Uses uses_;
  Builder builder_;
  Membership members_;
  SetTerms terms_;
  PassContext& context_;
  std::vector<Frame> frames_;
  std::deque<Stored> stored_;                           ///< A deque, so that its elements do not move.
  std::unordered_map<const Var*, std::size_t> places_;  ///< Loops around each name.
  std::unordered_map<const Var*, std::size_t> depths_;  ///< Loops that each name depends on.
  std::vector<Seen> seen_;
  int lazy_ = 0;             ///< Lazily evaluated operands around the current expression.
  std::size_t scope_ = 0;    ///< Blocks around the current statement.
  std::size_t barrier_ = 0;  ///< Loops around the innermost condition that few items pass.
};

}  // namespace

Module reuse_supersets(const Module& module, PassContext& context) { return Supersets(module, context).run(); }

}  // namespace matcha::passes
