// Every driver entry that Matcha looks up; entries missing in the emulation report that.

#include "runtime/cuda/driver.h"

namespace matcha::runtime::cuda {

namespace {

constexpr CuResult kNotSupported = 801;

}  // namespace

#define MATCHA_CUDA_CALL(name, symbol, ...) \
  extern "C" __attribute__((weak)) CuResult symbol(__VA_ARGS__) { return kNotSupported; }
#include "runtime/cuda/driver.def"
#undef MATCHA_CUDA_CALL

}  // namespace matcha::runtime::cuda
