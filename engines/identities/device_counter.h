#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "engines/identities/device/motif_data.h"
#include "engines/identities/ranked_graph.h"
#include "engines/identities/triangles.h"
#include "engines/identities/vertex_loop.h"
#include "engines/identities/wedge_walk.h"
#include "engines/search/unit_kernels.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

/// Sums over the triangles and wedges of a graph, on a device that has a copy of it with ranks by degree.
class DeviceMotifs {
 public:
  /// `code`: the kernels of engines/identities/device/motif_kernels.h. Requires: `graph` as in `rank_for_motifs`.
  /// Errors: Resource, also if sums might not fit into 128 bits; Runtime.
  static Result<std::unique_ptr<DeviceMotifs>> make(const Graph& graph, const cuda::DeviceRef& device,
                                                    cuda::Module code);

  struct Request {
    bool wedges = false;  ///< 4-cycles, and `five_cycles` and `pairs` if requested.
    bool five_cycles = false, pairs = false, wheels = false;
  };
  struct Found {
    End end = End::Complete;
    Triangles triangles;  ///< Without lists.
    WedgeSums wedges;     ///< `four_cycles`, `closed`, `returned`, `pairs` and `wheels`, if requested.
    Sum above;            ///< As in TriangleSums.
  };
  /// Concurrent callers are serialized. Errors: Resource when out of memory; Runtime when a kernel failed.
  Result<Found> run(const Request& wants, const match::Stops& stops);

  const RankedGraph& graph() const { return graph_; }
  const cuda::Device& device() const { return stream_->device(); }

 private:
  struct Kernels {
    cuda::Function triangles, thirds, wheels, wedges;
  };
  DeviceMotifs(RankedGraph graph, cuda::Stream stream, cuda::Module code, Kernels kernels, cuda::GraphUpload upload)
      : graph_(std::move(graph)),
        stream_(std::make_unique<cuda::Stream>(std::move(stream))),
        code_(std::move(code)),
        kernels_(std::move(kernels)),
        upload_(std::move(upload)) {}

  Status send_arcs();
  matcha_program::MotifLaunch launch_of(std::uint64_t units, std::uint64_t chunk) const;
  Result<bool> run_kernel(const cuda::Function& kernel, matcha_program::MotifLaunch launch, const match::Stops& stops);
  Result<bool> find_triangles(Triangles& triangles, const match::Stops& stops);
  Result<bool> find_wheels(const Triangles& triangles, const match::Stops& stops);
  Result<bool> find_wedges(const Request& wants, const match::Stops& stops);
  Status reserve_counters(std::uint64_t of_each, std::uint64_t met_of_each, matcha_program::MotifLaunch& launch);
  Result<matcha_program::MotifSums> sums();

  RankedGraph graph_;
  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  Kernels kernels_;
  cuda::GraphUpload upload_;
  std::mutex turn_;
  match::StopWord stop_word_;
  cuda::DeviceBuffer<std::uint64_t> split_;
  cuda::DeviceBuffer<std::uint32_t> sources_;
  cuda::DeviceMemory control_;  ///< Sums, and the words shared by groups.
  cuda::DeviceMemory on_, start_, third_, counters_, met_;
};

}  // namespace matcha::runtime::motif
