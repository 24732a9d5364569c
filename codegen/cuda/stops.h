// Stops of a run: by request and by deadline.
#pragma once

#include <future>
#include <optional>

#include "codegen/backend.h"
#include "codegen/cuda/clock.h"

namespace matcha::codegen::gpu {

/// Why a run is to end now; Complete: it is not.
inline Ending asked_ending(const RunOptions& options) {
  if (options.stop_request != nullptr && options.stop_request->load(std::memory_order_relaxed) != 0) {
    return Ending::Stopped;
  }
  return options.deadline && Clock::now() >= *options.deadline ? Ending::Deadline : Ending::Complete;
}

/// Thrown by a run that is to end while it waits.
struct StoppedWaiting {
  Ending ending = Ending::Stopped;
};

/// Waits until the future is ready: a compiler or a driver knows of no stop. Throws StoppedWaiting when one comes
/// first.
template <typename Future>
void wait_for(const Future& future, const RunOptions& options) {
  constexpr std::chrono::milliseconds kLook{5};
  while (future.wait_for(kLook) != std::future_status::ready) {
    const Ending ending = asked_ending(options);
    if (ending != Ending::Complete) throw StoppedWaiting{ending};
  }
}

}  // namespace matcha::codegen::gpu
