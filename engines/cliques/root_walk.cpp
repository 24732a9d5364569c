#include "engines/cliques/root_walk.h"

#include <algorithm>

namespace matcha::runtime::cliques {

namespace {

/// Nodes between two tests for a stop.
constexpr std::uint64_t kNodesOfPoll = 1 << 14;
/// Nodes of one root after which its branches are given away: some milliseconds.
constexpr std::uint64_t kNodesToKeep = 100'000;

}  // namespace

RootWalk::RootWalk(const Roots& roots, std::uint32_t size, WalkTree walk, const WalkHooks& hooks)
    : roots_(roots), walk_(walk), hooks_(hooks), leaves_(roots.widest, size), rows_(roots) {
  const std::uint64_t words = words_of(std::min(roots.widest, kMostBits));
  narrow_rows_ = Buffer<std::uint64_t>(narrow_words(words));
  leaves_.take(tree_);
  tree_.narrow_rows = narrow_rows_.data();
  tree_.walker = this;
  tree_.next_poll = kNodesOfPoll;
  tree_.poll = [](Tree& tree) {
    const WalkHooks& asked = static_cast<RootWalk*>(tree.walker)->hooks_;
    tree.next_poll = tree.nodes + kNodesOfPoll;
    tree.ended = asked.is_ended && asked.is_ended();
  };
  if (!hooks.take_branch) return;
  tree_.give = [](Tree& tree, const std::uint64_t* set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs) {
    static_cast<RootWalk*>(tree.walker)->give(set, held, free, pairs);
  };
}

void RootWalk::root(std::uint64_t vertex) {
  const std::uint64_t count = roots_.count(vertex);
  if (count + 1 < tree_.size) return;
  walk(roots_.at(vertex), count, 1);
}

void RootWalk::branch(const Branch& branch) {
  shared_rows_ = branch.rows;
  words_ = branch.words;
  tree_.gives_from = tree_.nodes + kNodesToKeep;
  walk_(tree_, branch.rows->data(), branch.words, branch.set.data(), branch.held, branch.free, branch.pairs);
  shared_rows_.reset();
}

void RootWalk::give(const std::uint64_t* set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs) {
  if (shared_rows_ == nullptr) {
    shared_rows_ =
        std::make_shared<const std::vector<std::uint64_t>>(rows_.data(), rows_.data() + words_ * 64 * words_);
  }
  hooks_.take_branch({shared_rows_, words_, {set, set + words_}, held, free, pairs});
}

void RootWalk::walk(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held) {
  if (count <= 1) return leaves_.add(held, static_cast<std::uint32_t>(count));
  if (count > kMostBits) return walk_lists(candidates, count, held);
  const std::uint64_t edges = rows_.write(candidates, count);
  words_ = rows_.words();
  const std::uint32_t missing = tree_.size == 0 ? 0 : tree_.size - held;
  if (edges * 2 < std::uint64_t{missing} * (missing - 1) && tree_.size != 0) return;
  std::uint64_t set[kMostBits / 64] = {};
  for (std::uint64_t i = 0; i < count; ++i) set[i / 64] |= std::uint64_t{1} << i % 64;
  tree_.gives_from = tree_.nodes + kNodesToKeep;
  walk_(tree_, rows_.data(), words_, set, held, 0, 0);
  shared_rows_.reset();
}

void RootWalk::walk_lists(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held) {
  leaves_.add(held, 0);
  if (tree_.size == held) return;
  for (std::uint64_t i = 0; i < count && !tree_.ended; ++i) {
    const std::vector<std::uint32_t> both = rows_.below(candidates, count, candidates[i]);
    if (tree_.size != 0 && held + 1 + both.size() < tree_.size) continue;
    walk(both.data(), both.size(), held + 1);
  }
}

}  // namespace matcha::runtime::cliques
