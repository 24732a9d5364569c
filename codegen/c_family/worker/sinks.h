#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/c_family/worker/lane_plan.h"
#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/stores.h"
#include "codegen/c_family/worker/text.h"

namespace matcha::codegen::worker {

/// Prints yields: into the totals of a region, which belong to the worker (`t` in the text), and into the accumulators
/// of nested collects. For a count that all lanes do together, each lane keeps a share; the shares are added once a
/// task.
class Sinks {
 public:
  Sinks(Text& text, const ir::Region& region, const LanePlan& plan, const Place& place, const Lanes& lanes,
        const Stores& stores);

  // The region
  /// The members of the totals.
  void declare_totals();
  /// Declares the shares of lanes in a task.
  void begin_task();
  /// Adds the values of a task to the totals, at its end.
  void end_task();
  /// Hands the totals over to the launcher.
  void merge();

  // Statements
  void yield(const ir::Yield& s);
  /// `body` prints the statements that yield into the accumulators.
  void collect(const ir::Collect& s, const std::function<void()>& body);

  // Lanes
  /// The accumulator of a value to which each lane appends on its own.
  std::string accumulator(const ir::Var* sink) { return (of_region(sink) ? "t." : "") + names_.of(sink) + "_"; }
  /// The place where a lane adds its part of a sum.
  std::string lane_part(const ir::Var* sum);
  /// Sums, with the names of the parts added to them behind a loop.
  using Parts = std::vector<std::pair<const ir::Var*, std::string>>;
  /// Declares the parts of an innermost loop of one lane, because shares of lanes would need too many registers.
  Parts begin_parts(const ir::For& loop, int number);
  /// Adds the parts to their sums behind that loop.
  void end_parts(const Parts& parts);

 private:
  bool of_region(const ir::Var* sink) const { return index_.contains(sink); }
  /// True for a sum of the region whose counts are divided among lanes.
  bool is_shared(const ir::Var* sum) const;
  std::string share(const ir::Var* sum) { return names_.of(sum) + "_share"; }
  void declare(const ir::Sink& sink, bool of_region);
  void find_shared_counts(const ir::Region& region);

  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  const ir::Region& region_;
  const LanePlan& plan_;
  const Place& place_;
  const Lanes& lanes_;
  const Stores& stores_;
  std::unordered_map<const ir::Var*, std::size_t> index_;   ///< The index of each sink of the region.
  std::unordered_map<const ir::Var*, ir::SinkKind> kinds_;  ///< The kinds of the sinks that have an accumulator.
  std::vector<const ir::Var*> shared_counts_;               ///< In the order of the region's sinks.
  /// The parts of sums, in an innermost loop of one lane.
  std::unordered_map<const ir::Var*, std::string> lane_parts_;
};

}  // namespace matcha::codegen::worker
