#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engines/cliques/leaves.h"
#include "engines/cliques/root_rows.h"
#include "engines/cliques/roots.h"
#include "engines/cliques/tree.h"

namespace matcha::runtime::cliques {

/// A branch of a tree that another thread may walk.
struct Branch {
  std::shared_ptr<const std::vector<std::uint64_t>> rows;  ///< The rows of its root, of `words` words each.
  std::uint64_t words = 0;
  std::vector<std::uint64_t> set;
  std::uint32_t held = 0, free = 0, pairs = 0;
};

/// The callbacks of a walk.
struct WalkHooks {
  std::function<bool()> is_ended;           ///< True ends the walk. Called every few thousand nodes.
  std::function<void(Branch)> take_branch;  ///< Empty: the walk keeps them.
};

/// The trees of one thread.
class RootWalk {
 public:
  /// `size`: as `Tree::size`. All arguments must outlive this object. Every function may throw std::bad_alloc.
  RootWalk(const Roots& roots, std::uint32_t size, WalkTree walk, const WalkHooks& hooks);

  /// Adds the leaves of the tree of a vertex.
  void root(std::uint64_t vertex);
  /// Adds the leaves of a branch that another walk handed over.
  void branch(const Branch& branch);

  const Leaves& leaves() const { return leaves_; }
  std::uint64_t nodes() const { return tree_.nodes; }
  bool ended() const { return tree_.ended; }

 private:
  void walk(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held);
  /// For more candidates than rows of bits have: branches on one candidate after the other.
  void walk_lists(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held);
  void give(const std::uint64_t* set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs);

  const Roots& roots_;
  const WalkTree walk_;
  const WalkHooks& hooks_;
  Leaves leaves_;
  Tree tree_;
  RootRows rows_;
  Buffer<std::uint64_t> narrow_rows_;
  std::uint64_t words_ = 0;                                        ///< The width of the current rows.
  std::shared_ptr<const std::vector<std::uint64_t>> shared_rows_;  ///< The same rows, once a branch was given away.
};

}  // namespace matcha::runtime::cliques
