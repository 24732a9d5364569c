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

/// Kernels that the device's run time keeps for groups to start, when its limits are as they are at first.
inline constexpr std::uint64_t kMostKernels = 2048;

/// A part of the work, so that schedules can be timed on it: of `parts` times the devices that there are, only these
/// walk their share, with the kernels and the dealing of a whole run. What it finds is no answer and is not given: the
/// run has no values, hands over no rows, and ends as Ending::Sampled.
struct Sample {
  std::uint64_t parts = 1;  ///< Of each parallel region that only adds up, one of so many is walked, evenly spread;
                            ///< other regions are whole, since others read what they make. 1: no sample.
  std::uint64_t least = 1;  ///< Outermost positions of a part, about; a region with few has fewer parts.
};

/// A part of the device's text that somebody edited (gpu::query_part), to run in place of what is emitted.
struct LoadedQuery {
  std::string file;  ///< For messages.
  std::string text;

  bool is_there() const { return !file.empty(); }
  /// What the program that it was made of assumes of its graph, which the module that runs it assumes too.
  ir::AssumptionKinds assumed() const;
};

/// How a GPU runs the regions of a program, beside what their schedules say. No result depends on any of it, but that a
/// sample has none. Times, sizes and memory are here and not in the schedules: what is usual for them depends on the
/// positions of a launch, the groups that the device holds and the memory that is free, and no kernel is compiled for
/// one of them.
struct CudaOptions {
  Search search = Search::Plain;
  /// Microseconds: Timeout hands on the rest of a task that ran for so long, 0: never; Half looks so often for blocks
  /// without work, 0: never. Not said: 100 and 10.
  std::optional<std::uint64_t> tau_us;
  std::uint64_t chunk = 0;            ///< Outermost positions that a group takes at a time; 0: by their number.
  std::optional<std::uint64_t> tile;  ///< Arcs that a group takes at a time where neighbours are walked; 0: whole
                                      ///< vertices; none: by their number.
  std::uint64_t queue = std::uint64_t{1} << 17;  ///< Tasks that the queue has room for.
  std::uint64_t fanout = 1024;                   ///< Kernel starts a kernel for a loop of more positions than these,
  std::uint64_t kernels = 256;                   ///< and so many of them may be there at a time, at most kMostKernels.
  std::uint64_t hubs = 64;  ///< Vertices with so many neighbours get a row of bits, as memory allows; 0: none does.
  bool eager = false;       ///< Hand on after `tau_us` even when no group waits for work; for tests.
  std::uint64_t rows = std::uint64_t{1} << 20;  ///< Rows of a list for which there is room at first.
  std::uint64_t scratch_bytes = 0;  ///< Memory for the intermediate lists of all groups at most; 0: what is free.
  std::uint64_t arena_bytes = 0;    ///< Of `scratch_bytes` at most, for the pages of paged lists; 0: what is needed.
  std::uint64_t graph_bytes = 0;    ///< Of a GPU at most for each input graph that stays in memory; the rest of it is
                                    ///< read in memory of the host. 0: all of the graph is on the GPU.
  int device = 0;                   ///< The first GPU that is used.
  std::uint32_t gpus = 1;           ///< How many are used together; 0: all from `device` on.
  int turn = 0;                     ///< Of processes of a host that each take `gpus` of its GPUs in turn: the number.
  Sample sample;
  bool samples() const { return sample.parts > 1; }
  LoadedQuery query;
  std::string code_folder;  ///< Where compiled kernels are kept (runtime/code_cache.h); empty: nowhere.
};

/// CUDA for the first GPU, through NVRTC and the driver; both are opened when a program runs, so emission and loading
/// need neither.
std::unique_ptr<Backend> make_cuda(const CudaOptions& options = {});

/// Emits a whole program for nvcc with its own `main`, whose device part is what `make_cuda` emits; loads nothing.
std::unique_ptr<Backend> make_cuda_program(AheadOfTime about, const CudaOptions& options = {});

/// The PTX of a text that `make_cuda` emitted, for an architecture as 10·major + minor, through NVRTC, which needs no
/// GPU. `starts_kernels`: of a module whose regions have Stealing::Kernel; it is to be linked with the run time of the
/// device. Errors: as Nvrtc::open and Nvrtc::compile.
runtime::Result<std::string> compile_to_ptx(std::string text, bool starts_kernels, int arch);

}  // namespace matcha::codegen
