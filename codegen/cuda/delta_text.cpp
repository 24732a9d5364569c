#include "codegen/cuda/delta_text.h"

#include "codegen/c_family/prologue.h"

namespace matcha::codegen::gpu {

std::string delta_count_text() {
  std::string text = "// The kernels that count the matches of changed edges.\n";
  for (const char* path :
       {"runtime/common/prelude.h", "runtime/common/lists.h", "runtime/common/graphs.h", "runtime/common/atomics.h",
        "runtime/common/group.h", "runtime/common/unit_tasks.h", "runtime/common/delta_data.h",
        "runtime/common/item_sets.h", "runtime/common/delta_rows.h", "runtime/common/delta_sets.h",
        "runtime/common/delta_walk.h", "codegen/cuda/delta_kernels.h"}) {
    text += standalone_text(path);
  }
  return text;
}

}  // namespace matcha::codegen::gpu
