#include "codegen/host/trap.h"

namespace matcha::codegen::host {

void fail(runtime::ErrorKind kind, std::string message, std::string hint, SourceLoc loc) {
  throw Trap{runtime::Error{kind, std::move(message), {}, 0, std::move(hint)}, loc};
}

void trap(runtime::TrapCode code, SourceLoc loc) {
  fail(runtime::ErrorKind::Runtime, runtime::trap_message(code), {}, loc);
}

}  // namespace matcha::codegen::host
