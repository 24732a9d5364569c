#pragma once

#include <functional>
#include <string>

#include "codegen/c_family/worker/lane_plan.h"
#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/sinks.h"
#include "codegen/c_family/worker/text.h"
#include "codegen/c_family/worker/walks.h"

namespace matcha::codegen::worker {

class Statements;

/// Loops over lists whose items lanes take by themselves, each lane its own. What they count in common is counted by
/// all lanes together behind what each does (ir/analysis/flat_loops.h).
class LaneLoops {
 public:
  LaneLoops(Text& text, const LanePlan& plan, const Place& place, Lanes& lanes, Walks& walks, Sinks& sinks,
            Statements& statements)
      : text_(text),
        names_(text.names),
        expressions_(text.expressions),
        out_(text.out),
        plan_(plan),
        place_(place),
        lanes_(lanes),
        walks_(walks),
        sinks_(sinks),
        statements_(statements) {}

  /// A loop of which every lane takes an item of its own. `on_spine`: a task may resume it.
  void flat(const ir::For& loop, const ir::FlatLoop& flat, bool on_spine);
  /// A region that walks vertices and their neighbours as one list of the arcs of `graph`, of which every lane takes
  /// one.
  void arcs(const ir::For& outer, const ir::Expr* graph);
  /// A loop that puts `item` of what passes into a list, an item of the loop for each lane.
  void list(const ir::For& loop, const ir::Yield& item);

 private:
  /// Opens the loop that takes as many positions at a time as there are lanes; gives the name of the first of them.
  /// `size`: of all its lists. On the spine it is walked as `walk` says, else `walk` is empty and its end is `end`.
  std::string steps(const ir::For& loop, const std::string& index, const std::string& walk, const std::string& size,
                    bool outermost);
  /// Declares what a lane says of the two lists of each count.
  void sides(const ir::FlatLoop& flat);
  /// What a lane does before its count: all of it when nothing is counted.
  void until_count(const ir::Block& b, const ir::FlatLoop& flat);
  /// What follows the count, which all lanes make together. `from`: the first position of a loop whose positions tasks
  /// may name; else empty. `bind_again` binds what it reads of a lane's values in front of the loop.
  void after_count(const ir::Block& b, const ir::FlatLoop& flat, const std::string& from,
                   const std::function<void()>& bind_again);
  /// Prints the statements of a chain of conditions but for its end, which it gives, and opens the conditions.
  const ir::Stmt* open_chain(const ir::Block& b, int& opened);

  Text& text_;
  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  const LanePlan& plan_;
  const Place& place_;
  Lanes& lanes_;
  Walks& walks_;
  Sinks& sinks_;
  Statements& statements_;
};

}  // namespace matcha::codegen::worker
