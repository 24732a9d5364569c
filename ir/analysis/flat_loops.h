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
  bool ascending = false;      ///< Both lists are sets in order, so that either may be searched.
};

/// How the lanes of a group walk a loop together, each an item of its own: all of the body that is scalar is done by
/// one lane alone, and the set operations that are counted there by all lanes for all items, one after the other (a
/// worklist of item and set member, as in gMatch, PVLDB 2026; runtime/common/flat_counts.h). What of the lane's values
/// is read behind the counts is computed again there.
struct FlatLoop {
  std::vector<FlatCount> counts;  ///< Empty: nothing is counted.
  /// The first statement that reads a count or adds to a sum: nothing is added before the counts, during which another
  /// group may take the item over.
  const Stmt* reader = nullptr;
  bool shares = false;  ///< The one count itself is what is added up.

  const FlatCount* find(const Expr* size) const;
};

/// The loops of a region that are flat: innermost loops over lists whose body is a chain of values and conditions,
/// around some counts, that ends in what is added to a sum of ints; or that count nothing, and have any values,
/// conditions and sums of ints. Counts of lists that are not one array of vertices stay out.
class FlatLoops {
 public:
  /// `arrays`: stored lists are arrays, not pages.
  FlatLoops(const Facts& facts, const Region& region, bool arrays);

  bool empty() const { return loops_.empty(); }
  /// Null when all lanes walk the loop in step.
  const FlatLoop* find(const For& loop) const;
  /// The flat loop without a count in each item of `first`, if everything else there is values and conditions, so that
  /// lanes may walk pairs of items instead; null if not.
  const For* second_of(const For& first) const;
  /// True for a sum of which each lane has a part, because one of these loops adds to it.
  bool adds_to(const Var* sum) const { return sums_.contains(sum); }
  /// The loop over neighbours of a region that only walks vertices and, for each, that flat loop, so that lanes may
  /// take arcs instead of neighbours of one vertex; null if there is none.
  const For* arcs_loop() const { return arcs_loop_; }
  /// The graph whose arcs these are.
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
