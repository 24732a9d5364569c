#include "ir/analysis/flat_loops.h"

#include <algorithm>

#include "ir/analysis/resolve.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

template <typename Predicate>
bool any_node(const Expr& value, Predicate holds) {
  bool found = false;
  for_each_node(value, [&](const Expr& e) { found = found || holds(e); });
  return found;
}

const Expr& unconverted(const Expr& e) { return e.kind == Kind::Convert ? *e.operands[0] : e; }

}  // namespace

/// The state of scanning a loop's body.
struct FlatLoops::Chain {
  FlatLoop flat;
  std::unordered_set<const Var*> behind;  ///< Values bound from the reader on.
  std::vector<const Var*> sums;
  bool closed = false;  ///< True below a condition behind the reader.
};

const FlatCount* FlatLoop::find(const Expr* size) const {
  const auto found = std::ranges::find(counts, size, &FlatCount::size);
  return found != counts.end() ? &*found : nullptr;
}

FlatLoops::FlatLoops(const Facts& facts, const Region& region, bool arrays)
    : facts_(facts), arrays_(arrays), sums_of_ints_(sums_of_ints(region)) {
  for_each_loop(*region.collect->body, [this](const For& loop) { return take(loop); });
  if (region.schedule.parallel) find_arcs(region);
}

const FlatLoop* FlatLoops::find(const For& loop) const {
  const auto found = loops_.find(&loop);
  return found != loops_.end() ? &found->second : nullptr;
}

const Expr* FlatLoops::arcs_graph() const { return arcs_loop_ != nullptr ? outer_->lists[0]->operands[0] : nullptr; }

bool FlatLoops::take(const For& s) {
  if (s.lists[0]->type->bits) return false;
  Chain chain;
  if (!counts_nothing(*s.body, chain.sums)) {
    chain.sums.clear();
    if (!scan(*s.body, chain)) return false;
  }
  if (chain.sums.empty()) return false;
  sums_.insert(chain.sums.begin(), chain.sums.end());
  loops_[&s] = std::move(chain.flat);
  return true;
}

/// True for a chain that ends in a yield into a sum of ints, with all counts read in one block.
bool FlatLoops::scan(const Block& b, Chain& chain) const {
  const Stmt*& reader = chain.flat.reader;
  chain.closed = reader != nullptr;
  for (const Stmt* stmt : b.body) {
    bool last = stmt == b.body.back();
    if (const Let* let = as<Let>(stmt)) {
      if (last || !scan_value(*stmt, *let->value, chain)) return false;
      if (reader != nullptr) chain.behind.insert(let->var);
    } else if (const If* branch = as<If>(stmt)) {
      bool chained = last && branch->maybe_else == nullptr && scan_value(*stmt, *branch->cond, chain);
      return chained && scan(*branch->then_body, chain);
    } else if (const Yield* yield = as<Yield>(stmt)) {
      const bool sum = sums_of_ints_.contains(yield->sink);
      if (!sum || !scan_value(*stmt, *yield->values[0], chain)) return false;
      chain.sums.push_back(yield->sink);
      if (reader == nullptr) reader = stmt;
      if (!last) continue;
      FlatLoop& flat = chain.flat;
      flat.shares = reader == stmt && flat.counts.size() == 1 && flat.find(&unconverted(*yield->values[0])) != nullptr;
      return true;
    } else {
      return false;
    }
  }
  return false;
}

/// True if one lane can execute the block without a count; adds the sums of ints to which it yields to `sums`.
bool FlatLoops::counts_nothing(const Block& b, std::vector<const Var*>& sums) const {
  return std::ranges::all_of(b.body, [&](const Stmt* stmt) {
    if (const Let* let = as<Let>(stmt)) return one_lane_can(*let->value);
    if (const If* branch = as<If>(stmt)) {
      return one_lane_can(*branch->cond) && counts_nothing(*branch->then_body, sums) &&
             (branch->maybe_else == nullptr || counts_nothing(*branch->maybe_else, sums));
    }
    const Yield* yield = as<Yield>(stmt);
    if (yield == nullptr || !sums_of_ints_.contains(yield->sink) || !one_lane_can(*yield->values[0])) return false;
    sums.push_back(yield->sink);
    return true;
  });
}

/// True if one lane can compute `value` once its counts are known.
bool FlatLoops::scan_value(const Stmt& stmt, const Expr& value, Chain& chain) const {
  if (value.kind == Kind::Size && takes_all_lanes(*value.operands[0])) {
    return chain.flat.find(&value) != nullptr || scan_count(stmt, value, chain);
  }
  if (takes_all_lanes(value) || value.kind == Kind::Literal) return false;
  return std::ranges::all_of(value.operands, [&](const Expr* operand) { return scan_value(stmt, *operand, chain); });
}

/// Adds a count; its lists must be known in front of the first one.
bool FlatLoops::scan_count(const Stmt& stmt, const Expr& size, Chain& chain) const {
  const Expr& set = *size.operands[0];
  if (chain.closed || !filters_first(set.kind) || !countable(*set.operands[0]) || !countable(*set.operands[1]))
    return false;
  std::vector<const Var*> read;
  free_vars(set, read);
  if (std::ranges::any_of(read, [&](const Var* var) { return chain.behind.contains(var); })) return false;
  const ListFacts a = facts_.list(set.operands[0]);
  const ListFacts b = facts_.list(set.operands[1]);
  if (!b.ascending) return false;
  if (chain.flat.reader == nullptr) chain.flat.reader = &stmt;
  chain.flat.counts.push_back({&size, a.ascending && a.unique && b.unique});
  return true;
}

/// True for a view of a single array of vertices.
bool FlatLoops::countable(const Expr& list) const {
  if (list.type->columns.size() != 1 || !list.type->columns[0]->is_scalar(ScalarKind::Vid)) return false;
  switch (list.kind) {
    case Kind::Neighbors: return true;
    case Kind::Cut:
    case Kind::Span: {
      bool found = countable(*list.operands[0]);
      for (const Expr* operand : list.operands.subspan(1)) {
        found = found && !any_node(*operand, takes_all_lanes);
      }
      return found;
    }
    case Kind::Var: {
      const Var* var = static_cast<const Var*>(&list);
      if (facts_.top_level(var)) return true;
      const Expr* value = let_value(facts_, var);
      return value != nullptr ? countable(*value) : arrays_;
    }
    default: return false;
  }
}

const For* FlatLoops::second_of(const For& first) const {
  if (first.lists[0]->type->bits) return nullptr;
  const For* loop = only_loop(*first.body, true);
  return loop != nullptr && find(*loop)->counts.empty() ? loop : nullptr;
}

/// The flat loop at the end of a chain of lets and conditions; null if there are other statements. `traps`: the chain
/// may trap.
const For* FlatLoops::only_loop(const Block& b, bool traps) const {
  for (const Stmt* stmt : b.body) {
    bool last = stmt == b.body.back();
    const auto plain = [&](const Expr& value) {
      return (traps || !facts_.may_trap(&value)) && !any_node(value, takes_all_lanes);
    };
    if (const Let* let = as<Let>(stmt)) {
      if (!plain(*let->value)) return nullptr;
    } else if (const If* branch = as<If>(stmt)) {
      if (!last || branch->maybe_else != nullptr || !plain(*branch->cond)) return nullptr;
      return only_loop(*branch->then_body, traps);
    } else {
      const For* loop = as<For>(stmt);
      return last && loop != nullptr && find(*loop) != nullptr ? loop : nullptr;
    }
  }
  return nullptr;
}

void FlatLoops::find_arcs(const Region& region) {
  outer_ = as<For>(region.collect->body->body.back());
  if (region.collect->body->body.size() != 1 || outer_->lists.size() != 1 || outer_->maybe_index != nullptr) return;
  const Expr& vertices = *outer_->lists[0];
  if (vertices.kind != Kind::Vertices || !facts_.has_rows(vertices.operands[0])) return;
  const For* loop = only_loop(*outer_->body, false);
  if (loop == nullptr || loop->lists.size() != 1 || !countable(*loop->lists[0])) return;
  const Expr& walked = *whole_list(facts_, loop->lists[0]);
  if (walked.kind != Kind::Neighbors) return;
  if (walked.operands[0] == vertices.operands[0] && walked.operands[1] == outer_->vars[0]) arcs_loop_ = loop;
}

}  // namespace matcha::ir
