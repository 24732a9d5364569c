#pragma once

#include <cstdint>

#include "runtime/result.h"

namespace matcha::session {

/// How a step ended: well, or with a kind of failure. What failed went to the Reporter.
enum class Status : std::uint8_t {
  Ok,
  Query,        ///< An error in the program.
  Usage,        ///< A wrong option, or a parameter that nothing is bound to.
  Input,        ///< A file that cannot be read or written, or makes no sense.
  Run,          ///< A failure while running, or of the device.
  Resource,     ///< Memory or a limit is exhausted.
  Timeout,      ///< The time is over.
  Interrupted,  ///< The caller asked for a stop.
  Terminated,   ///< So did the system.
};

constexpr Status status_of(runtime::ErrorKind kind) {
  switch (kind) {
    case runtime::ErrorKind::Input: return Status::Input;
    case runtime::ErrorKind::Runtime: return Status::Run;
    case runtime::ErrorKind::Resource: return Status::Resource;
  }
  return Status::Run;
}

}  // namespace matcha::session
