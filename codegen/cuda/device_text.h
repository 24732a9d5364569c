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
/// Blocks that a multiprocessor shall hold at least, which leaves 64 registers a thread. Searches wait for memory, so
/// more groups help more than a few registers that do not fit cost (7, 6 and 5 blocks took 1.02, 1.07 and 1.13 times as
/// long). Without this ptxas takes 64 or 92 registers for the same loops, as the words around them change.
inline constexpr unsigned kLeastBlocks = 8;
/// The same where groups count in shared memory, which has room for no more.
inline constexpr unsigned kBlocksThatCount = 6;
/// Registers of a thread at most in texts whose kernels start kernels: their functions are relocatable, so each is
/// compiled by itself, and may take no more than the kernels that call it.
inline constexpr unsigned kStartingRegisters = 65536 / (kBlockThreads * kLeastBlocks);
static_assert(kBlockThreads == 128, "as runtime/common/wedge_counters.h has it");

/// The program of a device: one text without includes, for NVRTC or nvcc.
struct DeviceText {
  std::string text;
  std::vector<EmittedRegion> regions;  ///< Their kernels are called `run_` and the region's function.
  std::vector<std::string> parts;      ///< Each region as a text of its own, so that they are compiled side by side.
  /// For each region the graphs in whose rows of hubs it looks; not empty: its text has the kernel that makes them.
  std::vector<std::vector<const ir::Var*>> hub_graphs;
};

/// The options that a text is compiled with, besides the architecture. One whose kernels start kernels is then linked
/// with the run time of the device.
std::vector<std::string> compile_options(bool starts_kernels = false);

/// Whether the kernels of a module start kernels: `--steal kernel`.
bool starts_kernels(const ir::Module& module);
/// The name of a kernel that they start, before that of its region's function.
inline constexpr std::string_view kStartedKernel = "started";

/// How the device's language spells workers.
Spelling device_spelling();

/// Requires: a verified module of stage kernel that `check_device_program` takes. The text serves one kind of search,
/// and with `hubs` looks into rows of hubs. A query that was loaded, which `check_loaded_query` takes, stands in place
/// of the frame and of what workers run. `moves_rows`: graphs may have rows elsewhere (SpreadGraph).
DeviceText emit_device_text(const ir::Module& module, Search search = Search::Plain, bool hubs = false,
                            const LoadedQuery& query = {}, bool moves_rows = false);

/// False, with a diagnostic, for what does not run on a device: a module of another stage, a schedule of another
/// target, more values than the parameters of a kernel have room for.
bool check_device_program(const ir::Module& module, Diagnostics& diagnostics);

}  // namespace matcha::codegen::gpu
