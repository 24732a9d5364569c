#pragma once

#include <string_view>

#include "session/status.h"

namespace matcha::tools {

/// The verbs speak of the steps of a run as their own.
using namespace session;

/// What `matcha` tells its caller; docs/exit-codes.md.
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

}  // namespace matcha::tools
