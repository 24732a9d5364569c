#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/analysis/lane_modes.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// map-lanes: sets the number of threads that work together on a position, and how they divide loops.
///
/// What. Gives each region the width of its groups: the requested width, else all lanes of the target if they have work
/// to divide (set operations, rows of bits, counters or the items of a loop), else 1. Then gives each loop its mode if
/// a group has several lanes: by items, pairs or arcs if one lane alone can execute the body; set operations in it are
/// counted by all lanes, for one item after the other.
///
/// Why. A group whose lanes all walk short lists together leaves most of them idle (STMatch 1.6; gMatch, PVLDB 2026).
///
/// Before:  region (parallel, split=2, group=1) { collect %n: sum i128 { for %u in vertices(%G) {
///            for %v in neighbors(%G, %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) } } } }
/// After:   region (parallel, split=2, group=32) { collect %n: sum i128 { for %u in vertices(%G) by arcs {
///            for %v in neighbors(%G, %u) by items { yield %n, … } } } }
///
/// Requires and ensures: stage kernel. Gives up on: loops that lanes can only walk together (LaneModes).
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class LaneMapper final : public Rewriter {
 public:
  LaneMapper(const Module& module, PassContext& context)
      : Rewriter(context.context), context_(context), facts_(module) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    if (const Region* found = as<Region>(stmt)) return out.push_back(region(*found));
    const For* loop = as<For>(stmt);
    LaneMode mode = loop != nullptr && modes_ ? modes_->of(*loop) : LaneMode::Together;
    if (mode == LaneMode::Arcs && context_.option("arcs") == 0) mode = LaneMode::Together;
    if (loop == nullptr || mode == loop->mode) return out.push_back(rebuild(stmt));
    const For* rebuilt = static_cast<const For*>(rebuild(stmt));
    context_.count(fmt::format("loops by {}", keyword(mode)));
    builder().set_loc(loop->loc);
    out.push_back(builder().loop(rebuilt->vars, rebuilt->lists, rebuilt->maybe_index, rebuilt->body, mode));
  }

 private:
  const Stmt* region(const Region& s) {
    const TargetInfo& target = context_.target;
    Schedule schedule = s.schedule;
    schedule.group = target.group != 0 ? target.group : lanes_share_work(facts_, s) ? target.max_group : 1;
    schedule.group = std::clamp<std::uint32_t>(schedule.group, 1, target.max_group);
    modes_.reset();
    if (schedule.group > 1) modes_.emplace(facts_, s);
    const Region* rebuilt = static_cast<const Region*>(rebuild(&s));
    modes_.reset();
    if (schedule == s.schedule) return rebuilt;
    context_.count("groups of several lanes", schedule.group > 1 ? 1 : 0);
    builder().set_loc(s.loc);
    return builder().region(schedule, rebuilt->buffers, rebuilt->collect);
  }

  PassContext& context_;
  Facts facts_;
  std::optional<LaneModes> modes_;  ///< Modes of the region being rebuilt, if its groups have several lanes.
};

}  // namespace

Module map_lanes(const Module& module, PassContext& context) { return LaneMapper(module, context).run(module); }

}  // namespace matcha::passes
