#pragma once

#include "runtime/abi.h"

/// The tables of the tiers, one .cpp each; set_kernels.cpp selects one.
namespace matcha::runtime {

extern const SetKernels kScalarKernels;
extern const SetKernels kAvx2Kernels;
extern const SetKernels kAvx512Kernels;
extern const SetKernels kVp2intersectKernels;

}  // namespace matcha::runtime
