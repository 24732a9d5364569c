#include "codegen/cuda/device_text.h"

#include <fmt/format.h>

#include <span>

#include "codegen/c_family/prologue.h"
#include "codegen/cuda/hub_rows.h"
#include "codegen/cuda/query_part.h"
#include "codegen/cuda/tiles.h"
#include "ir/analysis/walk.h"
#include "ir/check.h"
#include "ir/match.h"
#include "runtime/common/launch.h"

namespace matcha::codegen::gpu {

namespace {

using ir::Kind;

/// Size limits of a kernel's parameters, from CUDA 12.1 on, and of those of a kernel that another kernel starts.
constexpr std::uint64_t kMostParameterBytes = 32'764;
constexpr std::uint64_t kMostStartedBytes = 4096;

void assert_layout(const ir::Module& module, Names& names, TextWriter& out) {
  FrameLayout layout(module);
  out.line("// The host fills the frame; it finds the members' places by these.");
  out.line(fmt::format("static_assert(sizeof(Frame) == {});", layout.bytes));
  for (const FrameField& field : layout.fields) {
    out.line(fmt::format("static_assert(sizeof(Frame::{0}) == {1} && alignof(decltype(Frame::{0})) == {2});",
                         names.of(field.var), field.bytes, field.alignment));
  }
}

/// Prints the start of a kernel up to its worker. The kernel has one more parameter, or none; `groups` is its number of
/// groups. Group `index` of them uses the memory of worker `worker`.
void begin_entry(const EmittedRegion& region, std::string_view name, std::string_view parameter,
                 std::string_view groups, std::string_view worker, TextWriter& out) {
  const std::uint32_t group = region.region->schedule.group;
  out.blank();
  const unsigned blocks = region.counts_common ? kBlocksThatCount : kLeastBlocks;
  out.line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}, {})", kBlockThreads, blocks));
  out.open(fmt::format("{}_{}(const __grid_constant__ Frame f, const __grid_constant__ Launch launch{})", name,
                       region.function, parameter));
  out.line(fmt::format("const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / {};", group));
  out.line(fmt::format("if (index >= {}) return;", groups));
  if (group == 1) {
    out.line("TaskState state;");
  } else {
    out.line(fmt::format("__shared__ TaskState states[{}];", kBlockThreads / group));
    out.line(fmt::format("TaskState& state = states[threadIdx.x / {}];", group));
  }
  out.line(fmt::format("WorkerOf<Group<{}>> w(launch, {}, state);", group, worker));
}

void entry(const EmittedRegion& region, TextWriter& out) {
  begin_entry(region, "run", "", "launch.workers", "index", out);
  out.line(fmt::format("work_on_{}(f, w);", region.function));
  out.close();
}

/// The kernel that groups of the region start. Its groups use the memory of the workers behind those of the first
/// kernel.
void started_entry(const EmittedRegion& region, TextWriter& out) {
  begin_entry(region, kStartedKernel, ", const __grid_constant__ KernelStart start", "start.groups",
              "launch.workers + start.place * kKernelGroups + index", out);
  const std::string lanes = fmt::format("Group<{}>::here()", region.region->schedule.group);
  out.line(fmt::format("take_part({}, state, start, index);", lanes));
  out.line(fmt::format("if (!w.stopped()) work_on_{}(f, w);", region.function));
  out.line(fmt::format("end_part({}, launch, start);", lanes));
  out.close();
}

/// Starts that kernel for the current region. Kernels started without waiting run side by side, and the kernel that
/// started them ends after them.
void start_function(std::span<const EmittedRegion> regions, std::size_t first, TextWriter& out) {
  out.blank();
  out.line("#ifndef MATCHA_START_KERNEL");
  out.line("#define MATCHA_START_KERNEL(kernel, blocks, threads, ...) \\");
  out.line(
      "  (kernel<<<blocks, threads, 0, cudaStreamFireAndForget>>>(__VA_ARGS__), cudaGetLastError() == cudaSuccess)");
  out.line("#endif");
  out.open("MATCHA_NOINLINE bool start_kernel(const Launch& launch, const KernelStart& start)");
  out.line("const Frame& frame = *static_cast<const Frame*>(launch.kernels.frame);");
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::uint32_t group = regions[i].region->schedule.group;
    out.line(fmt::format("const u32 blocks{} = u32((start.groups * {} + {}) / {});", i, group, kBlockThreads - 1,
                         kBlockThreads));
    out.line(fmt::format("if (launch.kernels.region == {})", first + i));
    out.line(fmt::format("  return MATCHA_START_KERNEL({}_{}, blocks{}, {}u, frame, launch, start);", kStartedKernel,
                         regions[i].function, i, kBlockThreads));
  }
  out.line("return false;");
  out.close();
}

/// The kernel that makes the rows of bits for hubs.
void hub_rows_entry(std::uint32_t group, TextWriter& out) {
  out.blank();
  out.open(fmt::format("extern \"C\" __global__ void {}(Graph g, HubRows hubs, u64* taken)", kHubRowsKernel));
  out.line(fmt::format("using Lanes = Group<{}>;", group));
  out.line("const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x;");
  out.line("const u64 groups = u64(gridDim.x) * blockDim.x / Lanes::kWidth;");
  out.line("mark_hubs(g, hubs, taken, Lanes::here(), thread / Lanes::kWidth, groups);");
  out.close();
}

/// The kernel that finds the starts of tiles; each thread takes a share of them.
void tiles_entry(TextWriter& out) {
  out.blank();
  out.open(fmt::format("extern \"C\" __global__ void {}(Deal deal, u32* starts)", kTilesKernel));
  out.line("const u64 threads = u64(gridDim.x) * blockDim.x;");
  out.line("const u64 share = deal.tiles / threads + 1;");
  out.line("const u64 first = (u64(blockIdx.x) * blockDim.x + threadIdx.x) * share;");
  out.line("find_tile_starts(deal, starts, first, smaller(first + share, deal.tiles + 1));");
  out.close();
}

}  // namespace

std::vector<std::string> compile_options(bool starts_kernels) {
  std::vector<std::string> options = {"--std=c++20", "--device-int128", "--fmad=false", "--diag-suppress=177"};
  if (starts_kernels) {
    options.insert(options.end(),
                   {"--relocatable-device-code=true", fmt::format("--maxrregcount={}", kStartingRegisters)});
  }
  return options;
}

bool starts_kernels(const ir::Module& module) { return schedule_of(module).steal == ir::Stealing::Kernel; }

Spelling device_spelling() { return Spelling{"static __device__ __forceinline__", true}; }

DeviceText emit_device_text(const ir::Module& module, Search search, bool hubs, const LoadedQuery& query,
                            bool moves_rows) {
  Names names;
  Emitted emitted = emit_workers(module, device_spelling(), names);
  const std::string prologue = worker_prologue();
  const ir::Facts facts(module);
  DeviceText result;
  for (const EmittedRegion& region : emitted.regions) {
    result.hub_graphs.push_back(hubs ? searched_graphs(facts, *region.region) : std::vector<const ir::Var*>());
  }
  const auto whole = [&](std::string_view workers, std::size_t first, std::size_t end) {
    bool looks = false, dealt = false, counts = false;
    for (std::size_t i = first; i < end; ++i) {
      counts = counts || emitted.regions[i].counts_common;
      looks = looks || !result.hub_graphs[i].empty();
      dealt = dealt || emitted.regions[i].dealt_graph != nullptr;
    }
    TextWriter out;
    out.line(fmt::format("// {}: the device, for NVRTC or nvcc.", module.name));
    out.line(fmt::format("#define MATCHA_STEALING {}", stealing_name(schedule_of(module).steal)));
    if (search != Search::Plain) out.line(fmt::format("#define MATCHA_SEARCH {}", search_name(search)));
    if (looks) out.line("#define MATCHA_HUBS");
    if (moves_rows) out.line("#define MATCHA_MOVED_ROWS");
    if (starts_kernels(module)) out.line("#define MATCHA_KERNELS");
    out.raw(prologue);
    if (looks) out.raw(standalone_text("runtime/common/hub_rows.h"));
    if (counts) out.raw(counting_prologue());
    out.blank();
    out.line("namespace matcha_program {");
    out.blank();
    if (query.is_loaded()) {
      out.raw(placed_query(query));
    } else {
      out.raw(emitted.frame);
      out.raw(workers);
    }
    out.blank();
    assert_layout(module, names, out);
    for (std::size_t i = first; i < end; ++i) entry(emitted.regions[i], out);
    if (starts_kernels(module)) {
      for (std::size_t i = first; i < end; ++i) started_entry(emitted.regions[i], out);
      start_function(std::span(emitted.regions).subspan(first, end - first), first, out);
    }
    if (looks) hub_rows_entry(emitted.regions[first].region->schedule.group, out);
    if (dealt) tiles_entry(out);
    out.blank();
    out.line("}  // namespace matcha_program");
    return out.take();
  };
  result.text = whole(emitted.text, 0, emitted.regions.size());
  for (std::size_t i = 0; i < emitted.regions.size(); ++i) {
    result.parts.push_back(whole(emitted.region_texts[i], i, i + 1));
  }
  result.regions = std::move(emitted.regions);
  return result;
}

bool check_device_program(const ir::Module& module, Diagnostics& diagnostics) {
  if (module.stage != ir::Stage::Kernel) {
    diagnostics.error(DiagId::IrInvalid, {}, "the CUDA back end takes a module of stage kernel");
    return false;
  }
  for (const ir::Stmt* stmt : module.body->body) {
    if (stmt->kind != ir::Kind::Repeat) continue;
    diagnostics.error(DiagId::TargetLimit, stmt->loc, "rounds (`iterate`, `repeat`) do not run on a GPU",
                      "run the program on the CPU");
    return false;
  }
  if (!check_tasks(module, diagnostics)) return false;
  const std::uint64_t bytes = FrameLayout(module).bytes + sizeof(matcha_program::Launch);
  const auto fits = [&](std::uint64_t taken, std::uint64_t most, const char* given, const char* hint) {
    if (taken <= most) return true;
    diagnostics.error(DiagId::TargetLimit, module.body->body.back()->loc,
                      fmt::format("the values of a program take {} bytes, of {} that {}", taken, most, given), hint);
    return false;
  };
  if (starts_kernels(module) && !fits(bytes + sizeof(matcha_program::KernelStart), kMostStartedBytes,
                                      "a kernel is given which a kernel starts", "--steal timeout starts none")) {
    return false;
  }
  return fits(bytes, kMostParameterBytes, "a kernel is given",
              "--device cpu has no such limit; several programs with fewer results have none either");
}

}  // namespace matcha::codegen::gpu
