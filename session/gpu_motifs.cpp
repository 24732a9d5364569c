#include "session/gpu_motifs.h"

#include <utility>

#include "engines/identities/counter.h"
#include "engines/identities/device_counter.h"
#include "engines/identities/motif_text.h"
#include "runtime/graph/device_copies.h"
#include "session/gpu_matcher.h"

namespace matcha::session {

using codegen::MotifDevice;
using runtime::motif::DeviceMotifs;

namespace {

/// Among the kinds of copies of a graph (codegen/cuda/kept_graph.h), that with ranks by degree.
constexpr int kKeptMotifs = 65;

runtime::Result<MotifDevice::Shared> open_motifs(const runtime::Graph& graph, const std::string& code_folder) {
  runtime::Result<GpuCode> gpu = open_gpu_code(codegen::gpu::motif_text(), "motif_sums.cu", code_folder);
  if (!gpu) return gpu.error();
  runtime::Result<std::unique_ptr<DeviceMotifs>> made = DeviceMotifs::make(graph, gpu->device, std::move(gpu->code));
  if (!made) return made.error();
  return MotifDevice::Shared(std::move(*made));
}

}  // namespace

std::shared_ptr<MotifDevice> gpu_motifs(const std::string& code_folder) {
  return std::make_shared<MotifDevice>(
      [code_folder](const runtime::Graph& graph) -> runtime::Result<MotifDevice::Shared> {
        const std::shared_ptr<runtime::DeviceCopies> copies = graph.device_copies();
        if (copies == nullptr) return open_motifs(graph, code_folder);
        try {
          return copies->get<DeviceMotifs>({graph.view().offsets, 0, kKeptMotifs, 0}, [&] {
            runtime::Result<MotifDevice::Shared> made = open_motifs(graph, code_folder);
            if (!made) throw made.error();
            return std::move(*made);
          });
        } catch (const runtime::Error& error) {
          return error;
        }
      });
}

}  // namespace matcha::session
