#include "driver/gpu_motifs.h"

#include <cstdlib>
#include <utility>

#include "codegen/cuda/motif_text.h"
#include "driver/gpu_matcher.h"
#include "runtime/graph/device_copies.h"
#include "runtime/motif/counter.h"
#include "runtime/motif/device_counter.h"

namespace matcha::driver {

using codegen::MotifDevice;
using runtime::motif::DeviceMotifs;
using runtime::motif::Motif;

namespace {

/// Among the kinds of copies of a graph (codegen/cuda/kept_graph.h), that with ranks by degree.
constexpr int kKeptMotifs = 65;
/// Programs that take less are as fast: of 5-cycles and 4-wheels in facebook, enron and dblp on an H100 they took 1 to
/// 58 ms, wedges 2 to 60; in cnr-2000 2,366 and 6,346 beside 244 and 90.
constexpr double kLongProgramNs = 1e8;

runtime::Result<MotifDevice::Shared> open_motifs(const runtime::Graph& graph, const std::string& code_folder) {
  runtime::Result<GpuCode> gpu = open_gpu_code(codegen::gpu::motif_text(), "motif_sums.cu", code_folder);
  if (!gpu) return gpu.error();
  runtime::Result<std::unique_ptr<DeviceMotifs>> made = DeviceMotifs::make(graph, gpu->device, std::move(gpu->code));
  if (!made) return made.error();
  return MotifDevice::Shared(std::move(*made));
}

}  // namespace

bool pay_on_gpu(const runtime::motif::MotifSet& wanted, std::optional<double> ns) {
  // Tests have small graphs.
  const bool is_long = ns.value_or(0) > kLongProgramNs || std::getenv("MATCHA_TEST_GPU_MOTIFS") != nullptr;
  return is_long && runtime::motif::fits_device(wanted) &&
         (wanted[at(Motif::FiveCycle)] || wanted[at(Motif::FourWheel)]);
}

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

}  // namespace matcha::driver
