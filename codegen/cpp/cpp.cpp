#include "codegen/cpp/cpp.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/c_family/host_program.h"
#include "codegen/c_family/prologue.h"
#include "codegen/c_family/schedule.h"
#include "codegen/c_family/text_writer.h"

namespace matcha::codegen {

std::optional<std::string> emit_cpp(const ir::Module& module, const AheadOfTime& about, Diagnostics& diagnostics) {
  if (!check_tasks(module, diagnostics) || !check_no_kernels(module, diagnostics)) return std::nullopt;
  Names names;
  Emitted emitted = emit_workers(module, Spelling{"static", false}, names);
  if (about.only_query)
    return fmt::format("// The query of `{}`: the frame, and the code of the workers of each region.\n\n{}{}",
                       module.name, emitted.frame, emitted.text);
  const RegionCall call = [](const EmittedRegion& region, Names&) -> std::vector<std::string> {
    constexpr std::string_view kCall =
        "const RegionValues v = run_region(host, plan, [&](Worker& worker) {{ work_on_{}(f, worker); }});";
    return {fmt::format(kCall, region.function)};
  };
  std::optional<std::string> host = emit_host(module, about, emitted, names, call, diagnostics);
  if (!host) return std::nullopt;
  TextWriter out;
  out.line(program_line(about, "cpp"));
  out.line("//   g++ -O3 -std=c++20 -pthread THIS.cpp -o program && ./program GRAPH.mtg");
  out.raw(host_prologue({"codegen/cpp/host_run.h"}));
  if (std::ranges::any_of(emitted.regions, &EmittedRegion::counts_common)) out.raw(counting_prologue());
  out.blank();
  out.line("namespace matcha_program {");
  out.blank();
  out.raw(emitted.frame);
  out.raw(emitted.text);
  out.blank();
  out.line("}  // namespace matcha_program");
  out.blank();
  out.raw(*host);
  out.blank();
  out.line("int main(int count, char** arguments) { return matcha_program::main_of_program(count, arguments); }");
  return out.take();
}

namespace {

class CppBackend final : public Backend {
 public:
  explicit CppBackend(AheadOfTime about) : about_(std::move(about)) {}

  std::string_view name() const override { return "cpp"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    return emit_cpp(module, about_, diagnostics);
  }
  std::unique_ptr<Executable> load(const ir::Module&, Diagnostics&) override { return nullptr; }

 private:
  AheadOfTime about_;
};

}  // namespace

std::unique_ptr<Backend> make_cpp(AheadOfTime about) { return std::make_unique<CppBackend>(std::move(about)); }

}  // namespace matcha::codegen
