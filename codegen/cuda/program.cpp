#include "codegen/cuda/program.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "codegen/c_family/host_program.h"
#include "codegen/c_family/text_writer.h"
#include "codegen/cuda/device_text.h"
#include "codegen/host/host_plan.h"

namespace matcha::codegen::gpu {

namespace {

/// Moves the lines of `text` that include a system header to `includes`, because the text will be inside a namespace.
std::string without_includes(std::string_view text, std::set<std::string>& includes) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("#include <")) {
      includes.emplace(line);
    } else {
      result.append(line).append("\n");
    }
  }
  return result;
}

/// The parts of a graph to be copied to the GPU.
std::string parts_of(const host::GraphNeeds& needs) {
  std::string parts;
  const auto add = [&](bool wanted, std::string_view part) {
    if (wanted) parts += fmt::format("{}{}", parts.empty() ? "" : " | ", part);
  };
  add(needs.arcs, "kArcs");
  add(needs.degrees && !needs.arcs, "kOffsets");
  add(needs.halves, "kHalves");
  add(needs.edge_info != nullptr, "kInfo");
  add(needs.labels, "kLabels");
  add(needs.sources, "kSources");
  add(needs.vertices, "kVertices");
  return parts.empty() ? "0" : parts;
}

/// The statements that copy the inputs of a region to the GPU and run it.
std::vector<std::string> call(const EmittedRegion& region, std::size_t number, const host::RegionStep& step,
                              const FrameLayout& layout, Names& names) {
  std::vector<std::string> lines = {"Frame placed = f;"};
  for (const FrameField& field : layout.fields) {
    if (!step.reads.contains(field.var) || field.var->type->is_scalar()) continue;
    const std::string member = "placed." + names.of(field.var);
    const auto needs = step.graphs.find(field.var);
    lines.push_back(field.var->type->is_graph()
                        ? fmt::format("place(host, {}, {});", member,
                                      parts_of(needs != step.graphs.end() ? needs->second : host::GraphNeeds{}))
                        : fmt::format("place(host, {});", member));
  }
  lines.push_back(
      fmt::format("const Kernel kernel = {{reinterpret_cast<const void*>(&::matcha_program::run_{}), {}, {}, "
                  "sizeof(Frame), {}}};",
                  region.function, region.region->schedule.group, kBlockThreads, number));
  lines.emplace_back("const RegionValues v = run_region(host, plan, kernel, &placed);");
  return lines;
}

}  // namespace

std::optional<std::string> emit_program(const ir::Module& module, const AheadOfTime& about, Diagnostics& diagnostics,
                                        Search search) {
  if (!check_device_program(module, diagnostics)) return std::nullopt;
  const FrameLayout layout(module);
  Names names;
  const Emitted emitted = emit_workers(module, device_spelling(), names);
  const host::Plan plan(module);
  std::unordered_map<const ir::Region*, const host::RegionStep*> planned;
  for (const host::RegionStep* step : plan.regions()) planned.emplace(step->region, step);
  const RegionCall region_call = [&](const EmittedRegion& region, Names& named) {
    const std::size_t number = static_cast<std::size_t>(&region - emitted.regions.data());
    return call(region, number, *planned.at(region.region), layout, named);
  };
  const std::optional<std::string> steps = emit_host(module, about, emitted, names, region_call, diagnostics);
  if (!steps) return std::nullopt;
  std::set<std::string> includes;
  const std::string prologue = without_includes(
      host_prologue({"codegen/cuda/host_gpu.h", "codegen/cuda/host_kernels.h", "codegen/cuda/host_run.h"}), includes);
  TextWriter out;
  out.line(program_line(about, "cuda"));
  const std::string more =
      starts_kernels(module) ? fmt::format("-rdc=true -maxrregcount={} ", kStartingRegisters) : std::string();
  out.line(fmt::format("//   nvcc -arch=sm_90 {}THIS.cu -o program && ./program GRAPH.mtg", more));
  out.line("#pragma nv_diag_suppress 177  // Functions that this program does not need.");
  out.blank();
  out.line("// The device.");
  out.raw(emit_device_text(module, search).text);
  out.blank();
  out.line("// The host. It names the same things, in a namespace of its own.");
  for (const std::string& include : includes) out.line(include);
  out.line("#define MATCHA_HOST_PART");
  for (const char* macro : {"MATCHA_STEALING", "MATCHA_SEARCH", "MATCHA_KERNELS", "MATCHA_ON_DEVICE", "MATCHA_FN",
                            "MATCHA_MEMBER", "MATCHA_NOINLINE", "MATCHA_DEVICE_FUNCTION"}) {
    out.line(fmt::format("#undef {}", macro));
  }
  out.blank();
  out.line("namespace matcha_host {");
  out.blank();
  out.raw(prologue);
  out.blank();
  out.line("namespace matcha_program {");
  out.blank();
  out.raw(emitted.frame);
  out.line("static_assert(sizeof(Frame) == sizeof(::matcha_program::Frame));");
  out.line("static_assert(sizeof(Launch) == sizeof(::matcha_program::Launch));");
  out.blank();
  out.line("}  // namespace matcha_program");
  out.blank();
  out.raw(without_includes(*steps, includes));
  out.blank();
  out.line("}  // namespace matcha_host");
  out.blank();
  out.open("int main(int count, char** arguments)");
  out.line("return matcha_host::matcha_program::main_of_program(count, arguments);");
  out.close();
  return out.take();
}

}  // namespace matcha::codegen::gpu
