// Stops of a run: by request and by deadline.
#pragma once

#include <future>
#include <optional>

#include "codegen/backend.h"
#include "codegen/cuda/clock.h"

namespace matcha::codegen::gpu {

/// The ending that is requested now; Complete: none.
inline Ending requested_ending(const RunOptions& options) {
  if (options.stop_request != nullptr && options.stop_request->load(std::memory_order_relaxed) != 0) {
    return Ending::Stopped;
  }
  return options.deadline && Clock::now() >= *options.deadline ? Ending::Deadline : Ending::Complete;
}

/// Thrown by a run that is stopped while it waits.
struct WaitStopped {
  Ending ending = Ending::Stopped;
};

/// Waits until the future is ready or a stop is requested, because a compiler or a driver cannot be stopped. Throws
/// StoppedWaiting in case of a stop.
template <typename Future>
void wait_for(const Future& future, const RunOptions& options) {
  constexpr std::chrono::milliseconds kLook{5};
  while (future.wait_for(kLook) != std::future_status::ready) {
    const Ending ending = requested_ending(options);
    if (ending != Ending::Complete) throw WaitStopped{ending};
  }
}

}  // namespace matcha::codegen::gpu
