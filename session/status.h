#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/result.h"

namespace matcha::session {

/// How a step ended: well, or with a kind of failure. The Reporter has the message.
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

/// The exit code of the command line, and the `code` of an answer of `serve`; docs/exit-codes.md.
constexpr int exit_code(Status status) {
  constexpr int kTimeout = 124, kInterrupted = 130, kTerminated = 143;
  switch (status) {
    case Status::Ok: return 0;
    case Status::Query: return 1;
    case Status::Usage: return 2;
    case Status::Input: return 3;
    case Status::Run: return 4;
    case Status::Resource: return 5;
    case Status::Timeout: return kTimeout;
    case Status::Interrupted: return kInterrupted;
    case Status::Terminated: return kTerminated;
  }
  return 4;
}

/// The status behind an exit code.
constexpr Status status_of_exit(int code) {
  for (const Status status : {Status::Ok, Status::Query, Status::Usage, Status::Input, Status::Run, Status::Resource,
                              Status::Timeout, Status::Interrupted, Status::Terminated}) {
    if (exit_code(status) == code) return status;
  }
  return Status::Run;
}

/// The `id` of messages that are no diagnostics, in JSON.
constexpr std::string_view message_id(Status status) {
  switch (status) {
    case Status::Ok: return "ok";
    case Status::Query: return "query";
    case Status::Usage: return "usage";
    case Status::Input: return "input";
    case Status::Run: return "run";
    case Status::Resource: return "resource";
    case Status::Timeout: return "timeout";
    case Status::Interrupted:
    case Status::Terminated: return "interrupted";
  }
  return "run";
}

/// The cause of an early end: `timeout`, `interrupt` or `terminate`, for people and JSON. Requires: one of these did.
constexpr const char* stop_word(Status verdict) {
  switch (verdict) {
    case Status::Timeout: return "timeout";
    case Status::Terminated: return "terminate";
    case Status::Ok:
    case Status::Query:
    case Status::Usage:
    case Status::Input:
    case Status::Run:
    case Status::Resource:
    case Status::Interrupted: break;
  }
  return "interrupt";
}

/// `stopped by --timeout` or `stopped by a signal`.
constexpr const char* stopped_by(Status verdict) {
  return verdict == Status::Timeout ? "stopped by --timeout" : "stopped by a signal";
}

}  // namespace matcha::session
