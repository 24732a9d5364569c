#include "session/engines/gpu_counters.h"

#include <functional>
#include <utility>

#include "engines/cliques/clique_text.h"
#include "engines/cliques/device_counter.h"
#include "engines/cliques/device_sums.h"
#include "engines/identities/counter.h"
#include "engines/identities/device_counter.h"
#include "engines/identities/motif_text.h"
#include "runtime/graph/device_copies.h"
#include "session/engines/gpu_matcher.h"

namespace matcha::session {

using codegen::DeviceKeeper;
using runtime::cliques::DeviceCliques;
using runtime::cliques::DeviceSums;
using runtime::motif::DeviceMotifs;

namespace {

/// Among the kinds of copies of a graph (codegen/cuda/kept_graph.h), those with ranks by degree, and roots of trees.
constexpr int kKeptMotifs = 65, kKeptCliques = 66, kKeptCliqueSums = 67;

template <typename Counter>
using MadeCounter = runtime::Result<std::unique_ptr<Counter>>;

/// A keeper whose counter is `make(graph)`, kept with a graph in memory under the number `kind`.
template <typename Counter>
std::shared_ptr<DeviceKeeper<Counter>> kept_counter(int kind,
                                                    std::function<MadeCounter<Counter>(const runtime::Graph&)> make) {
  using Shared = typename DeviceKeeper<Counter>::Shared;
  const auto open = [make = std::move(make)](const runtime::Graph& graph) -> runtime::Result<Shared> {
    MadeCounter<Counter> made = make(graph);
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
      kKeptMotifs, [code_folder](const runtime::Graph& graph) -> MadeCounter<DeviceMotifs> {
        GpuCode gpu = MATCHA_TRY(open_gpu_code(codegen::gpu::motif_text(), "motif_sums.cu", code_folder));
        return DeviceMotifs::make(graph, gpu.device, std::move(gpu.code));
      });
}

std::shared_ptr<codegen::CliqueDevice> gpu_cliques(const std::string& code_folder) {
  return kept_counter<DeviceCliques>(kKeptCliques, [code_folder](const runtime::Graph&) -> MadeCounter<DeviceCliques> {
    GpuCode gpu = MATCHA_TRY(open_gpu_code(codegen::gpu::clique_text(), "clique_trees.cu", code_folder));
    return DeviceCliques::make(gpu.device, std::move(gpu.code));
  });
}

std::shared_ptr<codegen::CliqueSumDevice> gpu_clique_sums(const std::string& code_folder, std::uint32_t size) {
  const auto open = [code_folder](bool wide) -> runtime::Result<DeviceSums::Code> {
    GpuCode gpu = MATCHA_TRY(open_gpu_code(codegen::gpu::clique_sum_text(wide), "clique_sums.cu", code_folder));
    return DeviceSums::Code{std::move(gpu.device), std::move(gpu.code)};
  };
  return kept_counter<DeviceSums>(
      kKeptCliqueSums, [open, size](const runtime::Graph& graph) { return DeviceSums::make(graph, size, open); });
}

}  // namespace matcha::session
