#include "codegen/cuda/program.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "codegen/c_family/host_program.h"
#include "codegen/c_family/text_writer.h"
#include "codegen/cuda/device_text.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::gpu {

namespace {

using ir::Kind;

/// Takes the lines that include a system header out of `text` and adds them to `includes`: the text will stand inside a
/// namespace.
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

/// The graphs and lists of the top level that a region reads, in the order of `layout`, and what of a graph.
struct Read {
  const ir::Var* var;
  std::set<std::string> parts;
};
std::vector<Read> reads(const EmittedRegion& entry, const FrameLayout& layout) {
  std::unordered_map<const ir::Expr*, std::set<std::string>> found;
  if (entry.arcs_graph != nullptr) found[entry.arcs_graph].insert("kSources");
  ir::for_each_stmt(*entry.region->collect->body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        if (node.kind == Kind::Var) found[&node];
        if (node.operands.empty() || node.operands[0]->kind != Kind::Var) return;
        if (node.kind == Kind::Edges) found[node.operands[0]].insert("kSources");
        if (node.kind == Kind::EdgeInfo) found[node.operands[0]].insert("kInfo");
        if (reads_halves(node)) found[node.operands[0]].insert("kHalves");
        if (node.kind == Kind::Label) found[node.operands[0]].insert("kLabels");
      });
    });
  });
  std::vector<Read> result;
  for (const FrameField& field : layout.fields) {
    const auto at = found.find(field.var);
    if (at != found.end() && !field.var->type->is_scalar()) result.push_back({field.var, at->second});
  }
  return result;
}

/// The statements that put what a region reads onto the GPU and run it.
std::vector<std::string> call(const EmittedRegion& region, const FrameLayout& layout, Names& names) {
  std::vector<std::string> lines = {"Frame placed = f;"};
  for (const Read& read : reads(region, layout)) {
    std::string parts;
    for (const std::string& part : read.parts) parts += (parts.empty() ? "" : " | ") + part;
    const std::string member = "placed." + names.of(read.var);
    lines.push_back(read.var->type->is_graph()
                        ? fmt::format("place(host, {}, {});", member, parts.empty() ? "0" : parts)
                        : fmt::format("place(host, {});", member));
  }
  lines.push_back(
      fmt::format("const Kernel kernel = {{reinterpret_cast<const void*>(&::matcha_program::run_{}), {}, {}}};",
                  region.function, region.region->schedule.group, kBlockThreads));
  lines.emplace_back("const RegionValues v = run_region(host, plan, kernel, &placed);");
  return lines;
}

}  // namespace

std::optional<std::string> emit_program(const ir::Module& module, const AheadOfTime& about, Diagnostics& diagnostics,
                                        Search search) {
  if (!check_device_program(module, diagnostics)) return std::nullopt;
  const FrameLayout layout(module);
  Names names;
  const Emitted emitted = emit_workers(module, device_spelling(about.stack), names);
  const RegionCall region_call = [&](const EmittedRegion& region, Names& named) { return call(region, layout, named); };
  const std::optional<std::string> steps = emit_host(module, about, emitted, names, region_call, diagnostics);
  if (!steps) return std::nullopt;
  std::set<std::string> includes;
  const std::string prologue =
      without_includes(host_prologue({"codegen/cuda/host_gpu.h", "codegen/cuda/host_run.h"}), includes);
  TextWriter out;
  out.line(program_line(about, "cuda"));
  out.line("//   nvcc -arch=sm_90 THIS.cu -o program && ./program GRAPH.mtg");
  out.line("#pragma nv_diag_suppress 177  // Functions that this program does not need.");
  out.blank();
  out.line("// The device.");
  out.raw(emit_device_text(module, about.steal, about.stack, search).text);
  out.blank();
  out.line("// The host. It names the same things, in a namespace of its own.");
  for (const std::string& include : includes) out.line(include);
  out.line("#define MATCHA_HOST_PART");
  for (const char* macro : {"MATCHA_STEALING", "MATCHA_SEARCH", "MATCHA_ON_DEVICE", "MATCHA_FN", "MATCHA_MEMBER",
                            "MATCHA_APART", "MATCHA_DEVICE_FUNCTION"}) {
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
