#include "codegen/c_family/prologue.h"

#include <algorithm>

#include "cpp_texts.h"
#include "ir/check.h"

namespace matcha::codegen {

std::string standalone_text(std::string_view path) {
  const std::string_view text = cpp_texts::embedded_text(path);
  MATCHA_CHECK(text.data() != nullptr, "an embedded text");
  return standalone(text);
}

std::string standalone(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "#include \"runtime/common/exact_sum.h\"") {
      result += standalone_text("runtime/common/exact_sum.h");  // Stands where macros are set for it.
    } else if (line == "#include \"runtime/common/real_functions.h\"") {
      result += standalone_text("runtime/common/real_functions.h");
    } else if (!line.starts_with("#pragma once") && !line.starts_with("#include \"")) {
      result.append(line).append("\n");
    }
  }
  return result;
}

std::string kernel_prologue(std::initializer_list<std::string_view> more) {
  std::string result;
  for (std::string_view path : {"runtime/common/prelude.h", "runtime/common/lists.h", "runtime/common/graphs.h",
                                "runtime/common/atomics.h", "runtime/common/group.h", "runtime/common/unit_tasks.h"}) {
    result += standalone_text(path);
  }
  for (std::string_view path : more) result += standalone_text(path);
  return result;
}

std::string worker_prologue() {
  std::string result;
  for (std::string_view path :
       {"runtime/common/prelude.h",        "runtime/common/lists.h",       "runtime/common/graphs.h",
        "runtime/common/atomics.h",        "runtime/common/task_queue.h",  "runtime/common/group.h",
        "runtime/common/deal.h",           "runtime/common/launch.h",      "runtime/common/half_stealing.h",
        "runtime/common/offload.h",        "runtime/common/task_state.h",  "runtime/common/kernel_stealing.h",
        "runtime/common/task_walk.h",      "runtime/common/checked.h",     "runtime/common/rooms.h",
        "runtime/common/lane_search.h",    "runtime/common/flat_counts.h", "runtime/common/bits.h",
        "runtime/common/bit_walks.h",      "runtime/common/bit_sets.h",    "runtime/common/bit_rows.h",
        "runtime/common/set_operations.h", "runtime/common/keyed_rows.h",  "runtime/common/worker.h"}) {
    result += standalone_text(path);
  }
  return result;
}

std::string counting_prologue() {
  return standalone_text("runtime/common/wedge_counters.h") + standalone_text("runtime/common/common_neighbors.h");
}

}  // namespace matcha::codegen
