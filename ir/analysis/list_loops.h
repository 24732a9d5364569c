#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/nodes.h"

namespace matcha::ir {

/// Loops that fill a list, of which every lane of a group takes an item of its own: a chain of values and conditions
/// that ends in what is put into the list. What passes goes behind what is there, in the order of the loop.
class ListLoops {
 public:
  explicit ListLoops(const Region& region);

  /// What such a loop puts into its list; null for other loops.
  const Yield* item_of(const For& loop) const;

 private:
  const Yield* only_item(const Block& b) const;

  std::unordered_set<const Var*> lists_;  ///< Those that are filled inside the region.
  std::unordered_map<const For*, const Yield*> items_;
};

}  // namespace matcha::ir
