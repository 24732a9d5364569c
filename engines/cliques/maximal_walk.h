#pragma once

#include "engines/cliques/maximal.h"
#include "engines/cliques/vertex_sets.h"

/// The walk over maximal cliques. Included by one file a tier, as vertex_sets.h.
namespace matcha::runtime::cliques {
namespace {

/// Excluded vertices are adjacent to all held ones and have a neighbour in the set: numbers of rows on a stack.
template <typename Set>
class MaximalWalk {
 public:
  MaximalWalk(MaximalTree& tree, const Set* rows) : tree_(tree), rows_(rows) {}

  /// `begin`: where the excluded vertices of this node begin, up to the top of the stack.
  void node(Set set, u64 begin, u32 held) {
    if (++tree_.nodes >= tree_.next_poll) tree_.poll(tree_);
    if (tree_.ended) return;
    const u32 count = set.size();
    u32 pivot = 0, most = 0;
    bool any = false;
    const auto look_at = [&](u32 vertex) {
      const u32 degree = (rows_[vertex] & set).size();
      if (any && degree <= most) return;
      any = true;
      most = degree;
      pivot = vertex;
    };
    for (u64 at = begin; at < tree_.excluded.size(); ++at) look_at(tree_.excluded[at]);
    if (any && most == count) return;  // No clique is maximal without that one.
    set.for_each(look_at);
    set.without(rows_[pivot]).for_each([&](u32 vertex) {
      if (tree_.ended) return;
      child(set, vertex, begin, held + 1);
      set.remove(vertex);
      tree_.excluded.push_back(vertex);
    });
  }

 private:
  void child(const Set& set, u32 vertex, u64 begin, u32 held) {
    std::vector<u32>& excluded = tree_.excluded;
    const Set near = set & rows_[vertex];
    const u64 top = excluded.size();
    if (near.is_empty()) {
      for (u64 at = begin; at < top; ++at) {
        if (rows_[excluded[at]].has(vertex)) return;
      }
      ++tree_.counts[held];
      return;
    }
    for (u64 at = begin; at < top; ++at) {
      const u32 other = excluded[at];
      if (rows_[other].has(vertex) && !(rows_[other] & near).is_empty()) excluded.push_back(other);
    }
    constexpr u32 kFewToGive = 8;
    if (tree_.give != nullptr && held <= tree_.gives_held && tree_.nodes >= tree_.gives_from &&
        near.size() > kFewToGive) {
      tree_.give(tree_, near.words(), top, held);
    } else {
      node(near, top, held);
    }
    excluded.resize(top);
  }

  MaximalTree& tree_;
  const Set* const rows_;
};

inline void maximal_with(MaximalTree& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  with_sets_of(words, [&]<typename Set>() {
    MaximalWalk<Set>(tree, reinterpret_cast<const Set*>(rows)).node(Set::from(set), 0, held);
  });
}

}  // namespace
}  // namespace matcha::runtime::cliques
