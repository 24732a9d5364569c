#pragma once

#include <string_view>

namespace matcha::codegen {

/// How an idle worker of the C family gets a part of what a busy one has left.
enum class Stealing {
  None,     ///< Not at all: positions of the outermost loop are dealt in chunks, and that is it.
  Half,     ///< It takes half of a range (STMatch 1.5): in its block from anyone, beyond it from who is asked to give.
  Timeout,  ///< Who has worked on a task for long hands on its rest (T-DFS III).
};

/// Its name in runtime/common/launch.h.
constexpr std::string_view stealing_name(Stealing steal) {
  return steal == Stealing::None ? "kNoStealing" : steal == Stealing::Half ? "kHalf" : "kTimeout";
}

/// Where the intermediate lists of a worker are.
enum class Stack {
  Array,  ///< In buffers as large as the memory plan says.
  Paged,  ///< In pages of an arena that are taken as lists grow (T-DFS III, Algorithm 5).
};

/// How the lanes of a group search the longer list of a set operation: runtime/common/lane_search.h.
enum class Search {
  Plain,    ///< Each on its own.
  Cached,   ///< The top of the search tree is in the lanes.
  Merging,  ///< The same, and lists of similar length are walked side by side.
};

/// Its name in runtime/common/lane_search.h.
constexpr std::string_view search_name(Search search) {
  return search == Search::Plain ? "kPlainSearch" : search == Search::Cached ? "kCachedSearch" : "kMergingSearch";
}

}  // namespace matcha::codegen
