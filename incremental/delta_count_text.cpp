#include "incremental/delta_count_text.h"

#include "codegen/c_family/prologue.h"
#include "delta_texts.h"

namespace matcha::session::stream {

std::string delta_count_text() {
  std::string text = "// The kernels that count the matches of changed edges.\n" +
                     codegen::kernel_prologue({"runtime/common/item_sets.h"});
  for (const char* path : {"incremental/runtime/device/delta_data.h", "incremental/runtime/device/delta_rows.h",
                           "incremental/runtime/device/delta_sets.h", "incremental/runtime/device/delta_walk.h",
                           "incremental/runtime/device/delta_kernels.h"})
    text += codegen::standalone(delta_texts::embedded_text(path));
  return text;
}

}  // namespace matcha::session::stream
