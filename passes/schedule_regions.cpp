#include <algorithm>

#include "ir/analysis/spine.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// schedule-regions: sets how workers share a region's work, and where their lists are stored.
///
/// What. On a target that hands on work as tasks, sets for each region: how idle workers get work from busy ones; at
/// how many loop levels; the kind of stack of its stored lists; and the number of rows of bits that tasks of one
/// outermost position share. Except for the last, these are options of the target, which the command line sets.
/// Stealing by halves covers two levels unless another number was requested (STMatch's StopLevel), the other kinds as
/// many as a task can name. A region whose stack changes loses the modes of its loops; `map-lanes` sets new ones.
///
/// Why. The back ends of the C family print and launch exactly this schedule, so `--emit=kernel` shows it.
///
/// Before:  region (parallel, split=2, group=1) { … }
/// After:   region (parallel, split=3, group=1, steal=timeout) { … }
///
/// Requires and ensures: stage kernel. Gives up on: other targets, whose run time shares work itself.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Levels whose remaining positions can be stolen.
std::uint32_t split_of(const TargetInfo& target, bool parallel) {
  constexpr std::uint32_t kShownLevels = 2;
  if (!parallel || target.steal == Stealing::None) return 0;
  const std::uint32_t usual = target.steal == Stealing::Half ? kShownLevels : target.max_split;
  return std::min(target.split != 0 ? target.split : usual, target.max_split);
}

class RegionScheduler final : public Rewriter {
 public:
  explicit RegionScheduler(PassContext& context) : Rewriter(context.context), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    if (const Region* found = as<Region>(stmt)) return out.push_back(region(*found));
    const For* loop = as<For>(stmt);
    if (loop == nullptr || !new_stack_ || loop->mode == LaneMode::Together) return out.push_back(rebuild(stmt));
    const For* rebuilt = static_cast<const For*>(rebuild(stmt));
    builder().set_loc(loop->loc);
    out.push_back(builder().loop(rebuilt->vars, rebuilt->lists, rebuilt->maybe_index, rebuilt->body));
  }

 private:
  const Stmt* region(const Region& s) {
    const TargetInfo& target = context_.target;
    Schedule schedule = s.schedule;
    schedule.steal = target.steal;
    schedule.stack = target.stack;
    schedule.split = split_of(target, schedule.parallel);
    const For* outer = schedule.parallel ? as<For>(s.collect->body->body.back()) : nullptr;
    schedule.shared_rows = outer != nullptr ? row_stores(*outer->body) : 0;
    if (schedule == s.schedule) return &s;
    context_.count("schedules");
    new_stack_ = schedule.stack != s.schedule.stack;
    const Region* rebuilt = static_cast<const Region*>(rebuild(&s));
    builder().set_loc(s.loc);
    return builder().region(schedule, rebuilt->buffers, rebuilt->collect);
  }

  PassContext& context_;
  bool new_stack_ = false;  ///< For the region being rebuilt.
};

}  // namespace

Module schedule_regions(const Module& module, PassContext& context) {
  return context.target.tasks ? RegionScheduler(context).run(module) : module;
}

}  // namespace matcha::passes
