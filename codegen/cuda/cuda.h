#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "codegen/backend.h"
#include "codegen/c_family/ahead_of_time.h"
#include "codegen/c_family/schedule.h"
#include "ir/assumptions.h"

namespace matcha::codegen {

/// Most pending kernels that the device's run time allows groups to start, at its default limits.
inline constexpr std::uint64_t kMostKernels = 2048;

/// Restricts a run to a part of the work, so that schedules can be timed. The work is divided into `parts` times the
/// number of devices, and each device walks one part with the kernels and the dealing of a whole run. The run has no
/// values, hands over no rows, and ends as Ending::Sampled.
struct Sample {
  std::uint64_t parts = 1;  ///< Walks one of this many evenly spread parts of each parallel region that only adds up.
                            ///< Other regions run whole, because later steps read their values. 1: no sample.
  std::uint64_t least = 1;  ///< Approximate smallest number of outermost positions of a part; a small region has fewer
                            ///< parts.
};

/// An edited part of the device's text (gpu::query_part), which replaces the emitted part.
struct LoadedQuery {
  std::string file;  ///< For messages.
  std::string text;

  bool is_loaded() const { return !file.empty(); }
  /// The assumptions that the original program made about its graph; the module that runs the part makes them too.
  ir::AssumptionKinds assumed() const;
};

/// Settings for running the regions of a program on a GPU, beside their schedules. Except for a sample, no result
/// depends on them. Times, sizes and memory are here and not in the schedules, because their defaults depend on the
/// positions of a launch, the resident groups and the free memory. Kernels are not compiled for particular values.
struct CudaOptions {
  Search search = Search::Plain;
  /// Microseconds. Timeout hands on the rest of a task after this time; 0: never. Half looks for idle blocks at this
  /// interval; 0: never. Empty: 100 for Timeout, 10 for Half.
  std::optional<std::uint64_t> tau_us;
  std::uint64_t chunk = 0;            ///< Outermost positions that a group takes at a time; 0: chosen by their number.
  std::optional<std::uint64_t> tile;  ///< Arcs that a group takes at a time in loops over neighbours; 0: whole
                                      ///< vertices; empty: chosen by their number.
  std::uint64_t queue = std::uint64_t{1} << 17;  ///< Capacity of the queue in tasks.
  std::uint64_t fanout = 1024;                   ///< With Kernel stealing, loops of more positions start a kernel.
  std::uint64_t kernels = 256;                   ///< Most kernels at the same time; at most kMostKernels.
  std::uint64_t hubs = 64;  ///< Vertices with this many neighbours get a row of bits, as memory allows; 0: none.
  bool eager = false;       ///< Hand on after `tau_us` even when no group waits for work; for tests.
  std::uint64_t rows = std::uint64_t{1} << 20;  ///< Initial capacity of a list, in rows.
  std::uint64_t scratch_bytes = 0;  ///< Most bytes for the intermediate lists of all groups; 0: the free memory.
  std::uint64_t arena_bytes = 0;    ///< Most of `scratch_bytes` for the pages of paged lists; 0: as needed.
  std::uint64_t graph_bytes = 0;    ///< Most bytes of a GPU for each input graph that is kept in memory; the rest is
                                    ///< read in host memory. 0: the whole graph is on the GPU.
  int device = 0;                   ///< The first GPU to use.
  std::uint32_t gpus = 1;           ///< Number of GPUs to use together; 0: all from `device` on.
  int turn = 0;                     ///< Index of this process among those of a host that each take `gpus` of its GPUs.
  Sample sample;
  bool samples() const { return sample.parts > 1; }
  LoadedQuery query;
  std::string code_folder;  ///< Folder of compiled kernels (runtime/code_cache.h); empty: they are not kept.
};

/// CUDA for the first GPU, through NVRTC and the driver; both are opened when a program runs, so emission and loading
/// need neither.
std::unique_ptr<Backend> make_cuda(const CudaOptions& options = {});

/// Emits a whole program for nvcc with its own `main`, with the device part of `make_cuda`; loads nothing.
std::unique_ptr<Backend> make_cuda_program(AheadOfTime about, const CudaOptions& options = {});

/// Compiles a text that `make_cuda` emitted to PTX, for an architecture given as 10·major + minor, through NVRTC, which
/// needs no GPU. `starts_kernels`: the text is of a module whose regions have Stealing::Kernel, and has to be linked
/// with the run time of the device. Errors: as Nvrtc::open and Nvrtc::compile.
runtime::Result<std::string> compile_to_ptx(std::string text, bool starts_kernels, int arch);

}  // namespace matcha::codegen
