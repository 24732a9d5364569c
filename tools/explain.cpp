#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <thread>

#include "frontend/asg.h"
#include "tools/bind.h"
#include "tools/compile.h"
#include "tools/outline.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct ExplainOptions {
  ConsoleOptions console;
  CompileOptions compile;
  BindOptions bind;
  unsigned threads = 0;
  bool dot = false;
};

std::string passes_text(const passes::PipelineResult& pipeline) {
  std::string out = "\npasses\n";
  for (const passes::PassRun& run : pipeline.runs) {
    std::vector<std::string> facts;
    for (const auto& [name, count] : run.statistics) facts.push_back(fmt::format("{}: {}", name, count));
    out += fmt::format("  {:<14} {}{}{}\n", run.text, run.changed ? "changed the program" : "changed nothing",
                       facts.empty() ? "" : "; ", fmt::join(facts, ", "));
  }
  return out;
}

std::string memory_text(const ir::Module& module, const BoundInputs* bound) {
  std::map<std::string, const runtime::Graph*> graphs;
  if (bound != nullptr) {
    for (const auto& [name, graph] : bound->inputs.graphs) graphs.emplace(name, &graph);
  }
  const std::vector<PlannedBuffer> plan = memory_plan(module, graphs);
  std::string out = "\nmemory of each thread\n";
  if (plan.empty()) return out + "  none: every set is a slice of a list of neighbors, or only counted\n";
  for (const PlannedBuffer& buffer : plan) {
    out += fmt::format("  {:<14} {} times {} bytes", buffer.name, buffer.capacity, buffer.item_bytes);
    if (buffer.items)
      out += fmt::format(" = {}B",
                         short_number(static_cast<double>(*buffer.items) * static_cast<double>(buffer.item_bytes)));
    out += '\n';
  }
  return out;
}

/// Runs the program on the bound inputs and tells what that took.
ExitCode run_text(const ExplainOptions& options, Compilation& compilation, const BoundInputs& bound, double load_ms,
                  const Session& session, const Console& console, std::string& out) {
  const std::unique_ptr<codegen::Backend> backend = make_backend("llvm");
  std::unique_ptr<codegen::Executable> executable;
  const ExitCode code = compilation.load(*backend, executable);
  if (code != ExitCode::Ok) return code;
  codegen::RunOptions run;
  run.threads = options.threads;
  run.labels = bound.labels;
  run.stop_request = session.stop_request();
  const Stopwatch watch;
  const codegen::RunOutcome outcome = executable->run(bound.arguments, *bound.inputs.universe, run);
  const double run_ms = watch.ms();
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    return console.error_at(exit_code(failed->error.kind), compilation.sources(), failed->loc, failed->error.message,
                            failed->error.hint);
  }
  const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
  if (result.ending != codegen::Ending::Complete) return console.error(session.verdict(), "interrupted");
  out += "\nthis run\n";
  out += fmt::format("  {:<14} {}\n", "simd", result.tier);
  out += fmt::format("  {:<14} {}\n", "outer steps", result.positions);
  out += fmt::format("  {:<14} {} loops of stragglers\n", "split off", result.deferred);
  out += fmt::format("  {:<14} {:.3f} ms\n", "load", load_ms);
  for (const auto& [step, ms] : compilation.times()) out += fmt::format("  {:<14} {:.3f} ms\n", step, ms);
  out += fmt::format("  {:<14} {:.3f} ms\n", "run", run_ms);
  return ExitCode::Ok;
}

ExitCode explain_program(const ExplainOptions& options, const Console& console, std::string& out) {
  const Session session(std::nullopt);
  Compilation compilation(options.compile, console);
  ExitCode code = compilation.read();
  if (code == ExitCode::Ok) code = compilation.check();
  if (code != ExitCode::Ok) return code;
  if (options.dot) {
    out = frontend::asg::print_dot(compilation.graph());
    return code;
  }
  code = compilation.lower();
  if (code != ExitCode::Ok) return code;
  out = fmt::format("{}\n\nas written\n{}", signature(compilation.graph()), outline(compilation.loop()));

  const bool runs = !options.bind.graph.empty() || !options.bind.inputs.empty();
  BoundInputs bound;
  passes::LabelWords labels;
  const Stopwatch watch;
  if (runs) {
    const std::optional<BindPlan> plan = plan_binding(compilation.graph(), compilation.loop(), options.bind, console);
    if (!plan) return ExitCode::Usage;
    runtime::IoOptions io;
    io.cancel = session.cancel();
    const runtime::Status loaded = load_inputs(compilation.graph(), *plan, io, bound);
    if (!loaded) return session.stopped() ? session.verdict() : console.error(loaded.error());
    for (const auto& [name, report] : bound.inputs.reports) console.note(report.render());
    const std::shared_ptr<const runtime::LabelDictionary> dictionary = bound.inputs.dictionary;
    labels.code = [dictionary](std::string_view word) { return dictionary->code(word); };
    labels.words = dictionary->words();
  }
  const double load_ms = watch.ms();
  code = compilation.run_passes("cpu", labels, {});
  if (code != ExitCode::Ok) return code;
  out += passes_text(compilation.pipeline());
  out += "\nas it runs\n" + outline(compilation.pipeline().module);
  out += memory_text(compilation.pipeline().module, runs ? &bound : nullptr);
  return runs ? run_text(options, compilation, bound, load_ms, session, console, out) : ExitCode::Ok;
}

ExitCode explain(const ExplainOptions& options) {
  const Console console(options.console);
  std::string out;
  const ExitCode code = explain_program(options, console, out);
  if (code != ExitCode::Ok) return code;
  const runtime::Status written = write_text_file("-", out);
  return written ? ExitCode::Ok : console.error(written.error());
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("explain", "Show the plan of a program; with a graph also what its run takes");
  auto options = std::make_shared<ExplainOptions>();
  ExplainOptions& o = *options;
  add_program_options(*verb, o.compile);
  add_bind_options(*verb, o.bind);
  verb->add_option("--threads", o.threads, "Threads; 0: as many as there are")
      ->envname("MATCHA_NUM_THREADS")
      ->type_name("N");
  verb->add_flag("--dot", o.dot, "Print the graph of the program (ASG) for Graphviz instead");
  add_pass_options(*verb, o.compile);
  add_console_options(*verb, o.console);
  verb->footer(R"(
Examples:
  matcha explain query.mt
  matcha explain query.mt graph.txt.gz
  matcha explain query.mt --dot | dot -Tsvg -o query.svg)");
  verb->callback([options, &action] { action = [options] { return explain(*options); }; });
}

}  // namespace matcha::tools
