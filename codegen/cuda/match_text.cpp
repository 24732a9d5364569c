#include "codegen/cuda/match_text.h"

#include "codegen/c_family/prologue.h"

namespace matcha::codegen::gpu {

std::string match_text() {
  std::string text = "// The kernels that match labelled patterns.\n";
  for (const char* path :
       {"runtime/common/prelude.h", "runtime/common/lists.h", "runtime/common/graphs.h", "runtime/common/atomics.h",
        "runtime/common/group.h", "runtime/common/unit_tasks.h", "runtime/common/item_sets.h",
        "runtime/common/few_leaves.h", "runtime/common/leaf_ways.h", "runtime/common/match_data.h",
        "runtime/common/match_lists.h", "runtime/common/match_choice.h", "runtime/common/match_count.h",
        "runtime/common/match_walk.h", "codegen/cuda/match_kernels.h"}) {
    text += standalone_text(path);
  }
  return text;
}

}  // namespace matcha::codegen::gpu
