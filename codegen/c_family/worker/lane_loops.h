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

/// Loops over lists whose items are divided among lanes. Counts inside are done by all lanes together, after each lane
/// has reached them (ir/analysis/flat_loops.h).
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

  /// A loop whose items are divided among lanes. `on_spine`: a task may resume it.
  void flat(const ir::For& loop, const ir::FlatLoop& flat, bool on_spine);
  /// A region that walks vertices and their neighbours as one list of the arcs of `graph`, divided among lanes.
  void arcs(const ir::For& outer, const ir::Expr* graph);
  /// A loop that appends `item` of the items that pass a condition; the items are divided among lanes.
  void list(const ir::For& loop, const ir::Yield& item);

 private:
  /// Opens the loop that takes as many positions at a time as there are lanes; gives the name of the first of them.
  /// `size`: of all its lists. On the spine `walk` names its walk; else `walk` is empty and `end` is its end.
  std::string steps(const ir::For& loop, const std::string& index, const std::string& walk, const std::string& size,
                    bool outermost);
  /// Declares a lane's two lists of each count.
  void sides(const ir::FlatLoop& flat);
  /// Prints the part of a lane before its count: all of it if nothing is counted.
  void until_count(const ir::Block& b, const ir::FlatLoop& flat);
  /// Prints the part after a count, which all lanes do together. `from`: the first position of a loop whose positions
  /// tasks may name; else empty. `bind_again` binds the values of a lane in front of the loop that this part reads.
  void after_count(const ir::Block& b, const ir::FlatLoop& flat, const std::string& from,
                   const std::function<void()>& bind_again);
  /// Prints the statements of a chain of conditions except the last, which it returns, and opens the conditions.
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
