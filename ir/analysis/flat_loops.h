#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// A count of a flat loop.
struct FlatCount {
  const Expr* size = nullptr;  ///< `size(intersect(…))` or `size(diff(…))`.
  bool ascending = false;      ///< Both lists are ascending sets, so that either may be searched.
};

/// A loop whose items are divided among the lanes of a group. Each lane executes the scalar part of the body for its
/// item. The counted set operations are done by all lanes together, for one item after the other (a worklist of item
/// and set member, as in gMatch, PVLDB 2026; runtime/common/flat_counts.h). A lane's values that are read behind the
/// counts are computed again there.
struct FlatLoop {
  std::vector<FlatCount> counts;  ///< Empty: nothing is counted.
  /// The first statement that reads a count or adds to a sum. Nothing is added before the counts, because another group
  /// may take over the item during them.
  const Stmt* reader = nullptr;
  bool shares = false;  ///< The yielded value is the only count itself.

  const FlatCount* find(const Expr* size) const;
};

/// The flat loops of a region: innermost loops over lists with two forms of bodies. Either a chain of lets and
/// conditions around some counts, which ends in a yield into a sum of ints. Or no counts, and any lets, conditions and
/// yields into sums of ints. Counts need lists that are a single array of vertices.
class FlatLoops {
 public:
  /// `arrays`: stored lists are arrays, not pages.
  FlatLoops(const Facts& facts, const Region& region, bool arrays);

  bool empty() const { return loops_.empty(); }
  /// Null if all lanes walk the loop in step.
  const FlatLoop* find(const For& loop) const;
  /// The flat loop without counts inside `first`, if everything else there is lets and conditions, so that lanes can
  /// take pairs of items; else null.
  const For* second_of(const For& first) const;
  /// True for a sum of which each lane has a part, because a flat loop adds to it.
  bool adds_to(const Var* sum) const { return sums_.contains(sum); }
  /// The loop over neighbours in a region that only walks vertices and, for each, that flat loop, so that lanes can
  /// take arcs instead of the neighbours of one vertex; null if there is none.
  const For* arcs_loop() const { return arcs_loop_; }
  /// The graph of these arcs.
  const Expr* arcs_graph() const;

 private:
  struct Chain;

  bool take(const For& s);
  bool scan(const Block& b, Chain& chain) const;
  bool counts_nothing(const Block& b, std::vector<const Var*>& sums) const;
  bool scan_value(const Stmt& stmt, const Expr& value, Chain& chain) const;
  bool scan_count(const Stmt& stmt, const Expr& size, Chain& chain) const;
  bool countable(const Expr& list) const;
  void find_arcs(const Region& region);
  const For* only_loop(const Block& b, bool traps) const;

  const Facts& facts_;
  bool arrays_;
  std::unordered_set<const Var*> sums_of_ints_;
  std::unordered_map<const For*, FlatLoop> loops_;
  std::unordered_set<const Var*> sums_;
  const For* outer_ = nullptr;
  const For* arcs_loop_ = nullptr;
};

}  // namespace matcha::ir
