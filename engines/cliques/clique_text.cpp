#include "engines/cliques/clique_text.h"

#include "codegen/c_family/prologue.h"
#include "engine_texts.h"

namespace matcha::codegen::gpu {

std::string clique_text() {
  std::string text =
      "// The kernel that walks pivot trees of cliques.\n" + codegen::kernel_prologue({"runtime/common/item_sets.h"});
  for (const char* path : {"engines/cliques/device/clique_data.h", "engines/cliques/device/clique_leaves.h",
                           "engines/cliques/device/clique_narrow.h", "engines/cliques/device/clique_rows.h",
                           "engines/cliques/device/clique_wide.h", "engines/cliques/device/clique_walk.h",
                           "engines/cliques/device/clique_kernels.h"})
    text += codegen::standalone(codegen::engine_texts::embedded_text(path));
  return text;
}

}  // namespace matcha::codegen::gpu
