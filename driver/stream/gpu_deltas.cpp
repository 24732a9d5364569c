#include "driver/stream/gpu_deltas.h"

#include <utility>

#include "codegen/cuda/delta_text.h"
#include "codegen/cuda/device_text.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/kernel_cache.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::driver::stream {

namespace cuda = runtime::cuda;
using runtime::stream::DeltaSearch;
using runtime::stream::DeviceSearch;
using runtime::stream::EdgeUpdate;

runtime::Result<std::unique_ptr<GpuDeltas>> GpuDeltas::open(DynamicPresent& present, const DeltaDevice& settings) {
  const runtime::Result<const cuda::Driver*> driver = cuda::Driver::open();
  if (!driver) return driver.error();
  const runtime::Result<cuda::DeviceRef> device = cuda::Device::open(**driver, 0);
  if (!device) return device.error();
  const runtime::Result<const cuda::Nvrtc*> nvrtc = cuda::Nvrtc::open({"", (*driver)->version() / 1000});
  if (!nvrtc) return nvrtc.error();
  cuda::CompileRequest request;
  request.source = codegen::gpu::delta_count_text();
  request.name = "delta_count.cu";
  request.options = codegen::gpu::compile_options();
  request.arch = (*device)->properties().arch;
  const runtime::Result<cuda::KernelImage> image =
      cuda::compile_cached(**nvrtc, cuda::KernelCache(settings.code_folder), request);
  if (!image) return image.error();
  runtime::Result<cuda::Module> code = cuda::Module::load(*device, image->bytes);
  if (!code) return code.error();
  runtime::Result<std::unique_ptr<DeviceSearch>> search =
      DeviceSearch::make(present.graph(), *device, std::move(*code));
  if (!search) return search.error();
  (*search)->set_most_graph_bytes(settings.graph_bytes);
  return std::unique_ptr<GpuDeltas>(new GpuDeltas((*device)->label(), std::move(*search)));
}

std::string GpuDeltas::set_programs(std::vector<DeltaProgram*> programs) {
  programs_ = std::move(programs);
  terms_ = {};
  for (DeltaProgram* program : programs_) program->add_terms(terms_);
  search_->forget_terms();
  return search_->problem_of(terms_);
}

runtime::Result<GpuDeltas::Took> GpuDeltas::take(std::span<const EdgeUpdate> edges, int sign,
                                                 const runtime::match::Stops& stops) {
  const runtime::Result<DeviceSearch::Outcome> outcome = search_->run({terms_, edges, sign > 0, stops, {}});
  if (!outcome) return outcome.error();
  const runtime::stream::SharedSearch::Result& found = outcome->found;
  Took took{found.ending, found.fits, outcome->is_refused, found.updates, found.busy_ms};
  if (!took.fits || took.is_refused || took.ending != DeltaSearch::Ending::Complete) return took;
  if (!take_counts(found.maps, 0, sign)) took.ending = DeltaSearch::Ending::Overflow;
  return took;
}

bool GpuDeltas::take_counts(const std::vector<__int128>& maps, std::size_t slot, int sign) const {
  const __int128* of_program = maps.data() + slot * terms_.all.size();
  bool fits = true;
  for (DeltaProgram* program : programs_) {
    fits = program->take_counts(of_program, sign) && fits;
    of_program += program->term_count();
  }
  return fits;
}

}  // namespace matcha::driver::stream
