#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/backend.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pass_manager.h"
#include "runtime/graph/inputs.h"
#include "tests/unit/sanitized.h"

/// Every module under tests/passes gives the same answer, or fails, before and after each pass of its pipeline.
namespace matcha::passes {

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> inputs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/passes")) {
    if (entry.path().extension() == ".mtir") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string to_text(const codegen::ResultValue& value) {
  if (const __int128* number = std::get_if<__int128>(&value)) return std::to_string(static_cast<long long>(*number));
  if (const double* real = std::get_if<double>(&value)) return std::to_string(*real);
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value))
    return std::to_string(vertex->rank);
  const codegen::ListValue& list = std::get<codegen::ListValue>(value);
  std::string text = "[";
  for (std::uint64_t row = 0; row < list.size; ++row) {
    text += "(";
    for (const runtime::Column& column : list.columns) {
      switch (column.kind()) {
        case runtime::ElementKind::Vid: text += std::to_string(column.view<std::uint32_t>()[row]); break;
        case runtime::ElementKind::Int: text += std::to_string(column.view<std::int64_t>()[row]); break;
        case runtime::ElementKind::Float: text += std::to_string(column.view<double>()[row]); break;
        case runtime::ElementKind::Bool: text += std::to_string(column.view<std::uint8_t>()[row]); break;
      }
      text += " ";
    }
    text += ")";
  }
  return text + "]";
}

/// A graph with labels, and arguments for parameters of any type.
class Setting {
 public:
  explicit Setting(const std::string& path) {
    runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = path;
    runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(spec);
    if (!loaded) throw std::runtime_error(loaded.error().render());
    graph_ = std::move(loaded->graph);
    edges_ = std::move(*runtime::edge_list(graph_));
    vertices_.columns.resize(1);
    for (std::uint32_t rank = 0; rank < graph_.universe().size(); ++rank) {
      labels_.push_back(-1 - static_cast<std::int64_t>(rank % 4));
      if (rank % 3 != 0) vertices_.columns[0].ranks.push_back(graph_.universe().size() - 1 - rank);
    }
    vertices_.size = vertices_.columns[0].ranks.size();
  }

  std::string run(const ir::Module& module) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    std::unique_ptr<codegen::Backend> interpreter = codegen::make_interpreter();
    std::unique_ptr<codegen::Executable> program = interpreter->load(module, diagnostics);
    if (program == nullptr) return "not loaded: " + render_text(diagnostics, false);
    std::vector<codegen::Argument> arguments;
    for (const ir::Var* param : module.params) arguments.push_back(argument(*param->type));
    codegen::RunOptions options;
    options.labels = labels_.data();
    codegen::RunOutcome outcome = program->run(arguments, graph_.universe(), options);
    if (std::holds_alternative<codegen::RunError>(outcome)) return "error";
    std::string text;
    for (const codegen::ResultValue& value : std::get<codegen::RunResult>(outcome).values) text += to_text(value) + " ";
    return text;
  }

 private:
  codegen::Argument argument(const ir::Type& type) {
    if (type.is_graph()) return &graph_;
    if (type.is_list()) return type.columns.size() == 2 ? &edges_ : &vertices_;
    if (type.is_scalar(ir::ScalarKind::F64)) return 1.5;
    if (type.is_scalar(ir::ScalarKind::Bool)) return true;
    return std::int64_t{3};
  }

  runtime::Graph graph_;
  runtime::InputList edges_;
  runtime::InputList vertices_;
  std::vector<std::int64_t> labels_;
};

class Agreement : public testing::TestWithParam<std::filesystem::path> {};

/// Runs each pass alone and appends the modules that changed; false after a pass that gives up with an error.
bool append_stages(const Pipeline& steps, ir::Context& context, std::vector<ir::Module>& modules) {
  for (const PipelineStep& step : steps) {
    if (step.pass == nullptr) {  // A fixpoint.
      const ir::Block* before = nullptr;
      while (modules.back().body != before) {
        before = modules.back().body;
        if (!append_stages(step.body, context, modules)) return false;
      }
      continue;
    }
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const PipelineResult run =
        run_pipeline(modules.back(), {step}, context, TargetInfo{}, LabelWords{}, ManagerOptions{}, diagnostics);
    EXPECT_TRUE(run.bug.empty()) << render_text(diagnostics, false) << run.bug;
    if (!run.ok) return false;
    if (run.runs.back().changed) modules.push_back(run.module);
  }
  return true;
}

/// The module itself, and after each run of a pass that changed it; ends before a pass that gives up with an error.
std::vector<ir::Module> stages(const ir::Module& module, const std::string& passes, ir::Context& context) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::vector<ir::Module> modules = {module};
  append_stages(*parse_pipeline(passes, diagnostics), context, modules);
  return modules;
}

void expect_agreement(const std::vector<ir::Module>& modules) {
  // Sanitizers take the first three.
  constexpr std::array kGraphs = {"empty",  "one-edge",      "random-12-seed1", "clique-6",
                                  "star-8", "bipartite-3-4", "random-16-seed3"};
  for (std::size_t i = 0; i < unless_sanitized(kGraphs.size(), std::size_t{3}); ++i) {
    const std::string graph = kGraphs[i];
    Setting setting("tests/graphs/" + graph + ".txt");
    std::string expected;
    for (const ir::Module& module : modules) {
      std::string answer = setting.run(module);
      ASSERT_EQ(answer.find("not loaded"), std::string::npos) << answer;
      if (expected.empty()) expected = answer;
      ASSERT_EQ(answer, expected) << graph << "\n" << ir::print(module);
    }
  }
}

TEST_P(Agreement, EveryPassKeepsTheAnswer) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  ir::Context context;
  std::uint32_t file = sources.add(GetParam().string(), read_file(GetParam()));
  std::optional<ir::Module> parsed = ir::parse(context, file, diagnostics);
  ASSERT_TRUE(parsed) << render_text(diagnostics, false);
  if (parsed->stage == ir::Stage::Kernel) return expect_agreement(stages(*parsed, "batch,legalize", context));
  ir::Module module = stages(*parsed, "bind-labels", context).back();
  std::vector<ir::Module> optimized = stages(module, "cpu", context);
  ASSERT_EQ(optimized.back().stage, ir::Stage::Kernel);
  expect_agreement(optimized);
  // Without the others plan-memory meets every form, but for lists of lists.
  expect_agreement(stages(module, "plan-memory,legalize", context));
  expect_agreement(stages(module, "restrict,hoist,fuse,simplify,hoist,restrict,nest-edges,fuse,restrict", context));
}

INSTANTIATE_TEST_SUITE_P(Modules, Agreement, testing::ValuesIn(inputs()), [](const auto& info) {
  std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace matcha::passes
