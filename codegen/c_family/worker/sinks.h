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

/// What is yielded: the totals of a region, which are a worker's (`t` in the text), and the accumulators of the
/// collects inside it. A count that all lanes make together is kept by each lane as its share, and the shares are added
/// up once a task.
class Sinks {
 public:
  Sinks(Text& text, const ir::Region& region, const LanePlan& plan, const Place& place, const Lanes& lanes,
        const Stores& stores);

  // The region
  /// The members of the totals.
  void declare_totals();
  /// Declares the shares of a task.
  void begin_task();
  /// Adds what a task has found to the totals, where it ends.
  void end_task();
  /// Hands the totals over to the launcher.
  void merge();

  // Statements
  void yield(const ir::Yield& s);
  /// `body` prints what yields into the accumulators.
  void collect(const ir::Collect& s, const std::function<void()>& body);

  // Lanes
  /// The place of the value to which lanes append on their own.
  std::string accumulator(const ir::Var* sink) { return (of_region(sink) ? "t." : "") + names_.of(sink) + "_"; }
  /// Where a lane adds what it counts to a sum.
  std::string lane_part(const ir::Var* sum);
  /// Sums and the names of what is added to them behind a loop.
  using Parts = std::vector<std::pair<const ir::Var*, std::string>>;
  /// Declares what an innermost loop of one lane counts, for the lane's shares are too many for registers.
  Parts begin_parts(const ir::For& loop, int number);
  /// Adds them up behind that loop.
  void end_parts(const Parts& parts);

 private:
  bool of_region(const ir::Var* sink) const { return index_.contains(sink); }
  /// True for a sum of the region into which counts are yielded that lanes share.
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
  std::unordered_map<const ir::Var*, std::size_t> index_;       ///< Of the region's sinks.
  std::unordered_map<const ir::Var*, ir::SinkKind> kinds_;      ///< Of those with an accumulator.
  std::vector<const ir::Var*> shared_counts_;                   ///< In the order of the region's sinks.
  std::unordered_map<const ir::Var*, std::string> lane_parts_;  ///< Of sums, in an innermost loop of one lane.
};

}  // namespace matcha::codegen::worker
