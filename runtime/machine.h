#pragma once

#include <cstdint>
#include <memory>

/// The memory and the processors that this process may use, in a container those of the container.
namespace matcha::runtime {

struct Machine {
  std::uint64_t memory_bytes = 0;  ///< 0: not known.
  unsigned threads = 1;            ///< Processors, by affinity and by the limit of processor time.
};

/// Found out once.
const Machine& machine();

/// Lets oneTBB have as many threads as the machine, or as many as anybody has asked for so far if that is more; 0 asks
/// for none. How many a region gets is up to its arena, so that regions at the same time do not limit each other.
void allow_threads(unsigned threads);

/// While it lives, oneTBB has at most so many threads in this process, the caller's included. The smallest of several
/// limits counts.
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
