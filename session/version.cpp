#include "session/version.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <tbb/version.h>

namespace matcha::session {

const char* matcha_version() { return MATCHA_VERSION; }
const char* llvm_version() { return LLVM_VERSION_STRING; }
const char* antlr_version() { return MATCHA_ANTLR_VERSION; }
std::string tbb_version() { return TBB_runtime_version(); }

std::string version_text() {
  return fmt::format("matcha {} (LLVM {}, oneTBB {}, ANTLR {})", matcha_version(), llvm_version(), tbb_version(),
                     antlr_version());
}

}  // namespace matcha::session
