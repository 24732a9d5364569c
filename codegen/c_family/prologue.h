#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace matcha::codegen {

/// The text of an embedded header without `#pragma once` and includes of our own files.
/// Requires: `path` is among the files that codegen/CMakeLists.txt embeds.
std::string standalone_text(std::string_view path);
/// The same of the text of a header that another folder embeds.
std::string standalone(std::string_view text);
/// The beginning of the text of kernels that belong to no program: six headers of runtime/common, then the headers
/// `more`. Requires: as `standalone_text`.
std::string kernel_prologue(std::initializer_list<std::string_view> more);

/// The common start of every C-family program: the headers of runtime/common in the order of their dependencies.
/// another.
std::string worker_prologue();

/// The additional headers of programs that count common neighbours (`EmittedRegion::counts_common`).
std::string counting_prologue();

}  // namespace matcha::codegen
