#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "codegen/cuda/cuda.h"
#include "frontend/asg.h"
#include "ir/printer.h"
#include "session/compile.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/targets.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct BuildOptions {
  ConsoleOptions console;
  CompileOptions compile;
  std::string emit = "ir";
  std::string device = "cpu";
  std::string output = "-";
  std::string part = "all";
  GpuOptions gpu;
  int arch = 90;
  bool dot = false;
  bool time_passes = false;
  std::vector<std::string> print_after;
  bool print_changed = false;
  std::string dump_dir;
  std::string stop_after;
  std::vector<std::string> assumed;
  std::optional<std::uint64_t> pass_limit;
};

/// The text of a target; for PTX the output of NVRTC.
Status emit_text(const Target& target, const TargetSettings& settings, const BuildOptions& options,
                 Compilation& compilation, const Console& console, std::string& text) {
  const Status code = compilation.emit(*target.make(settings), text);
  if (code != Status::Ok || target.emit != "ptx") return code;
  runtime::Result<std::string> ptx =
      codegen::compile_to_ptx(std::move(text), options.gpu.steal == ir::Stealing::Kernel, options.arch);
  if (!ptx) return console.error(ptx.error());
  text = std::move(*ptx);
  return Status::Ok;
}

/// Runs the compiler as far as `--emit` asks; the text goes to `text`.
Status emit(const BuildOptions& options, Compilation& compilation, const Console& console, std::string& text) {
  Status code = compilation.read();
  if (code != Status::Ok) return code;
  if (options.emit == "ast") {
    code = compilation.parse();
    if (code == Status::Ok) text = frontend::print_ast(compilation.program());
    return code;
  }
  code = compilation.check();
  if (code != Status::Ok) return code;
  if (options.emit == "asg") {
    text = options.dot ? frontend::asg::print_dot(compilation.graph()) : frontend::asg::print(compilation.graph());
    return code;
  }
  code = compilation.lower();
  if (code != Status::Ok) return code;
  ir::AssumptionKinds allowed;
  for (const std::string& word : options.assumed) {
    ir::AssumptionKind kind{};
    if (ir::read_keyword(word, kind)) allowed.insert(kind);
  }
  compilation.allow(allowed);
  passes::ManagerOptions manager;
  manager.print_after = options.print_after;
  manager.print_changed = options.print_changed;
  manager.dump_dir = options.dump_dir;
  manager.stop_after = options.stop_after;
  manager.pass_limit = options.pass_limit;
  const bool wants_passes = options.emit != "ir" || !options.print_after.empty() || options.print_changed ||
                            options.time_passes || !options.dump_dir.empty();
  if (options.emit == "ir") text = ir::print(compilation.loop());
  if (!wants_passes) return code;
  const Target* text_of = target_of_text(options.emit);
  const Target& target = text_of != nullptr ? *text_of : target_named(options.device == "cuda" ? "cuda" : "llvm");
  TargetSettings settings;
  settings.gpu = options.gpu;
  if (target.ahead_of_time) settings.about = compilation.ahead_of_time();
  settings.about.only_query = options.part == "query";
  compilation.set_target(target.info(settings));
  code = compilation.run_passes(target.pipeline, passes::LabelWords{}, manager);
  if (code != Status::Ok) return code;
  console.write(compilation.pipeline().printed);
  if (options.emit == "kernel") text = ir::print(compilation.pipeline().module);
  if (text_of != nullptr) code = emit_text(target, settings, options, compilation, console, text);
  if (options.time_passes) {
    console.write(passes::time_report(compilation.pipeline()));
    for (const auto& [step, ms] : compilation.times()) console.write(fmt::format("{:>10.3f} ms  {}\n", ms, step));
  }
  return code;
}

Status build(const BuildOptions& options) {
  const Console console(options.console);
  const Target* text_of = target_of_text(options.emit);
  if (options.device == "cuda" && text_of != nullptr && !text_of->on_gpu) {
    return console.error(Status::Usage, fmt::format("--emit={} is for a CPU", options.emit),
                         "leave --device out, or use --emit=cuda");
  }
  if (options.dot && options.emit != "asg") {
    return console.error(Status::Usage, "only the ASG has a DOT form", "add --emit=asg");
  }
  if (options.part == "query" && options.emit != "cuda" && options.emit != "cpp") {
    return console.error(Status::Usage, fmt::format("--emit={} has no parts", options.emit),
                         "`--part` is for --emit=cuda and --emit=cpp");
  }
  Compilation compilation(options.compile, console);
  std::string text;
  if (const Status code = emit(options, compilation, console, text); code != Status::Ok) return code;
  if (text.empty() || text.back() != '\n') text += '\n';
  const runtime::Status written = write_text_file(options.output, text);
  return written ? Status::Ok : console.error(written.error());
}

/// The stages of the compiler, then the texts of targets.
std::vector<std::string> emit_words() {
  std::vector<std::string> words = {"ast", "asg", "ir", "kernel"};
  for (const Target& target : targets()) {
    if (!target.emit.empty()) words.emplace_back(target.emit);
  }
  return words;
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("build", "Compile a program and print a stage of it");
  auto options = std::make_shared<BuildOptions>();
  BuildOptions& o = *options;
  add_program_file(*verb, o.compile);
  verb->add_option("--emit", o.emit, "The stage to print; ir (default) is before the passes, kernel after them")
      ->check(CLI::IsMember(emit_words()))
      ->option_text(fmt::format("{}", fmt::join(emit_words(), "|")));
  verb->add_option("-o,--output", o.output, "Write to this file, which appears when it is complete; default: stdout")
      ->type_name("FILE");
  verb->add_option("--device", o.device, "With --emit=kernel: the device for which the schedule is; default: cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->option_text("cpu|cuda");
  verb->add_option("--part", o.part, "With --emit=cuda and cpp: all, or only the lines that are the query")
      ->check(CLI::IsMember({"all", "query"}))
      ->option_text("all|query");
  verb->add_flag("--dot", o.dot, "With --emit=asg: Graphviz");
  OptionTargets to;
  to.compile = &o.compile;
  to.entry = &o.compile.entry;
  to.gpu = &o.gpu;
  add_options(*verb, kBuild, to);
  std::vector<std::string> assumptions;
  for (ir::AssumptionKind kind : ir::kAssumptionKinds) assumptions.emplace_back(ir::keyword(kind));
  verb->add_option("--assume", o.assumed, "Properties of the graph that the program may assume; it refuses others")
      ->delimiter(',')
      ->check(CLI::IsMember(assumptions))
      ->option_text(fmt::format("{}", fmt::join(assumptions, ",")))
      ->group("Passes");
  verb->add_option("--print-after", o.print_after, "Print the module after this pass (or `all`), on stderr")
      ->allow_extra_args(false)
      ->type_name("PASS")
      ->group("Passes");
  verb->add_flag("--print-changed", o.print_changed, "Print the module after each pass that changed it, on stderr")
      ->group("Passes");
  verb->add_option("--dump-dir", o.dump_dir, "Write the module after each pass into this folder")
      ->type_name("FOLDER")
      ->group("Passes");
  verb->add_flag("--time-passes", o.time_passes, "Print the time and changes of each pass, on stderr")->group("Passes");
  verb->add_option("--stop-after", o.stop_after, "End after the first run of this pass")
      ->type_name("PASS")
      ->group("Passes");
  add_number(*verb, "--pass-limit", o.pass_limit, "End after this many passes, to find the one that breaks something")
      ->group("Passes");
  add_number(*verb, "--arch", o.arch, "With --emit=ptx: compute capability, 10 times the major number; default: 90")
      ->group("GPU");
  add_console_options(*verb, o.console);
  verb->footer(R"(
Examples:
  matcha build query.mt --emit=kernel
  matcha build query.mt --emit=kernel --device cuda
  matcha build query.mt --emit=asg --dot | dot -Tsvg -o query.svg
  matcha build query.mt --emit=llvm -o query.ll --time-passes
  matcha build query.mt --emit=cpp -o query.cpp
  g++ -O3 -std=c++20 -pthread query.cpp -o query
  matcha build query.mt --emit=cuda --part query
  matcha build query.mt --emit=cuda -o query.cu
  nvcc -arch=sm_90 query.cu -o query)");
  verb->callback([options, &action] { action = [options] { return build(*options); }; });
}

}  // namespace matcha::tools
