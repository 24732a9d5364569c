#include "engines/search/match_text.h"

#include "codegen/c_family/prologue.h"
#include "engine_texts.h"

namespace matcha::codegen::gpu {

std::string match_text() {
  std::string text = "// The kernels that match labelled patterns.\n" +
                     codegen::kernel_prologue(
                         {"runtime/common/item_sets.h", "runtime/common/few_leaves.h", "runtime/common/leaf_ways.h"});
  for (const char* path : {"engines/search/device/match_data.h", "engines/search/device/match_lists.h",
                           "engines/search/device/match_choice.h", "engines/search/device/match_count.h",
                           "engines/search/device/match_walk.h", "engines/search/device/match_kernels.h"})
    text += codegen::standalone(codegen::engine_texts::embedded_text(path));
  return text;
}

}  // namespace matcha::codegen::gpu
