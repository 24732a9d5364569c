#include "session/gpu_counters.h"

#include <functional>
#include <utility>

#include "engines/cliques/clique_text.h"
#include "engines/cliques/device_counter.h"
#include "engines/identities/counter.h"
#include "engines/identities/device_counter.h"
#include "engines/identities/motif_text.h"
#include "runtime/graph/device_copies.h"
#include "session/gpu_matcher.h"

namespace matcha::session {

using codegen::DeviceKeeper;
using runtime::cliques::DeviceCliques;
using runtime::motif::DeviceMotifs;

namespace {

/// Among the kinds of copies of a graph (codegen/cuda/kept_graph.h), those with ranks by degree, and roots of trees.
constexpr int kKeptMotifs = 65, kKeptCliques = 66;

template <typename Counter>
using MadeCounter = runtime::Result<std::unique_ptr<Counter>>;

/// A keeper whose counter is `make(graph, gpu)`, kept with a graph in memory under the number `kind`.
template <typename Counter>
std::shared_ptr<DeviceKeeper<Counter>> kept_counter(
    int kind, std::function<MadeCounter<Counter>(const runtime::Graph&, GpuCode)> make,
    std::function<runtime::Result<GpuCode>()> open_code) {
  using Shared = typename DeviceKeeper<Counter>::Shared;
  const auto open = [make = std::move(make),
                     open_code = std::move(open_code)](const runtime::Graph& graph) -> runtime::Result<Shared> {
    GpuCode gpu = MATCHA_TRY(open_code());
    MadeCounter<Counter> made = make(graph, std::move(gpu));
    if (!made) return made.error();
    return Shared(std::move(*made));
  };
  return std::make_shared<DeviceKeeper<Counter>>([kind, open](const runtime::Graph& graph) -> runtime::Result<Shared> {
    const std::shared_ptr<runtime::DeviceCopies> copies = graph.device_copies();
    if (copies == nullptr) return open(graph);
    try {
      return copies->get<Counter>({graph.view().offsets, 0, kind, 0}, [&] {
        runtime::Result<Shared> made = open(graph);
        if (!made) throw made.error();
        return std::move(*made);
      });
    } catch (const runtime::Error& error) {
      return error;
    }
  });
}

}  // namespace

std::shared_ptr<codegen::MotifDevice> gpu_motifs(const std::string& code_folder) {
  return kept_counter<DeviceMotifs>(
      kKeptMotifs,
      [](const runtime::Graph& graph, GpuCode gpu) {
        return DeviceMotifs::make(graph, gpu.device, std::move(gpu.code));
      },
      [code_folder] { return open_gpu_code(codegen::gpu::motif_text(), "motif_sums.cu", code_folder); });
}

std::shared_ptr<codegen::CliqueDevice> gpu_cliques(const std::string& code_folder, std::uint32_t size) {
  return kept_counter<DeviceCliques>(
      kKeptCliques,
      [size](const runtime::Graph& graph, GpuCode gpu) {
        return DeviceCliques::make(graph, size, gpu.device, std::move(gpu.code));
      },
      [code_folder] { return open_gpu_code(codegen::gpu::clique_text(), "clique_trees.cu", code_folder); });
}

}  // namespace matcha::session
