#include "engines/cliques/root_walk.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace matcha::runtime::cliques {

namespace {

/// Nodes between two looks at what may end the walk.
constexpr std::uint64_t kNodesOfLook = 1 << 14;
/// Nodes of one root after which its branches are given away: some milliseconds.
constexpr std::uint64_t kNodesToKeep = 100'000;

}  // namespace

RootWalk::RootWalk(const Roots& roots, std::uint32_t size, WalkTree walk, const WalkHooks& hooks)
    : roots_(roots), walk_(walk), hooks_(hooks), leaves_(roots.widest, size), places_(roots.size) {
  const std::uint64_t words = words_of(std::min(roots.widest, kMostBits));
  rows_ = Buffer<std::uint64_t>(words * 64 * words);
  std::memset(rows_.data(), 0, words * 64 * words * sizeof(std::uint64_t));
  narrow_rows_ = Buffer<std::uint64_t>(narrow_words(words));
  leaves_.take(tree_);
  tree_.narrow_rows = narrow_rows_.data();
  tree_.walker = this;
  tree_.next_look = std::min(kNodesOfLook, hooks.most_nodes);
  tree_.look = [](Tree& tree) {
    const WalkHooks& asked = static_cast<RootWalk*>(tree.walker)->hooks_;
    tree.next_look = std::min(tree.nodes + kNodesOfLook, asked.most_nodes);
    tree.ended = tree.nodes >= asked.most_nodes || (asked.is_ended && asked.is_ended());
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
        std::make_shared<const std::vector<std::uint64_t>>(rows_.begin(), rows_.begin() + words_ * 64 * words_);
  }
  hooks_.take_branch({shared_rows_, words_, {set, set + words_}, held, free, pairs});
}

RootWalk::Size RootWalk::size_of(std::uint64_t vertex) {
  const std::uint64_t count = roots_.count(vertex);
  const std::uint32_t* const candidates = roots_.at(vertex);
  Size found;
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t* const near = roots_.at(candidates[i]);
    for (std::uint64_t j = 0; j < roots_.count(candidates[i]); ++j) found.edges += places_[near[j]];
    found.arcs += roots_.count(candidates[i]);
  }
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 0;
  return found;
}

std::uint64_t RootWalk::write_rows(const std::uint32_t* candidates, std::uint64_t count) {
  words_ = words_of(count);
  std::uint64_t edges = 0;
  std::memset(rows_.data(), 0, count * words_ * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = static_cast<std::uint16_t>(i + 1);
  std::uint16_t found[kMostBits + 1];
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t* const near = roots_.at(candidates[i]);
    const std::uint32_t* const end = near + roots_.count(candidates[i]);
    // Places are gathered without a branch, which those that are none would mislead.
    std::uint64_t length = 0;
    for (const std::uint32_t* at = near; at != end; ++at) {
      const std::uint16_t place = places_[*at];
      found[length] = place;
      length += place != 0 ? 1 : 0;
    }
    edges += length;
    std::uint64_t* const row = rows_.data() + i * words_;
    for (std::uint64_t at = 0; at < length; ++at) {
      const std::uint64_t j = found[at] - 1U;
      row[j / 64] |= std::uint64_t{1} << j % 64;
      rows_[j * words_ + i / 64] |= std::uint64_t{1} << i % 64;
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 0;
  return edges;
}

void RootWalk::walk(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held) {
  if (count <= 1) return leaves_.add(held, static_cast<std::uint32_t>(count));
  if (count > kMostBits) return walk_lists(candidates, count, held);
  const std::uint64_t edges = write_rows(candidates, count);
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
  std::vector<std::uint32_t> both;
  for (std::uint64_t i = 0; i < count && !tree_.ended; ++i) {
    both.clear();
    // Marks are set for one candidate at a time, since the trees below it use them too.
    for (std::uint64_t j = 0; j < count; ++j) places_[candidates[j]] = 1;
    const std::uint32_t* const near = roots_.at(candidates[i]);
    for (std::uint64_t j = 0; j < roots_.count(candidates[i]); ++j) {
      if (places_[near[j]] != 0) both.push_back(near[j]);
    }
    for (std::uint64_t j = 0; j < count; ++j) places_[candidates[j]] = 0;
    if (tree_.size != 0 && held + 1 + both.size() < tree_.size) continue;
    walk(both.data(), both.size(), held + 1);
  }
}

}  // namespace matcha::runtime::cliques
