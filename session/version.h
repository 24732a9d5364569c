#pragma once

#include <string>

namespace matcha::session {

/// The version of Matcha alone, such as `0.1.0`.
const char* matcha_version();
/// The number of the language; docs/versions.md says when it changes.
inline constexpr int kLanguageVersion = 1;
/// `matcha 0.1.0` and the libraries that it was built with.
std::string version_text();
const char* llvm_version();
const char* antlr_version();
/// The version of the loaded library.
std::string tbb_version();

}  // namespace matcha::session
