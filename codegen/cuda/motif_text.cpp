#include "codegen/cuda/motif_text.h"

#include "codegen/c_family/prologue.h"

namespace matcha::codegen::gpu {

std::string motif_text() {
  std::string text = "// The kernels that find sums over triangles and wedges.\n";
  for (const char* path :
       {"runtime/common/prelude.h", "runtime/common/lists.h", "runtime/common/graphs.h", "runtime/common/atomics.h",
        "runtime/common/group.h", "runtime/common/unit_tasks.h", "runtime/common/item_sets.h",
        "runtime/common/motif_data.h", "runtime/common/motif_walk.h", "codegen/cuda/motif_kernels.h"}) {
    text += standalone_text(path);
  }
  return text;
}

}  // namespace matcha::codegen::gpu
