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
  std::shared_ptr<const std::vector<std::uint64_t>> rows;  ///< Of its root, `words` words each.
  std::uint64_t words = 0;
  std::vector<std::uint64_t> set;
  std::uint32_t held = 0, free = 0, pairs = 0;
};

/// What ends a walk, and takes branches of it.
struct WalkHooks {
  std::function<bool()> is_ended;           ///< Asked every few thousand nodes.
  std::function<void(Branch)> take_branch;  ///< Empty: the walk keeps them.
};

/// The trees of one thread.
class RootWalk {
 public:
  /// `size`: as `Tree::size`. All arguments outlive it. May throw std::bad_alloc, as may all it does.
  RootWalk(const Roots& roots, std::uint32_t size, WalkTree walk, const WalkHooks& hooks);

  /// Adds the leaves of the tree of a vertex.
  void root(std::uint64_t vertex);
  void branch(const Branch& branch);

  const Leaves& leaves() const { return leaves_; }
  std::uint64_t nodes() const { return tree_.nodes; }
  bool ended() const { return tree_.ended; }

 private:
  void walk(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held);
  /// Too many for rows of bits: the candidates are taken one by one.
  void walk_lists(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held);
  void give(const std::uint64_t* set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs);

  const Roots& roots_;
  const WalkTree walk_;
  const WalkHooks& hooks_;
  Leaves leaves_;
  Tree tree_;
  RootRows rows_;
  Buffer<std::uint64_t> narrow_rows_;
  std::uint64_t words_ = 0;                                        ///< Of the rows that are walked.
  std::shared_ptr<const std::vector<std::uint64_t>> shared_rows_;  ///< The same rows, once a branch was given away.
};

}  // namespace matcha::runtime::cliques
