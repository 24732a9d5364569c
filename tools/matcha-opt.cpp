#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "ir/analysis/vertex_order.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "passes/pass_manager.h"
#include "tools/exit_codes.h"

/// matcha-opt: runs passes over the text of a module (`.mtir`) and writes the result.

namespace {

constexpr int kQueryError = matcha::tools::exit_code(matcha::tools::Status::Query);
constexpr int kUsageError = matcha::tools::exit_code(matcha::tools::Status::Usage);
constexpr int kInputError = matcha::tools::exit_code(matcha::tools::Status::Input);

struct Arguments {
  std::string input = "-";
  std::string output = "-";
  std::string passes;
  std::vector<std::string> labels;
  std::vector<std::string> allowed;
  bool verify_only = false;
  bool list_passes = false;
  bool time_passes = false;
  bool vertex_order = false;
  bool json = false;
  bool gpu = false;
  std::uint32_t group = 0;
  std::uint32_t split = 0;
  matcha::ir::Stealing steal = matcha::ir::Stealing::Timeout;
  matcha::ir::Stack stack = matcha::ir::Stack::Array;
  matcha::passes::ManagerOptions manager;
};

void declare(CLI::App& app, Arguments& args) {
  app.add_option("FILE", args.input, "module to read; - is standard input")->capture_default_str();
  app.add_option("-o,--output", args.output, "file to write; - is standard output")->capture_default_str();
  app.add_option(
      "--passes", args.passes,
      "passes to run: `fuse,restrict{option=1},fixpoint{…}`, or a pipeline: c-family, cpu, loop, nests, schedule");
  app.add_option("--print-after", args.manager.print_after, "print the module after a pass, or after `all`")
      ->delimiter(',');
  app.add_flag("--print-changed", args.manager.print_changed, "print the module after each pass that changed it");
  app.add_option("--dump-dir", args.manager.dump_dir, "write the module to a file there after each pass");
  app.add_flag("--time-passes", args.time_passes, "print a table of times and statistics");
  app.add_option("--stop-after", args.manager.stop_after, "end after the first run of a pass");
  app.add_option("--pass-limit", args.manager.pass_limit, "end after N runs of passes");
  app.add_option("--disable-pass", args.manager.disabled, "leave a pass out")->delimiter(',');
  app.add_option("--label", args.labels, "code of a label word, as WORD=CODE");
  app.add_option("--allow", args.allowed, "assumptions on graphs that passes may add: symmetric,simple,…")
      ->delimiter(',');
  app.add_flag("--gpu", args.gpu, "passes bring schedules within the limits of a GPU, not of a CPU");
  app.add_option("--group", args.group, "with --gpu: lanes of a group; 0: chosen for each region")
      ->check(CLI::IsMember({0, 1, 2, 4, 8, 16, 32}));
  app.add_option("--split", args.split, "with --gpu: loop levels whose positions others may get; 0: chosen");
  using matcha::ir::Stack;
  using matcha::ir::Stealing;
  const std::map<std::string, Stealing> kinds = {
      {"none", Stealing::None}, {"half", Stealing::Half}, {"timeout", Stealing::Timeout}, {"kernel", Stealing::Kernel}};
  app.add_option("--steal", args.steal, "with --gpu: how idle workers get work of busy ones")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->option_text("none|half|timeout|kernel");
  const std::map<std::string, Stack> stacks = {{"array", Stack::Array}, {"paged", Stack::Paged}};
  app.add_option("--stack", args.stack, "with --gpu: where lists that are stored are")
      ->transform(CLI::CheckedTransformer(stacks).description(""))
      ->option_text("array|paged");
  app.add_flag("--verify-only", args.verify_only, "check the module and print nothing");
  app.add_flag("--vertex-order", args.vertex_order,
               "print whether the order of the vertices shows in the results instead of the module; after "
               "`--passes=nests`");
  app.add_flag("--list-passes", args.list_passes, "list passes, their options and the pipelines");
  app.add_flag("--json", args.json, "write diagnostics as JSON");
}

void list_passes(std::ostream& out) {
  for (const matcha::passes::PassInfo& pass : matcha::passes::all_passes()) {
    out << fmt::format("{:<12} {}\n", pass.name, pass.summary);
    for (const matcha::passes::PassOption& option : matcha::passes::all_pass_options()) {
      if (option.pass != pass.name) continue;
      out << fmt::format("{:<12}   {}={}: {}\n", "", option.name, option.default_value, option.meaning);
    }
  }
  out << fmt::format("pipelines: {}\n", fmt::join(matcha::passes::pipeline_names(), ", "));
}

bool read_file(const std::string& path, std::string& text) {
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return true;
  }
  std::ifstream file(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

bool write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return static_cast<bool>(std::cout);
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

/// `WORD=CODE` pairs; false when one is something else.
bool read_labels(const std::vector<std::string>& pairs, matcha::passes::LabelWords& labels) {
  if (pairs.empty()) return true;
  std::map<std::string, std::int64_t, std::less<>> codes;
  for (const std::string& pair : pairs) {
    std::size_t sign = pair.rfind('=');
    if (sign == std::string::npos) return false;
    char* end = nullptr;
    codes[pair.substr(0, sign)] = std::strtoll(pair.c_str() + sign + 1, &end, 10);
    if (*end != '\0' || sign + 1 == pair.size()) return false;
    labels.words.push_back(pair.substr(0, sign));
  }
  labels.code = [codes](std::string_view word) -> std::optional<std::int64_t> {
    const auto found = codes.find(word);
    return found == codes.end() ? std::nullopt : std::optional(found->second);
  };
  return true;
}

matcha::ir::AssumptionKinds every_assumption() {
  matcha::ir::AssumptionKinds all;
  for (matcha::ir::AssumptionKind kind : matcha::ir::kAssumptionKinds) all.insert(kind);
  return all;
}

/// False when a word is no assumption.
bool read_allowed(const std::vector<std::string>& words, matcha::ir::AssumptionKinds& allowed) {
  for (const std::string& word : words) {
    matcha::ir::AssumptionKind kind{};
    if (!matcha::ir::read_keyword(word, kind)) return false;
    allowed.insert(kind);
  }
  return true;
}

int fail(const Arguments& args, const matcha::Diagnostics& diagnostics, int code) {
  std::cerr << (args.json ? matcha::render_json(diagnostics) : matcha::render_text(diagnostics, false));
  return code;
}

/// How a module depends on the order of vertices, in a line.
std::string order_text(const matcha::ir::Module& module) {
  const matcha::ir::VertexOrder order = matcha::ir::vertex_order(module);
  const std::string used = order.is_used ? (order.walks_down ? "used, downward" : "used, upward") : "not used";
  if (order.is_free) return fmt::format("free, {}\n", used);
  const std::string at = order.loc.valid() ? fmt::format(" (line {})", order.loc.line) : "";
  return fmt::format("not free: {}{}\n", order.why_not, at);
}

int run(Arguments args) {
  matcha::SourceManager sources;
  matcha::Diagnostics diagnostics(sources);
  matcha::passes::LabelWords labels;
  if (!read_labels(args.labels, labels)) {
    std::cerr << "error: --label takes WORD=CODE\n";
    return kUsageError;
  }
  if (!read_allowed(args.allowed, args.manager.allowed)) {
    std::cerr << fmt::format("error: --allow takes assumptions: {}\n", matcha::ir::keywords(every_assumption()));
    return kUsageError;
  }
  std::optional<matcha::passes::Pipeline> pipeline = matcha::passes::parse_pipeline(args.passes, diagnostics);
  if (!pipeline) return fail(args, diagnostics, kUsageError);
  std::string text;
  if (!read_file(args.input, text)) {
    std::cerr << fmt::format("error: cannot read `{}`\n", args.input);
    return kInputError;
  }
  std::uint32_t file = sources.add(args.input == "-" ? "<stdin>" : args.input, std::move(text));
  matcha::ir::Context context;
  std::optional<matcha::ir::Module> module = matcha::ir::parse(context, file, diagnostics);
  if (!module) return fail(args, diagnostics, kQueryError);
  if (args.verify_only) return matcha::ir::verify(*module, diagnostics) ? 0 : fail(args, diagnostics, kQueryError);
  matcha::passes::TargetInfo target;
  if (args.gpu) {
    target = matcha::passes::gpu_target(args.group);
    target.steal = args.steal;
    target.stack = args.stack;
    target.split = args.split;
  }
  matcha::passes::PipelineResult result =
      matcha::passes::run_pipeline(*module, *pipeline, context, target, labels, args.manager, diagnostics);
  std::cerr << result.printed;
  if (args.time_passes) std::cerr << matcha::passes::time_report(result);
  if (!result.ok) {
    int code = fail(args, diagnostics, kQueryError);
    std::cerr << result.bug;
    return code;
  }
  const std::string printed = args.vertex_order ? order_text(result.module) : matcha::ir::print(result.module);
  if (write_file(args.output, printed)) return 0;
  std::cerr << fmt::format("error: cannot write `{}`\n", args.output);
  return kInputError;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs passes over the text of a module (.mtir) and writes the result.", "matcha-opt");
  Arguments args;
  declare(app, args);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  if (args.list_passes) {
    list_passes(std::cout);
    return 0;
  }
  return run(args);
}
