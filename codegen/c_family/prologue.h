#pragma once

#include <string>
#include <string_view>

namespace matcha::codegen {

/// The text of an embedded header without `#pragma once` and includes of our own files.
/// Requires: `path` is among the files that codegen/CMakeLists.txt embeds.
std::string standalone_text(std::string_view path);

/// The common start of every C-family program: the headers of runtime/common in the order of their dependencies.
/// another.
std::string worker_prologue();

/// The additional headers of programs that count common neighbours (`EmittedRegion::counts_common`).
std::string counting_prologue();

}  // namespace matcha::codegen
