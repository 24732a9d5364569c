#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_family/emitter.h"
#include "codegen/c_family/schedule.h"
#include "codegen/cuda/cuda.h"
#include "codegen/cuda/frame_layout.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::gpu {

/// Threads of a block of every region's kernel.
inline constexpr unsigned kBlockThreads = 128;
/// Blocks that a multiprocessor should hold at least, which leaves 64 registers a thread. Searches wait for memory, so
/// more groups help more than a few spilled registers cost (7, 6 and 5 blocks took 1.02, 1.07 and 1.13 times as long).
/// Without this limit ptxas takes 64 or 92 registers for the same loops, depending on the surrounding code.
inline constexpr unsigned kLeastBlocks = 8;
/// The same for groups that count in shared memory, which holds no more.
inline constexpr unsigned kBlocksThatCount = 6;
/// Most registers of a thread in texts whose kernels start kernels. Their functions are relocatable, so each is
/// compiled by itself and may use no more registers than the kernels that call it.
inline constexpr unsigned kStartingRegisters = 65536 / (kBlockThreads * kLeastBlocks);
static_assert(kBlockThreads == 128, "as runtime/common/wedge_counters.h has it");

/// The program of a device: one text without includes, for NVRTC or nvcc.
struct DeviceText {
  std::string text;
  std::vector<EmittedRegion> regions;  ///< Their kernels are called `run_` followed by the name of the region's
                                       ///< function.
  std::vector<std::string> parts;      ///< One text for each region, so that they can be compiled side by side.
  /// For each region, the graphs whose rows of hubs it reads. If not empty, its text has the kernel that makes them.
  std::vector<std::vector<const ir::Var*>> hub_graphs;
};

/// The compiler options of a text, except the architecture. If its kernels start kernels, it has to be linked with the
/// run time of the device.
std::vector<std::string> compile_options(bool starts_kernels = false);

/// True if the kernels of a module start kernels: `--steal kernel`.
bool starts_kernels(const ir::Module& module);
/// Prefix of the name of a started kernel, before the name of its region's function.
inline constexpr std::string_view kStartedKernel = "started";

/// How the device's language spells workers.
Spelling device_spelling();

/// Requires: a verified module of stage kernel that `check_device_program` accepts. The text uses one kind of search,
/// and with `hubs` reads rows of hubs. A loaded query, which `check_loaded_query` accepts, replaces the frame and the
/// code of workers. `moves_rows`: rows of graphs may be elsewhere (SpreadGraph).
DeviceText emit_device_text(const ir::Module& module, Search search = Search::Plain, bool hubs = false,
                            const LoadedQuery& query = {}, bool moves_rows = false);

/// False, with a diagnostic, if the module cannot run on a device: it has another stage, a schedule of another target,
/// or more values than the parameters of a kernel hold.
bool check_device_program(const ir::Module& module, Diagnostics& diagnostics);

}  // namespace matcha::codegen::gpu
