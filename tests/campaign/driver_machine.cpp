#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "codegen/backend.h"
#include "codegen/cuda/cuda.h"
#include "passes/pipelines.h"
#include "session/assumptions.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/graph_sketch.h"
#include "session/message_log.h"
#include "session/vertex_order.h"
#include "tests/campaign/dice.h"
#include "tests/campaign/graph_files.h"
#include "tests/campaign/machine.h"

namespace matcha::campaign {

namespace {

constexpr std::chrono::seconds kLongestRun{60};

Cell cell_of(const void* column, runtime::ElementKind kind, std::uint64_t row, const runtime::Universe& universe) {
  switch (kind) {
    case runtime::ElementKind::Vid: return Cell::of(universe.id(static_cast<const std::uint32_t*>(column)[row]));
    case runtime::ElementKind::Int: return Cell::of(static_cast<const std::int64_t*>(column)[row]);
    case runtime::ElementKind::Float: return Cell::of_float(static_cast<const double*>(column)[row]);
    case runtime::ElementKind::Bool: return Cell::of(static_cast<const std::uint8_t*>(column)[row] != 0 ? 1 : 0);
  }
  return {};
}

Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe) {
  Value out;
  if (const __int128* integer = std::get_if<__int128>(&value)) out.cell = Cell::of(*integer);
  if (const double* real = std::get_if<double>(&value)) out.cell = Cell::of_float(*real);
  if (const bool* flag = std::get_if<bool>(&value)) out.cell = Cell::of(*flag ? 1 : 0);
  if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value)) {
    out.cell = Cell::of(universe.id(vertex->rank));
  }
  const codegen::ListValue* list = std::get_if<codegen::ListValue>(&value);
  if (list == nullptr) return out;
  out.is_list = true;
  for (std::uint64_t i = 0; i < list->size; ++i) {
    Row& row = out.rows.emplace_back();
    for (const runtime::Column& column : list->columns) {
      row.push_back(cell_of(column.data(), column.kind(), i, universe));
    }
  }
  return out;
}

/// The passes of a CPU or a GPU, with rows of bits for the shortest lists and none for lists of four items.
std::string tiny_rows_pipeline(bool gpu) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::optional<passes::Pipeline> pipeline = passes::parse_pipeline(gpu ? "c-family" : "cpu", diagnostics);
  std::string text;
  for (passes::PipelineStep& step : *pipeline) {
    for (const char* limit : {"most", "full"}) {
      if (step.options.contains(limit)) step.options[limit] = 3;
    }
    if (step.options.contains("least")) step.options["least"] = 0;
    text += (text.empty() ? "" : ",") + passes::to_string(step);
  }
  return text;
}

/// A program as text, checked and lowered.
class Code;

class Text {
 public:
  Text(std::string text, const session::CompileOptions& options) : text_(std::move(text)), compilation_(options, log_) {
    compilation_.take(text_);
    status_ = compilation_.check();
    if (status_ == session::Status::Ok) status_ = compilation_.lower();
  }

  const std::string& text() const { return text_; }
  bool ok() const { return status_ == session::Status::Ok; }
  const session::MessageLog& log() const { return log_; }
  session::Compilation& compilation() { return compilation_; }

  std::vector<std::unique_ptr<Code>> codes;

 private:
  const std::string text_;
  const session::MessageLog log_;
  session::Compilation compilation_;
  session::Status status_ = session::Status::Ok;
};

/// Machine code of a text, and its assumptions.
class Code {
 public:
  Code(const std::string& text, const session::CompileOptions& options, const Setup& setup,
       const passes::LabelWords& labels, const session::BoundInputs& bound)
      : words_(labels.words), text_(text, options) {
    session::Compilation& compilation = text_.compilation();
    if (!text_.ok()) return;
    const session::Target& target = session::target_named(setup.gpu ? "cuda" : setup.cpu);
    session::TargetSettings settings;
    if (setup.gpu) settings.gpu = *setup.gpu;
    compilation.set_target(target.info(settings));
    const session::Status status = session::run_passes(target, compilation, labels, &bound);
    backend_ = target.make(settings);
    if (status == session::Status::Ok) compilation.load(*backend_, executable);
  }

  /// Whether label words mean the same.
  bool is_for(const passes::LabelWords& labels) const { return words_ == labels.words; }
  bool is_as_assumed(const session::BoundInputs& bound) {
    return executable == nullptr || session::is_as_assumed(bound, text_.compilation());
  }
  const session::MessageLog& log() const { return text_.log(); }

 private:
  const std::vector<std::string> words_;
  Text text_;
  std::unique_ptr<codegen::Backend> backend_;

 public:
  std::unique_ptr<codegen::Executable> executable;  ///< Null: it has errors. Goes before the context of its module.
};

/// A graph bound to code of the driver.
class DriverBound final : public Bound {
 public:
  Answer run(const Way& way) override;
  /// Takes an error that a step left.
  void fail(const std::string& errors, bool lacks_labels);

  session::BoundInputs inputs;
  passes::LabelWords labels;
  Code* code = nullptr;
};

/// Compiles again only for a graph that breaks the code's assumptions.
class DriverCompiled final : public Compiled {
 public:
  DriverCompiled(const Subject& subject, const Setup& setup, const std::filesystem::path& folder, Tally& tally);
  std::unique_ptr<Bound> bind(const SampleGraph& graph, const std::string& order, bool sketch) override;

 private:
  Text* text_for(const SampleGraph& graph, const GraphFiles& files, bool sketch, DriverBound& bound);
  Text* add_text(const std::string& text);
  bool load(const session::Signature& program, const SampleGraph& graph, const GraphFiles& files, DriverBound& bound);
  Code* code_for(Text& text, DriverBound& bound);

  const Subject& subject_;
  const Setup& setup_;
  const std::filesystem::path& folder_;
  Tally& tally_;
  session::CompileOptions compile_;
  std::vector<std::unique_ptr<Text>> texts_;
};

DriverCompiled::DriverCompiled(const Subject& subject, const Setup& setup, const std::filesystem::path& folder,
                               Tally& tally)
    : subject_(subject), setup_(setup), folder_(folder), tally_(tally) {
  compile_.file = subject.is_pattern ? "<pattern>" : "<program>";
  compile_.disabled = setup.disabled;
  if (setup.tiny_rows) compile_.passes = tiny_rows_pipeline(setup.gpu.has_value());
}

void DriverBound::fail(const std::string& errors, bool lacks_labels) {
  const bool labels =
      errors.find("[unknown-label]") != std::string::npos || errors.find("have no labels") != std::string::npos;
  if (is_limit(errors)) {
    const std::size_t at = errors.find('[');
    unfit = at == std::string::npos ? "order" : errors.substr(at + 1, errors.find(']', at) - at - 1);
  } else if (labels && lacks_labels) {
    unfit = "no such labels";
  } else {
    problem = errors.empty() ? "failed, and does not say why" : errors;
  }
}

Text* DriverCompiled::add_text(const std::string& text) {
  for (const std::unique_ptr<Text>& known : texts_) {
    if (known->text() == text) return known.get();
  }
  ++tally_["texts"];
  return texts_.emplace_back(std::make_unique<Text>(text, compile_)).get();
}

bool DriverCompiled::load(const session::Signature& program, const SampleGraph& graph, const GraphFiles& files,
                          DriverBound& bound) {
  session::BindOptions options;
  options.graph = files.graph;
  options.table.labels = files.labels;
  if (!graph.listed) options.table.header = "no";  // A first edge may be like a size line.
  options.directed = graph.directed;
  for (const differential::Param& param : subject_.program.params) {
    const auto input = files.inputs.find(param.name);
    if (input != files.inputs.end()) options.inputs.push_back(param.name + "=" + input->second);
    if (param.name == "k") options.params.push_back(fmt::format("k={}", graph.world.k));
    if (param.name == "r") options.params.push_back(fmt::format("r={}", graph.world.r));
    if (param.name == "c") options.params.push_back(fmt::format("c={}", graph.world.c));
  }
  const session::MessageLog log;
  const std::optional<session::BindPlan> plan = session::plan_binding(program, options, log);
  if (plan) {
    const runtime::Status loaded = session::load_inputs(program, *plan, {}, bound.inputs);
    if (!loaded) log.error(loaded.error());
  }
  if (log.text().empty()) return true;
  bound.fail(log.text(), graph.world.arcs.empty() && graph.kind.edge_labels > 0);
  return false;
}

Text* DriverCompiled::text_for(const SampleGraph& graph, const GraphFiles& files, bool sketch, DriverBound& bound) {
  if (!sketch && !texts_.empty()) return texts_.front().get();
  if (!subject_.is_pattern) return add_text(subject_.text());
  using pattern::Device;
  const session::MessageLog log;
  session::PatternSource source(subject_.options, log);
  session::Status status = source.read();
  if (status == session::Status::Ok) status = source.check_arcs(graph.directed);
  if (status == session::Status::Ok) {
    DriverBound first;
    if (!load(source.signature(subject_.rows), graph, files, first)) {
      bound.unfit = first.unfit;
      bound.problem = first.problem;
      return nullptr;
    }
    const runtime::Graph& read = first.inputs.inputs.graphs.at(first.inputs.main_graph);
    status = source.write(subject_.rows, session::sketch_of(read, *first.inputs.inputs.dictionary,
                                                            {setup_.gpu ? Device::Gpu : Device::Cpu}));
  }
  if (status == session::Status::Ok) return add_text(source.program().text);
  bound.fail(log.text(), false);
  return nullptr;
}

Code* DriverCompiled::code_for(Text& text, DriverBound& bound) {
  for (const std::unique_ptr<Code>& code : text.codes) {
    if (!code->is_for(bound.labels)) continue;
    if (code->is_as_assumed(bound.inputs)) return code.get();
    // The code itself must refuse the graph.
    const codegen::RunOutcome outcome =
        code->executable->run(bound.inputs.arguments, *bound.inputs.inputs.universe, {});
    if (!std::holds_alternative<codegen::RunError>(outcome)) bound.problem = "code ran on a graph that it is not for";
    ++tally_["refused"];
  }
  ++tally_[text.codes.empty() ? "compiled" : "compiled again"];
  return text.codes.emplace_back(std::make_unique<Code>(text.text(), compile_, setup_, bound.labels, bound.inputs))
      .get();
}

std::unique_ptr<Bound> DriverCompiled::bind(const SampleGraph& graph, const std::string& order, bool sketch) {
  auto bound = std::make_unique<DriverBound>();
  const GraphFiles files(folder_, graph);
  Text* const text = text_for(graph, files, sketch, *bound);
  if (text == nullptr) return bound;
  if (!text->ok()) {
    bound->fail(text->log().text(), false);
    return bound;
  }
  if (!load(text->compilation().signature(), graph, files, *bound)) return bound;
  const std::shared_ptr<const runtime::LabelDictionary> dictionary = bound->inputs.inputs.dictionary;
  bound->labels.code = [dictionary](std::string_view word) { return dictionary->code(word); };
  bound->labels.words = dictionary->words();
  const bool lacks_labels = !std::ranges::all_of(
      subject_.words, [&](const std::string& word) { return bound->labels.code(word).has_value(); });
  session::OrderReport report;
  const session::MessageLog log;
  if (session::order_vertices(order, {}, text->compilation(), bound->labels, log, bound->inputs, report) !=
      session::Status::Ok) {
    bound->fail(log.text(), lacks_labels);
    return bound;
  }
  if (report.by_degree) ++tally_["ranked by degree"];
  bound->code = code_for(*text, *bound);
  if (bound->code->executable == nullptr && bound->problem.empty())
    bound->fail(bound->code->log().text(), lacks_labels);
  return bound;
}

Answer DriverBound::run(const Way& way) {
  const runtime::Universe& universe = *inputs.inputs.universe;
  codegen::RunOptions options;
  options.threads = way.threads;
  options.tier = way.tier;
  options.labels = inputs.labels;
  options.deadline = std::chrono::steady_clock::now() + kLongestRun;
  Answer answer;
  Value streamed;
  streamed.is_list = true;
  if (way.stream) {
    options.on_rows = [&](const codegen::Rows& rows) {
      for (std::uint64_t i = 0; i < rows.count; ++i) {
        Row& row = streamed.rows.emplace_back();
        for (std::size_t c = 0; c < rows.kinds.size(); ++c) {
          row.push_back(cell_of(rows.columns[c], rows.kinds[c], i, universe));
        }
      }
      return true;
    };
  }
  const codegen::RunOutcome outcome = code->executable->run(inputs.arguments, universe, options);
  if (const codegen::RunError* error = std::get_if<codegen::RunError>(&outcome)) {
    answer.trap = error->error.message;
    return answer;
  }
  const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
  for (const codegen::ResultValue& value : result.values) answer.values.push_back(value_of(value, universe));
  if (way.stream) answer.values.assign(1, std::move(streamed));
  if (result.ending != codegen::Ending::Complete) answer.problem = "it did not end within a minute";
  return answer;
}

/// Passes that a program can do without, if it is lucky.
std::vector<std::string> some_passes(std::mt19937_64& random) {
  std::vector<std::string> names;
  for (const passes::PassInfo& pass : passes::all_passes()) {
    const bool optional = pass.takes == ir::Stage::Loop && pass.gives == ir::Stage::Loop;
    if (optional && pass.name != "bind-labels") names.emplace_back(pass.name);
  }
  std::shuffle(names.begin(), names.end(), random);
  names.resize(1 + pick(random, 2));
  return names;
}

Setup gpu_setup(std::mt19937_64& random, const MachineOptions& options) {
  static constexpr std::uint32_t kGroups[] = {0, 1, 2, 4, 8, 16, 32};
  static constexpr ir::Stealing kStealing[] = {ir::Stealing::None, ir::Stealing::Half, ir::Stealing::Timeout,
                                               ir::Stealing::Timeout, ir::Stealing::Kernel};
  static constexpr codegen::Search kSearches[] = {codegen::Search::Plain, codegen::Search::Plain,
                                                  codegen::Search::Cached, codegen::Search::Merging};
  static constexpr std::uint64_t kTaus[] = {0, 1, 20, 1000};
  static constexpr std::uint64_t kTiles[] = {0, 1, 2, 33};
  static constexpr std::uint64_t kChunks[] = {0, 0, 1, 3, 1000};
  static constexpr std::uint64_t kQueues[] = {1 << 17, 1 << 17, 4, 16};
  static constexpr std::uint64_t kHubs[] = {64, 64, 0, 2};
  static constexpr std::uint64_t kFanouts[] = {1, 1, 2, 3, 8};
  static constexpr std::uint64_t kKernels[] = {256, 256, 1, 0};
  Setup setup;
  session::GpuOptions& gpu = setup.gpu.emplace();
  gpu.code_folder = options.code_folder;
  gpu.group = options.narrow ? 1 : any_of(random, kGroups);
  gpu.steal = any_of(random, kStealing);
  gpu.stack = one_in(random, 2) ? ir::Stack::Paged : ir::Stack::Array;
  gpu.search = any_of(random, kSearches);
  if (!one_in(random, 3)) gpu.tau_us = any_of(random, kTaus);
  if (one_in(random, 2)) gpu.tile = any_of(random, kTiles);
  gpu.split = static_cast<std::uint32_t>(pick(random, 4));
  gpu.chunk = any_of(random, kChunks);
  gpu.queue = any_of(random, kQueues);
  gpu.hubs = any_of(random, kHubs);
  gpu.fanout = any_of(random, kFanouts);
  gpu.kernels = any_of(random, kKernels);
  gpu.eager = one_in(random, 2);
  if (one_in(random, 3)) gpu.rows = 3;
  gpu.scratch_bytes = std::uint64_t{1} << 30;
  setup.text = fmt::format(
      "--device cuda --group {} --steal {} --stack {} --search {} {}{}--split {} --chunk {} --queue {} --hubs {} "
      "--fanout {} --kernels {}{} "
      "(room for {} rows) ",
      gpu.group, codegen::stealing_name(gpu.steal), gpu.stack == ir::Stack::Paged ? "paged" : "array",
      codegen::search_name(gpu.search), gpu.tau_us ? fmt::format("--tau-us {} ", *gpu.tau_us) : "",
      gpu.tile ? fmt::format("--tile {} ", *gpu.tile) : "", gpu.split, gpu.chunk, gpu.queue, gpu.hubs, gpu.fanout,
      gpu.kernels, gpu.eager ? " --eager" : "", gpu.rows);
  return setup;
}

class DriverMachine final : public Machine {
 public:
  explicit DriverMachine(MachineOptions options) : options_(std::move(options)) {
    if (!options_.cuda) return;
    keeper_ = codegen::make_cuda({});
    keeper_->begin();
  }

  bool takes(const Subject&) const override { return true; }

  std::vector<Setup> setups(std::mt19937_64& random) const override {
    std::vector<Setup> all(options_.cuda ? static_cast<std::size_t>(options_.schedules) : 1);
    for (Setup& setup : all) {
      if (options_.cuda) setup = gpu_setup(random, options_);
      if (!options_.cuda && one_in(random, 3)) {
        setup.cpu = "plan";
        setup.text += "--tier interp ";
      }
      if (one_in(random, 5)) setup.disabled = some_passes(random);
      for (const std::string& pass : setup.disabled) setup.text += "--disable-pass " + pass + " ";
      setup.tiny_rows = one_in(random, 5);
      if (setup.tiny_rows) setup.text += "(rows of bits for lists of up to 3) ";
    }
    return all;
  }

  std::vector<Way> ways(const Subject& subject, std::mt19937_64& random) const override {
    std::vector<Way> all;
    if (options_.cuda) all.emplace_back();
    for (runtime::Tier tier : options_.cuda ? std::vector<runtime::Tier>() : runtime::supported_tiers()) {
      for (unsigned threads : {1U, 2U}) all.push_back({tier, threads, false});
    }
    if (subject.rows) all[pick(random, all.size())].stream = true;
    return all;
  }

  std::unique_ptr<Compiled> compile(const Subject& subject, const Setup& setup, Tally& tally) const override {
    return std::make_unique<DriverCompiled>(subject, setup, options_.scratch, tally);
  }

  std::vector<std::string> floors() const override {
    std::vector<std::string> all = {"labels of edges", "streamed", "without a pass", "rows of bits for short lists"};
    if (options_.cuda)
      all.insert(all.end(), {"--stack paged", "--stack array", "--steal half", "--steal timeout", "--steal kernel"});
    for (runtime::Tier tier : options_.cuda ? std::vector<runtime::Tier>() : runtime::supported_tiers()) {
      all.push_back(fmt::format("--simd {}", runtime::tier_name(tier)));
    }
    return all;
  }

 private:
  const MachineOptions options_;
  std::unique_ptr<codegen::Backend> keeper_;  ///< It keeps the device open between runs.
};

}  // namespace

std::unique_ptr<Machine> make_machine(const MachineOptions& options, std::string& problem) {
  if (options.cuda) problem = session::gpu_problem();
  return problem.empty() ? std::make_unique<DriverMachine>(options) : nullptr;
}

}  // namespace matcha::campaign
