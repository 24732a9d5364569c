#pragma once

#include "driver/status.h"

namespace matcha::tools {

/// The verbs speak of the steps of a run as their own.
using namespace driver;

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

}  // namespace matcha::tools
