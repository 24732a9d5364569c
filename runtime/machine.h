#pragma once

#include <cstdint>
#include <memory>

/// The memory and the processors available to this process, within the limits of its container.
namespace matcha::runtime {

struct Machine {
  std::uint64_t memory_bytes = 0;  ///< 0: unknown.
  unsigned threads = 1;            ///< Processors, by affinity and by the CPU-time limit.
};

/// Determined once.
const Machine& machine();

/// Allows oneTBB at least `threads` threads, at least those of the machine and of all earlier calls; 0 requests none.
/// The arena of a region limits its threads, so that concurrent regions do not limit each other.
void allow_threads(unsigned threads);

/// While it lives, oneTBB has at most this many threads in this process, including the caller's. The smallest of
/// several limits applies.
class ThreadLimit {
 public:
  explicit ThreadLimit(unsigned threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace matcha::runtime
