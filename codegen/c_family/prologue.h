#pragma once

#include <string>
#include <string_view>

namespace matcha::codegen {

/// The text of an embedded header without what ties it to its place: `#pragma once` and includes of our own files.
/// Requires: `path` is among the files that codegen/CMakeLists.txt embeds.
std::string standalone_text(std::string_view path);

/// What every C-family program starts with: the headers of runtime/common, in the order in which they build on one
/// another.
std::string worker_prologue();

/// What stands behind it in programs that count what vertices have in common (`EmittedRegion::counts_common`).
std::string counting_prologue();

}  // namespace matcha::codegen
