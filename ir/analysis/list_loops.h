#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/nodes.h"

namespace matcha::ir {

/// Loops that fill a list and whose items are divided among lanes: the body is a chain of lets and conditions that ends
/// in a yield to the list. Passing items are appended in the order of the loop.
class ListLoops {
 public:
  explicit ListLoops(const Region& region);

  /// The yield of such a loop; null for other loops.
  const Yield* item_of(const For& loop) const;

 private:
  const Yield* only_item(const Block& b) const;

  std::unordered_set<const Var*> lists_;  ///< Lists that are filled inside the region.
  std::unordered_map<const For*, const Yield*> items_;
};

}  // namespace matcha::ir
