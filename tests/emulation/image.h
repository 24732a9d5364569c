#pragma once

#include <cstdint>

/// The machine code passed from the emulated NVRTC to the emulated driver: this header, then a shared library.
namespace matcha::emulation {

inline constexpr char kImageMagic[8] = {'M', 'T', 'C', 'H', 'E', 'M', 'U', '1'};

struct ImageHeader {
  char magic[8];
  std::uint64_t bytes;  ///< The size of the library.
};

/// How a kernel of such a library is run; it exports one for each, named `emulated_` and the kernel's name.
struct Kernel {
  void* (*copy)(void** arguments);  ///< Copies the arguments of a launch, as the driver gets them.
  void (*drop)(void* copied);
  /// Runs one thread of a grid in one dimension.
  void (*run)(void* copied, unsigned blocks, unsigned threads, unsigned block, unsigned thread);
};

/// Starts a kernel from a kernel, with arguments that are copied already; false: no more of them may wait. A library
/// has a variable `emulated_start_kernel` of this type, which the driver sets.
using StartKernel = bool(const Kernel* kernel, void* copied, unsigned blocks, unsigned threads);

}  // namespace matcha::emulation
