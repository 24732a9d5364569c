// Kernels started by groups for long loops (GPU only): settings, and facts of a run.
#pragma once

#include <string>

#include "runtime/common/worker.h"

namespace matcha_program {

struct KernelSettings {
  u64 fanout = 1024;  ///< Loops of more positions start kernels.
  u64 kernels = 256;  ///< Most kernels at the same time.
};

struct KernelFacts {
  u64 kernels = 0;  ///< Kernels started.
  u64 kernels_refused = 0;
  u64 kernels_at_once = 0;  ///< Kernels that have room at the same time.
  u64 kernel_bytes = 0;     ///< Bytes of the lists of their groups.
};

/// Its members of JSON.
inline std::string kernel_json(const KernelFacts& facts) {
  return "\"kernels\": {\"started\": " + std::to_string(facts.kernels) +
         ", \"refused\": " + std::to_string(facts.kernels_refused) +
         ", \"at_once\": " + std::to_string(facts.kernels_at_once) +
         ", \"scratch_bytes\": " + std::to_string(facts.kernel_bytes) + "}, ";
}

}  // namespace matcha_program
