#include <algorithm>
#include <unordered_set>

#include "ir/analysis/blocks.h"
#include "ir/analysis/facts.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// batch: defers counts of set operations that are only added, and does many of them at a time.
///
/// What. Applies to a yield into a sum of ints of the region, whose value consists of one `size(intersect(…))` or
/// `size(diff(…))` and constants. It becomes `yield batched` if both lists are views of graphs or top-level lists,
/// which stay valid. The count may have a name if only this yield reads it.
///
/// Why. On sparse graphs the lists are short, and the cost of a count is the wait for its second list. A branch on the
/// length of a list that has not arrived is mispredicted and discards the processor's work. Batching collects the lists
/// first and fetches them while others are counted, so several arrive at once (the batched look-ups of hash joins:
/// group prefetching, Chen et al., "Improving hash join performance through prefetching", section 4).
///
/// Before:  for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield %n, ((%c * (%c - 1)) / 2)
///          }
/// After:   for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield batched %n, ((%c * (%c - 1)) / 2)
///          }
///
/// Requires and ensures: stage kernel. Gives up on: stored sets, whose buffer is overwritten; lists that are not
/// ascending sets of vertices; values that read anything else.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Batcher final : public Rewriter {
 public:
  Batcher(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(count_uses(*module.body)), context_(context) {
    for (const Stmt* stmt : module.body->body) {
      const Region* region = as<Region>(stmt);
      if (region == nullptr) continue;
      sums_.clear();
      for (const Sink& sink : region->collect->sinks) {
        bool whole = !sink.var->type->is_scalar(ScalarKind::F64);
        if (sink.kind == SinkKind::Sum && whole) sums_.insert(sink.var);
      }
      find(*region->collect->body);
    }
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Yield* yield = as<Yield>(stmt);
    if (yield == nullptr || !batched_.contains(yield)) {
      out.push_back(rebuild(stmt));
      return;
    }
    builder().set_loc(yield->loc);
    out.push_back(builder().yield(yield->sink, yield->values, true));
    context_.count("counts");
  }

 private:
  /// The parts of a yielded value.
  struct Parts {
    const Expr* count = nullptr;  ///< Its only size of a set operation, or the variable of one.
    int reads = 0;
    bool other = false;  ///< It also reads other values.
  };

  void find(const Block& block) {
    for (std::size_t i = 0; i < block.body.size(); ++i) {
      const Stmt* before = i != 0 ? block.body[i - 1] : nullptr;
      match(
          *block.body[i],
          [&](const OneOf<Block, For, If, Collect> auto& s) {
            for_each_block(s, [this](const Block& inner) { find(inner); });
          },
          [&](const Yield& s) {
            if (sums_.contains(s.sink) && !s.batched) yield(s, before != nullptr ? as<Let>(before) : nullptr);
          },
          [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
    }
  }

  void yield(const Yield& s, const Let* before) {
    Parts parts;
    take(*s.values[0], parts);
    if (parts.other || parts.count == nullptr) return;
    bool named = parts.count->kind == Kind::Var;
    // A count with a name elsewhere is computed once for several yields.
    bool only_here = named && before != nullptr && before->var == parts.count && uses_[before->var] == parts.reads;
    if (named && !only_here) return;
    const Expr* count = named ? before->value : parts.count;
    if (count->kind != Kind::Size || !counts_lasting(*count->operands[0]) || facts_.may_trap(count)) return;
    batched_.insert(&s);
  }

  static void take(const Expr& e, Parts& parts) {
    if (e.kind == Kind::Size || e.kind == Kind::Var) {
      parts.other = parts.other || (parts.count != nullptr && parts.count != &e);
      parts.count = &e;
      ++parts.reads;
      return;
    }
    parts.other = parts.other || e.type->is_list();
    for (const Expr* operand : e.operands) take(*operand, parts);
  }

  bool counts_lasting(const Expr& set) const {
    if (!filters_first(set.kind)) return false;
    if (!set.type->columns[0]->is_scalar(ScalarKind::Vid)) return false;
    return std::all_of(set.operands.begin(), set.operands.end(), [&](const Expr* list) {
      ListFacts facts = facts_.list(list);
      return facts.ascending && facts.unique && facts_.outlives_region(list);
    });
  }

  Facts facts_;
  std::unordered_map<const Var*, int> uses_;
  PassContext& context_;
  std::unordered_set<const Var*> sums_;  ///< Of the current region.
  std::unordered_set<const Yield*> batched_;
};

}  // namespace

Module batch(const Module& module, PassContext& context) { return Batcher(module, context).run(module); }

}  // namespace matcha::passes
