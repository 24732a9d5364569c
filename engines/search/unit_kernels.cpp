#include "engines/search/unit_kernels.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace matcha::runtime::match {

Result<unsigned> most_blocks(const cuda::Function& function, const cuda::Device& device) {
  const int blocks = MATCHA_TRY(function.blocks_per_multiprocessor(kThreadsOfBlock));
  return static_cast<unsigned>(std::max(blocks, 1) * std::max(device.properties().multiprocessors, 1));
}

Result<bool> took_all_units(const matcha_program::UnitShared& shared, std::uint64_t units, const cuda::Device& device) {
  if (shared.stop != 0) return false;
  if (shared.live == 0 && shared.next >= units) return true;
  Error error;
  error.kind = ErrorKind::Runtime;
  error.message = "a kernel of " + device.label() + " has left units";
  return error;
}

Result<StopWord> StopWord::make(const cuda::DeviceRef& device) {
  cuda::PinnedBuffer<std::uint64_t> word = MATCHA_TRY(cuda::PinnedBuffer<std::uint64_t>::allocate(device, 1));
  StopWord stop_word;
  stop_word.word_ = std::move(word);
  return stop_word;
}

Status StopWord::wait(cuda::Stream& stream, const Stops& stops) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSpun{2};
  constexpr std::chrono::microseconds kNap{50};
  const Clock::time_point begin = Clock::now();
  volatile std::uint64_t* const word = word_.host();
  for (;;) {
    const Result<bool> done = stream.done();
    if (!done) {
      Error error = done.error();
      error.message = "the kernel failed on " + stream.device().label() + "; " + error.message;
      return error;
    }
    if (*done) return Done{};
    if (stops.is_stopped() || stops.is_late()) *word = 1;
    if (Clock::now() - begin > kSpun) std::this_thread::sleep_for(kNap);
  }
}

}  // namespace matcha::runtime::match
