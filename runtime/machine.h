#pragma once

#include <cstdint>

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

}  // namespace matcha::runtime
