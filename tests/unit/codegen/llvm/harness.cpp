#include "tests/unit/codegen/llvm/harness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace matcha::codegen::test {

namespace {

std::string render_int(__int128 value) {
  if (value < 0) return "-" + render_int(-value);
  std::string rest = value >= 10 ? render_int(value / 10) : "";
  return rest + static_cast<char>('0' + static_cast<int>(value % 10));
}

std::string render_item(const runtime::Column& column, std::uint64_t i) {
  switch (column.kind()) {
    case runtime::ElementKind::Vid: return fmt::format("v{}", column.view<std::uint32_t>()[i]);
    case runtime::ElementKind::Int: return fmt::format("{}", column.view<std::int64_t>()[i]);
    case runtime::ElementKind::Float: return fmt::format("{}", column.view<double>()[i]);
    case runtime::ElementKind::Bool: break;
  }
  return column.view<std::uint8_t>()[i] != 0 ? "true" : "false";
}

std::string render_value(const ResultValue& value) {
  if (const __int128* integer = std::get_if<__int128>(&value)) return render_int(*integer);
  if (const double* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const VertexValue* vertex = std::get_if<VertexValue>(&value)) return fmt::format("v{}", vertex->rank);
  const ListValue& list = std::get<ListValue>(value);
  std::string result = "[";
  for (std::uint64_t i = 0; i < list.size; ++i) {
    result += i != 0 ? ", (" : "(";
    for (std::size_t c = 0; c < list.columns.size(); ++c)
      result += (c != 0 ? ", " : "") + render_item(list.columns[c], i);
    result += ")";
  }
  return result + "]";
}

std::optional<ir::Module> parse_module(const std::string& text, ir::Context& context, SourceManager& sources,
                                       Diagnostics& diagnostics) {
  std::uint32_t file = sources.add("test.mtir", text);
  std::optional<ir::Module> module = ir::parse(context, file, diagnostics);
  if (module.has_value() && !ir::verify(*module, diagnostics)) return std::nullopt;
  return module;
}

}  // namespace

std::string render(const RunOutcome& outcome) {
  if (const RunError* error = std::get_if<RunError>(&outcome)) return "error: " + error->error.message;
  std::string result;
  for (const ResultValue& value : std::get<RunResult>(outcome).values) {
    result += (result.empty() ? "" : ", ") + render_value(value);
  }
  return result;
}

World World::random(unsigned vertices, double density, std::uint64_t seed, bool sparse_ids) {
  World world;
  runtime::Buffer<std::int64_t> ids(vertices);
  for (unsigned i = 0; i < vertices; ++i) ids[i] = 3 * static_cast<std::int64_t>(i) - 5;
  world.universe = std::make_shared<const runtime::Universe>(sparse_ids ? runtime::Universe::from_sorted(std::move(ids))
                                                                        : runtime::Universe::identity(vertices));
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;
  for (std::uint32_t a = 0; a < vertices; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (static_cast<double>(random() % 1000) >= density * 1000) continue;
      sources.insert(sources.end(), {a, b});
      targets.insert(targets.end(), {b, a});
    }
  }
  std::vector<std::uint64_t> info;
  for (std::uint64_t i = 0; i < sources.size(); ++i) info.push_back(i);
  std::vector<std::uint32_t> all;
  std::vector<std::int64_t> labels;
  for (std::uint32_t i = 0; i < vertices; ++i) {
    all.push_back(i);
    labels.push_back(i % 3);
  }
  runtime::BuildInput input;
  input.universe = world.universe;
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = sources.size();
  input.edge_info = info.data();
  input.info_kind = runtime::InfoKind::Int;
  input.label_vertices = all.data();
  input.labels = labels.data();
  input.label_count = vertices;
  input.index = runtime::IndexKind::Csr;
  runtime::Result<runtime::Graph> graph = runtime::build_graph(input);
  if (!graph) return world;
  // Both arcs of each pair are there, once.
  runtime::GraphFacts facts = graph->facts();
  facts.directed = false;
  facts.simple = true;
  const std::shared_ptr<runtime::Graph> built = std::make_shared<runtime::Graph>(std::move(*graph));
  world.graphs.push_back(runtime::Graph::from_view(world.universe, built->view(), facts, built));
  return world;
}

std::vector<Argument> World::arguments() {
  std::vector<Argument> result;
  for (runtime::Graph& graph : graphs) result.emplace_back(&graph);
  for (runtime::InputList& list : lists) result.emplace_back(&list);
  return result;
}

namespace {

/// A plan; alternating, it keeps compiled code that it hands every other task to.
std::unique_ptr<cpu::CpuExecutable> plan_of(const ir::Module& module, Diagnostics& diagnostics, Tiers tiers) {
  std::optional<plan::Loaded> loaded = plan::load(module, diagnostics);
  if (!loaded) return nullptr;
  if (tiers == Tiers::Alternating) {
    std::unique_ptr<jit::Unit> unit = jit::Unit::make(module, diagnostics);
    std::string why;
    if (unit == nullptr || !unit->compile({}, nullptr, why)) return nullptr;
    EXPECT_TRUE(plan::fits(loaded->program, unit->program()));
    loaded->code->take_native(unit->take_code(), loaded->program, true);
  }
  return std::make_unique<cpu::CpuExecutable>(std::move(loaded->program), std::move(loaded->code));
}

}  // namespace

Compiled::Compiled(const std::string& text, Tiers tiers) {
  Diagnostics diagnostics(sources_);
  std::optional<ir::Module> module = parse_module(text, context_, sources_, diagnostics);
  if (module.has_value() && tiers == Tiers::Native) executable_ = jit::load(*module, diagnostics, {}, &times_);
  if (module.has_value() && tiers != Tiers::Native) executable_ = plan_of(*module, diagnostics, tiers);
  if (executable_ == nullptr) ADD_FAILURE() << render_text(diagnostics, false) << text;
}

std::string run(Compiled& compiled, World& world, const Settings& settings) {
  runtime::RunControl control;
  if (settings.split_always) {
    control.defer_items = 1;
    control.defer_items_late = 1;
    control.row_capacity = 3;
  }
  compiled.executable().control() = control;
  RunOptions options;
  options.threads = settings.threads;
  options.tier = settings.tier;
  std::vector<Argument> arguments = world.arguments();
  return render(compiled.executable().run(arguments, *world.universe, options));
}

std::string run_llvm(const std::string& text, World& world) {
  Compiled compiled(text);
  return ::testing::Test::HasFailure() ? "error: no program" : run(compiled, world, {});
}

std::string run_interpreter(const std::string& text, World& world) {
  SourceManager sources;
  ir::Context context;
  Diagnostics diagnostics(sources);
  std::optional<ir::Module> module = parse_module(text, context, sources, diagnostics);
  if (!module.has_value()) return "error: " + render_text(diagnostics, false);
  std::unique_ptr<Executable> executable = make_interpreter()->load(*module, diagnostics);
  if (executable == nullptr) return "error: " + render_text(diagnostics, false);
  std::vector<Argument> arguments = world.arguments();
  return render(executable->run(arguments, *world.universe, RunOptions{}));
}

}  // namespace matcha::codegen::test
