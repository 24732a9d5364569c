#include "engines/identities/motif_text.h"

#include "codegen/c_family/prologue.h"
#include "engine_texts.h"

namespace matcha::codegen::gpu {

std::string motif_text() {
  std::string text = "// The kernels that find sums over triangles and wedges.\n" +
                     codegen::kernel_prologue({"runtime/common/item_sets.h"});
  for (const char* path : {"engines/identities/device/motif_data.h", "engines/identities/device/motif_walk.h",
                           "engines/identities/device/motif_kernels.h"})
    text += codegen::standalone(codegen::engine_texts::embedded_text(path));
  return text;
}

}  // namespace matcha::codegen::gpu
