#include "engines/cliques/clique_text.h"

#include <initializer_list>

#include "codegen/c_family/prologue.h"
#include "engine_texts.h"

namespace matcha::codegen::gpu {

namespace {

/// The text of a kernel: headers of runtime/common, then `start`, then the headers `names`.
std::string text_of(const std::string& start, std::initializer_list<const char*> names) {
  std::string text = codegen::kernel_prologue({"runtime/common/item_sets.h"}) + start;
  for (const char* name : names) {
    const std::string path = std::string("engines/cliques/device/") + name;
    text += codegen::standalone(codegen::engine_texts::embedded_text(path));
  }
  return text;
}

}  // namespace

std::string clique_text() {
  return text_of("// The kernel that walks pivot trees of cliques.\n",
                 {"clique_data.h", "clique_rows.h", "clique_leaves.h", "clique_narrow.h", "clique_wide.h",
                  "clique_walk.h", "clique_kernels.h"});
}

std::string clique_sum_text(bool wide) {
  const std::string number = wide ? "u128" : "u64";
  return text_of(
      "// The kernel that counts cliques at each vertex by pivot trees.\n"
      "namespace matcha_program {\nusing CliqueNumber = " +
          number + ";\n}\n",
      {"clique_data.h", "clique_rows.h", "clique_narrow_sums.h", "clique_sums.h", "clique_narrow.h", "clique_wide.h",
       "clique_walk.h", "clique_sum_kernels.h"});
}

}  // namespace matcha::codegen::gpu
