#include <algorithm>

#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// legalize: reduces a schedule to the abilities of the target.
///
/// What. The width of a group becomes at most `TargetInfo::max_group` (1 on a CPU, which walks loops without lanes). A
/// region splits long tasks at most at as many levels as the target supports and as it has loops that feed the region's
/// own sinks. A loop inside a nested collect cannot be split, since its result is needed at once. Work stealing, paged
/// stacks and shared rows are only for targets that hand on work as tasks.
///
/// Why. The limits of targets are handled in one place, and not in other passes or in back ends.
///
/// Before:  region (parallel, split=2, group=8) { collect %n: sum i128 { for %u in … { yield %n, … } } }
/// After:   region (parallel, split=1, group=1) { collect %n: sum i128 { for %u in … { yield %n, … } } }
///
/// Requires and ensures: stage kernel. Gives up on: nothing.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// How deep loops are nested below `block` without a collect between them.
std::uint32_t loop_depth(const Block& block) {
  std::uint32_t deepest = 0;
  for (const Stmt* stmt : block.body) {
    std::uint32_t depth = match(
        *stmt, [](const For& s) { return 1 + loop_depth(*s.body); },
        [](const If& s) {
          std::uint32_t other = s.maybe_else != nullptr ? loop_depth(*s.maybe_else) : 0;
          return std::max(loop_depth(*s.then_body), other);
        },
        [](const Block& s) { return loop_depth(s); },
        [](const OneOf<Let, Collect, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto&) -> std::uint32_t {
          return 0;
        });
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

class Legalizer final : public Rewriter {
 public:
  explicit Legalizer(PassContext& context) : Rewriter(context.context), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    if (loop != nullptr && loop->mode != LaneMode::Together && context_.target.max_group == 1) {
      const For* rebuilt = static_cast<const For*>(rebuild(stmt));
      builder().set_loc(loop->loc);
      out.push_back(builder().loop(rebuilt->vars, rebuilt->lists, rebuilt->maybe_index, rebuilt->body));
      return;
    }
    if (stmt->kind != Kind::Region) {
      out.push_back(rebuild(stmt));
      return;
    }
    const Region* region = static_cast<const Region*>(rebuild(stmt));
    Schedule schedule = region->schedule;
    schedule.group = std::clamp<std::uint32_t>(schedule.group, 1, context_.target.max_group);
    const TargetInfo& target = context_.target;
    const bool steals = schedule.steal != Stealing::Give;
    if (steals != target.tasks) schedule.steal = target.steal;
    if (!target.tasks) {
      schedule.stack = Stack::Array;
      schedule.shared_rows = 0;
    }
    schedule.split = std::min({schedule.split, target.max_split, loop_depth(*region->collect->body)});
    if (schedule.steal == Stealing::None) schedule.split = 0;
    if (schedule == region->schedule) {
      out.push_back(region);
      return;
    }
    context_.count("schedules");
    builder().set_loc(region->loc);
    out.push_back(builder().region(schedule, region->buffers, region->collect));
  }

 private:
  PassContext& context_;
};

}  // namespace

Module legalize(const Module& module, PassContext& context) { return Legalizer(context).run(module); }

}  // namespace matcha::passes
