#pragma once

#include "runtime/result.h"

namespace matcha::tools {

/// What `matcha` tells its caller; docs/exit-codes.md.
enum class ExitCode : int {
  Ok = 0,
  Query = 1,          ///< An error in the program.
  Usage = 2,          ///< A wrong option, or a parameter that nothing is bound to.
  Input = 3,          ///< A file that cannot be read or written, or makes no sense.
  Run = 4,            ///< A failure while running, or of the device.
  Resource = 5,       ///< Memory or a limit is exhausted.
  Timeout = 124,      ///< `--timeout` was reached.
  Interrupted = 130,  ///< Ctrl-C.
  Terminated = 143,   ///< SIGTERM.
};

constexpr ExitCode exit_code(runtime::ErrorKind kind) {
  switch (kind) {
    case runtime::ErrorKind::Input: return ExitCode::Input;
    case runtime::ErrorKind::Runtime: return ExitCode::Run;
    case runtime::ErrorKind::Resource: return ExitCode::Resource;
  }
  return ExitCode::Run;
}

}  // namespace matcha::tools
