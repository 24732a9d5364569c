#pragma once

#include <optional>
#include <string>

/// The GPUs of this machine as the kernel lists them: immediate, while loading the driver's library takes 0.2 seconds.
/// It is a guess, used to start work for such a device early: the driver may hide devices or renumber them.
namespace matcha::runtime::cuda {

struct PciGuess {
  int arch = 0;        ///< Compute capability of all the devices, 10·major + minor.
  int cuda_major = 0;  ///< The newest CUDA version that the kernel module supports.
};

/// Empty when there are no NVIDIA GPUs, several kinds of them, or an unknown one. `system`: the folder where the kernel
/// shows its devices and modules. Source: the PCI ID repository, vendor 10de.
std::optional<PciGuess> guess_devices(const std::string& system = "/sys");

}  // namespace matcha::runtime::cuda
