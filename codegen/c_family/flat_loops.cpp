#include "codegen/c_family/flat_loops.h"

#include <algorithm>

#include "codegen/c_family/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;

namespace {

template <typename Predicate>
bool any_node(const ir::Expr& value, Predicate holds) {
  bool found = false;
  ir::for_each_node(value, [&](const ir::Expr& e) { found = found || holds(e); });
  return found;
}

const ir::Expr& unconverted(const ir::Expr& e) { return e.kind == Kind::Convert ? *e.operands[0] : e; }

}  // namespace

/// What was found of the body of a loop so far.
struct FlatLoops::Chain {
  FlatLoop flat;
  std::unordered_set<const ir::Var*> behind;  ///< Values that are bound from the reader on.
  std::vector<const ir::Var*> sums;
  bool closed = false;  ///< Below a condition behind the reader.
};

const FlatCount* FlatLoop::find(const ir::Expr* size) const {
  const auto found = std::ranges::find(counts, size, &FlatCount::size);
  return found != counts.end() ? &*found : nullptr;
}

FlatLoops::FlatLoops(const ir::Facts& facts, const ir::Region& region, bool arrays)
    : facts_(facts), arrays_(arrays), sums_of_ints_(sums_of_ints(region)) {
  for_each_loop(*region.collect->body, [this](const ir::For& loop) { return take(loop); });
  if (region.schedule.parallel) find_arcs(region);
}

const FlatLoop* FlatLoops::find(const ir::For& loop) const {
  const auto found = loops_.find(&loop);
  return found != loops_.end() ? &found->second : nullptr;
}

const ir::Expr* FlatLoops::arcs_graph() const {
  return arcs_loop_ != nullptr ? outer_->lists[0]->operands[0] : nullptr;
}

bool FlatLoops::take(const ir::For& s) {
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

/// True for a chain that ends in a yield into a sum of ints; all that is counted is read in one block.
bool FlatLoops::scan(const ir::Block& b, Chain& chain) const {
  const ir::Stmt*& reader = chain.flat.reader;
  chain.closed = reader != nullptr;
  for (const ir::Stmt* stmt : b.body) {
    bool last = stmt == b.body.back();
    if (const ir::Let* let = ir::as<ir::Let>(stmt)) {
      if (last || !scan_value(*stmt, *let->value, chain)) return false;
      if (reader != nullptr) chain.behind.insert(let->var);
    } else if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      bool chained = last && branch->maybe_else == nullptr && scan_value(*stmt, *branch->cond, chain);
      return chained && scan(*branch->then_body, chain);
    } else if (const ir::Yield* yield = ir::as<ir::Yield>(stmt)) {
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

/// True if one lane can do all of the block without a count; adds the sums of ints to which it yields.
bool FlatLoops::counts_nothing(const ir::Block& b, std::vector<const ir::Var*>& sums) const {
  return std::ranges::all_of(b.body, [&](const ir::Stmt* stmt) {
    if (const ir::Let* let = ir::as<ir::Let>(stmt)) return one_lane_can(*let->value);
    if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      return one_lane_can(*branch->cond) && counts_nothing(*branch->then_body, sums) &&
             (branch->maybe_else == nullptr || counts_nothing(*branch->maybe_else, sums));
    }
    const ir::Yield* yield = ir::as<ir::Yield>(stmt);
    if (yield == nullptr || !sums_of_ints_.contains(yield->sink) || !one_lane_can(*yield->values[0])) return false;
    sums.push_back(yield->sink);
    return true;
  });
}

/// True if one lane can compute `value` once the counts that it may have in it are known.
bool FlatLoops::scan_value(const ir::Stmt& stmt, const ir::Expr& value, Chain& chain) const {
  if (value.kind == Kind::Size && takes_all_lanes(*value.operands[0])) {
    return chain.flat.find(&value) != nullptr || scan_count(stmt, value, chain);
  }
  if (takes_all_lanes(value) || value.kind == Kind::Literal) return false;
  return std::ranges::all_of(value.operands,
                             [&](const ir::Expr* operand) { return scan_value(stmt, *operand, chain); });
}

/// One more count, of lists that are known in front of the first one.
bool FlatLoops::scan_count(const ir::Stmt& stmt, const ir::Expr& size, Chain& chain) const {
  const ir::Expr& set = *size.operands[0];
  if (chain.closed || set.kind == Kind::Sorted || !countable(*set.operands[0]) || !countable(*set.operands[1]))
    return false;
  std::vector<const ir::Var*> read;
  ir::free_vars(set, read);
  if (std::ranges::any_of(read, [&](const ir::Var* var) { return chain.behind.contains(var); })) return false;
  const ir::ListFacts a = facts_.list(set.operands[0]);
  const ir::ListFacts b = facts_.list(set.operands[1]);
  if (!b.ascending) return false;
  if (chain.flat.reader == nullptr) chain.flat.reader = &stmt;
  chain.flat.counts.push_back({&size, a.ascending && a.unique && b.unique});
  return true;
}

/// True for a view of one array of vertices.
bool FlatLoops::countable(const ir::Expr& list) const {
  if (list.type->columns.size() != 1 || !list.type->columns[0]->is_scalar(ir::ScalarKind::Vid)) return false;
  switch (list.kind) {
    case Kind::Neighbors:
    case Kind::LowerNeighbors:
    case Kind::UpperNeighbors: return true;
    case Kind::Below:
    case Kind::Above:
    case Kind::Span: {
      bool found = countable(*list.operands[0]);
      for (const ir::Expr* operand : list.operands.subspan(1)) {
        found = found && !any_node(*operand, takes_all_lanes);
      }
      return found;
    }
    case Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&list);
      if (facts_.top_level(var)) return true;
      const ir::Stmt* definition = facts_.definition(var);
      const ir::Let* let = definition != nullptr ? ir::as<ir::Let>(definition) : nullptr;
      return let != nullptr ? countable(*let->value) : arrays_;
    }
    default: return false;
  }
}

const ir::For* FlatLoops::second_of(const ir::For& first) const {
  if (first.lists[0]->type->bits) return nullptr;
  const ir::For* loop = only_loop(*first.body, true);
  return loop != nullptr && find(*loop)->counts.empty() ? loop : nullptr;
}

/// The flat loop at the end of a chain of values and conditions of one item, which may trap or not; null if there is
/// anything else.
const ir::For* FlatLoops::only_loop(const ir::Block& b, bool traps) const {
  for (const ir::Stmt* stmt : b.body) {
    bool last = stmt == b.body.back();
    const auto plain = [&](const ir::Expr& value) {
      return (traps || !facts_.may_trap(&value)) && !any_node(value, takes_all_lanes);
    };
    if (const ir::Let* let = ir::as<ir::Let>(stmt)) {
      if (!plain(*let->value)) return nullptr;
    } else if (const ir::If* branch = ir::as<ir::If>(stmt)) {
      if (!last || branch->maybe_else != nullptr || !plain(*branch->cond)) return nullptr;
      return only_loop(*branch->then_body, traps);
    } else {
      const ir::For* loop = ir::as<ir::For>(stmt);
      return last && loop != nullptr && find(*loop) != nullptr ? loop : nullptr;
    }
  }
  return nullptr;
}

void FlatLoops::find_arcs(const ir::Region& region) {
  outer_ = ir::as<ir::For>(region.collect->body->body.back());
  if (region.collect->body->body.size() != 1 || outer_->lists.size() != 1 || outer_->maybe_index != nullptr) return;
  const ir::Expr& vertices = *outer_->lists[0];
  if (vertices.kind != Kind::Vertices || !facts_.has_rows(vertices.operands[0])) return;
  const ir::For* loop = only_loop(*outer_->body, false);
  if (loop == nullptr || loop->lists.size() != 1 || !countable(*loop->lists[0])) return;
  const ir::Expr& walked = unsliced(facts_, *loop->lists[0]);
  if (!ir::is_neighbors(walked.kind)) return;
  if (walked.operands[0] == vertices.operands[0] && walked.operands[1] == outer_->vars[0]) arcs_loop_ = loop;
}

}  // namespace matcha::codegen
