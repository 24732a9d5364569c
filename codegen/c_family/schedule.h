#pragma once

#include <string_view>

#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen {

/// Its name in runtime/common/launch.h. Requires: not Give.
std::string_view stealing_name(ir::Stealing steal);

/// The schedule of the first region; all have the same `steal` and `stack`. Without regions, one of Timeout.
ir::Schedule schedule_of(const ir::Module& module);

/// False, with a diagnostic, if a region's schedule is for a run time that does not hand on work as tasks.
bool check_tasks(const ir::Module& module, Diagnostics& diagnostics);

/// False, with a diagnostic, if groups of a region start kernels, which only a GPU does.
bool check_no_kernels(const ir::Module& module, Diagnostics& diagnostics);

/// How the lanes of a group search the longer list of a set operation: runtime/common/lane_search.h.
enum class Search {
  Plain,    ///< Each lane searches on its own.
  Cached,   ///< As Plain; the lanes hold the top of the search tree.
  Merging,  ///< As Cached; lists of similar length are merged.
};

/// Its name in runtime/common/lane_search.h.
constexpr std::string_view search_name(Search search) {
  return search == Search::Plain ? "kPlainSearch" : search == Search::Cached ? "kCachedSearch" : "kMergingSearch";
}

}  // namespace matcha::codegen
