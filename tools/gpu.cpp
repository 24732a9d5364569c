#include "tools/gpu.h"

#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::tools {

void add_gpu_options(CLI::App& verb, codegen::CudaOptions& options) {
  verb.add_option("--group", options.group,
                  "Threads that work together: 1, 2, 4, 8, 16 or 32; default: chosen for each loop")
      ->check(CLI::IsMember({0, 1, 2, 4, 8, 16, 32}))
      ->type_name("N")
      ->group("GPU");
  verb.add_option("--tau-us", options.tau_us, "Microseconds after which a long task is split; 0: never; default: 10000")
      ->type_name("N")
      ->group("GPU");
  verb.add_option("--chunk", options.chunk,
                  "Outermost iterations that a group takes at a time; default: by their number")
      ->type_name("N")
      ->group("GPU");
  verb.add_option("--tile", options.tile,
                  "Edges that a group takes at a time in loops over neighbours; 0: whole vertices; default: by their "
                  "number")
      ->type_name("N")
      ->group("GPU");
  verb.add_option("--queue", options.queue, "Split tasks that there is room for; default: 131072")
      ->type_name("N")
      ->group("GPU");
}

std::string gpu_problem() {
  const runtime::Result<const runtime::cuda::Driver*> driver = runtime::cuda::Driver::open();
  if (!driver) return driver.error().message;
  const runtime::Result<int> count = runtime::cuda::device_count(**driver);
  if (!count) return count.error().message;
  if (*count == 0) return "the driver finds no GPU";
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc =
      runtime::cuda::Nvrtc::open({"", (*driver)->version() / 1000});
  return nvrtc ? std::string() : nvrtc.error().message;
}

}  // namespace matcha::tools
