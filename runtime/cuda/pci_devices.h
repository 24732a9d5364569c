#pragma once

#include <optional>
#include <string>

/// What the kernel says of the GPUs of this machine: at once, while the driver's library takes a fifth of a second to
/// start. It is a guess, to begin with what has to be done for such a device: the driver may hide devices, and give
/// others names of its own.
namespace matcha::runtime::cuda {

struct PciGuess {
  int arch = 0;        ///< Compute capability of all the devices, 10·major + minor.
  int cuda_major = 0;  ///< Of the newest CUDA that the kernel's module goes with.
};

/// Nothing when there are no NVIDIA GPUs, several kinds of them, or one that this does not know. `system`: the folder
/// where the kernel shows its devices and modules. Source: the PCI ID repository, vendor 10de.
std::optional<PciGuess> guess_devices(const std::string& system = "/sys");

}  // namespace matcha::runtime::cuda
