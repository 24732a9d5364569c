#include "session/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "frontend/format.h"
#include "frontend/lower.h"
#include "frontend/row_places.h"
#include "ir/analysis/walk.h"
#include "question/read.h"
#include "question/scan.h"
#include "session/asked_arcs.h"
#include "session/text_file.h"

namespace matcha::session {

namespace {

runtime::Error cannot_read(const std::string& name, const std::string& why) {
  runtime::Error error;
  error.message = fmt::format("cannot read the program: {}", why);
  error.file = name;
  return error;
}

/// True if the argument for a program file is the name or the text of a pattern.
bool looks_like_pattern(const std::string& file) {
  if (file.find('/') != std::string::npos || file.ends_with(".mt")) return false;
  SourceManager sources;
  Diagnostics ignored(sources);
  return pattern::read_pattern(sources, sources.add(file, file), ignored, false).has_value();
}

/// The names of the positions of a tuple, from the docstring of the function that returns it: `low, high: the …`. Empty
/// if the text before its colon is not `count` names.
std::vector<std::string> position_names(std::string_view doc, std::size_t count) {
  std::vector<std::string> names;
  std::string_view left = doc.substr(0, doc.find(':'));
  for (bool more = left.size() < doc.size(); more;) {
    const std::size_t comma = left.find(',');
    const std::string_view name = pattern::trimmed(left.substr(0, comma));
    if (name.empty() || name.find_first_of(" \t\n") != std::string_view::npos) return {};
    names.emplace_back(name);
    more = comma != std::string_view::npos;
    if (more) left.remove_prefix(comma + 1);
  }
  return names.size() == count ? names : std::vector<std::string>();
}

/// Reads the text of a module of the library, which is part of the binary.
Status read_module(const std::string& module, const Reporter& reporter, std::string& text) {
  const std::optional<frontend::ModuleText> found = frontend::default_module_reader({})(module);
  if (!found) {
    const std::vector<std::string> known = frontend::stdlib_modules();
    const std::string near = nearest_word(module, known);
    return reporter.error(Status::Usage, fmt::format("there is no module `{}`", module),
                          near.empty() ? fmt::format("the modules are {}", fmt::join(known, ", "))
                                       : fmt::format("did you mean `{}`?", near));
  }
  text = found->text;
  return Status::Ok;
}

}  // namespace

bool is_module(const std::string& file) {
  std::error_code ignored;
  return file.starts_with("std.") && !file.ends_with(".mt") && !std::filesystem::exists(file, ignored);
}

std::string program_name(const std::string& file) {
  if (file == "-") return "<stdin>";
  return is_module(file) ? fmt::format("<{}>", file) : file;
}

Status read_program(const std::string& file, const std::atomic<bool>* maybe_cancel, const Reporter& reporter,
                    std::string& text) {
  if (is_module(file)) return read_module(file, reporter, text);
  const std::string name = program_name(file);
  std::string read;
  const std::string why = read_text_file(file, read, maybe_cancel);
  if (!why.empty() && maybe_cancel != nullptr && maybe_cancel->load()) return Status::Interrupted;
  if (!why.empty()) {
    runtime::Error error = cannot_read(name, why);
    if (looks_like_pattern(file)) error.hint = fmt::format("a pattern is given by an option: `--pattern {}`", file);
    return reporter.error(error);
  }
  if (looks_like_graph(read)) {
    return reporter.error(Status::Usage, fmt::format("`{}` is a graph, not a program", name),
                          "the program comes first: matcha run PROGRAM GRAPH");
  }
  text = std::move(read);
  return Status::Ok;
}

bool looks_like_graph(std::string_view text) {
  return text.substr(0, 2) == "\x1f\x8b" || text.substr(0, 4) == "\x28\xb5\x2f\xfd" || text.substr(0, 4) == "\x89MTG";
}

double Compilation::total_ms() const {
  double sum = 0;
  for (const auto& [step, ms] : times_) sum += ms;
  return sum;
}

Status Compilation::report(Status code_of_errors) {
  if (reporting_) reporter_.report(diagnostics_, reported_);
  reported_ = diagnostics_.all().size();
  return diagnostics_.has_errors() ? code_of_errors : Status::Ok;
}

Status Compilation::read() {
  const Stopwatch watch;
  if (is_module(options_.file) && options_.entry.empty()) {
    return reporter_.error(Status::Usage, fmt::format("`{}` is a library: say which of its functions", options_.file),
                           fmt::format("add --entry NAME; `matcha doc {}` lists them", options_.file));
  }
  std::string text;
  if (const Status status = read_program(options_.file, cancel_, reporter_, text); status != Status::Ok) return status;
  take(std::move(text));
  times_.emplace_back("read", watch.ms());
  return Status::Ok;
}

void Compilation::take(std::string text, double plan_ms) {
  if (is_module(options_.file) && !options_.entry.empty()) text = frontend::with_functions(text, {options_.entry});
  file_ = sources_.add(name(), std::move(text));
  if (plan_ms > 0) times_.emplace_back("plan", plan_ms);
}

Status Compilation::lower_text(std::string text, double plan_ms) {
  take(std::move(text), plan_ms);
  const Status code = check();
  return code == Status::Ok ? lower() : code;
}

Status Compilation::parse() {
  const Stopwatch watch;
  program_ = frontend::parse(sources_, file_, diagnostics_);
  times_.emplace_back("parse", watch.ms());
  diagnostics_.sort_by_place();
  return report();
}

Status Compilation::format(std::string& formatted) {
  std::optional<std::string> text = frontend::format(file_, diagnostics_);
  diagnostics_.sort_by_place();
  if (const Status status = report(); status != Status::Ok) return status;
  if (!text) {
    return reporter_.error(Status::Run, fmt::format("formatting `{}` would change the program", name()),
                           "this is a bug in matcha; please report it with the program");
  }
  formatted = std::move(*text);
  return Status::Ok;
}

Status Compilation::check() {
  const Stopwatch watch;
  frontend::Options options;
  options.entry = options_.entry;
  const std::string folder = std::filesystem::path(options_.file).parent_path().string();
  const std::string imported = options_.file == "-" || folder.empty() ? "." : folder;
  options.read_module = frontend::default_module_reader(options_.no_files ? "" : imported);
  program_ = frontend::check(sources_, file_, options, diagnostics_);
  times_.emplace_back("parse", watch.ms());
  if (!diagnostics_.has_errors()) {
    const Stopwatch asg_watch;
    graph_ = frontend::build_asg(*program_, diagnostics_);
    if (graph_) signature_ = signature_of(*graph_, nullptr);
    if (graph_ && is_module(options_.file)) {
      row_names_ = graph_->result->type->is_tuple()
                       ? position_names(program_->entry->doc, graph_->result->type->positions.size())
                       : frontend::add_row_places(*graph_);
    }
    times_.emplace_back("asg", asg_watch.ms());
  }
  diagnostics_.sort_by_place();
  return report();
}

Status Compilation::lower() {
  const Stopwatch watch;
  loop_ = frontend::lower(*graph_, context_, diagnostics_, options_.may_loop, options_.plain_may_loop);
  nests_.reset();
  if (loop_) signature_ = signature_of(*graph_, &*loop_);
  times_.emplace_back("lower", watch.ms());
  return report();
}

codegen::AheadOfTime Compilation::ahead_of_time() {
  codegen::AheadOfTime about;
  about.program = name();
  about.entry = graph_->entry;
  about.tuple_result = graph_->result->type->is_tuple();
  about.needs_arcs = std::ranges::any_of(
      graph_->params, [this](const frontend::asg::Param& param) { return asks_for_arcs(*graph_, param); });
  about.needs_symmetry = std::ranges::any_of(
      graph_->params, [this](const frontend::asg::Param& param) { return asks_for_symmetry(*graph_, param); });
  for (const frontend::asg::Param& param : graph_->params) {
    std::optional<codegen::AheadOfTime::Scalar>& value = about.defaults.emplace_back();
    if (param.maybe_default == nullptr) continue;
    const frontend::asg::Node& node = *param.maybe_default;
    value = node.op == frontend::asg::Op::Float  ? codegen::AheadOfTime::Scalar(node.float_value)
            : node.op == frontend::asg::Op::Bool ? codegen::AheadOfTime::Scalar(node.int_value != 0)
                                                 : codegen::AheadOfTime::Scalar(node.int_value);
  }
  for (const frontend::asg::Slice& slice : graph_->slices) {
    codegen::AheadOfTime::Slice& made = about.slices.emplace_back();
    made.backwards = slice.node->op == frontend::asg::Op::Backwards;
    if (slice.maybe_label == nullptr) continue;
    const frontend::asg::Node& label = *slice.maybe_label;
    if (label.op == frontend::asg::Op::Int) made.label = label.int_value;
    if (label.op == frontend::asg::Op::Label) made.label = std::string(label.text);
    if (label.op == frontend::asg::Op::Param) made.label_param = static_cast<std::size_t>(label.int_value);
  }
  set_loop(codegen::lift_label_words(context_, *loop_, about.label_words));
  return about;
}

std::optional<ir::Module> Compilation::nests(const passes::LabelWords& labels, ir::AssumptionKinds allowed) {
  const bool is_kept = !reads_labels();
  const auto is_same = [&](ir::AssumptionKind kind) { return nests_->first.contains(kind) == allowed.contains(kind); };
  if (is_kept && nests_ && std::ranges::all_of(ir::kAssumptionKinds, is_same)) return nests_->second;
  Diagnostics diagnostics(sources_);
  const std::optional<passes::Pipeline> pipeline = passes::parse_pipeline("nests", diagnostics);
  passes::ManagerOptions manager;
  manager.allowed = allowed;
  const passes::PipelineResult nests =
      passes::run_pipeline(*loop_, *pipeline, context_, passes::TargetInfo{}, labels, manager, diagnostics);
  if (!nests.ok) return std::nullopt;
  if (is_kept) nests_.emplace(allowed, nests.module);
  return nests.module;
}

ir::VertexOrder Compilation::vertex_order(const passes::LabelWords& labels) {
  const Stopwatch watch;
  ir::VertexOrder order;
  order.why_not = "the program has errors";
  if (const std::optional<ir::Module> module = nests(labels, allowed_)) order = ir::vertex_order(*module);
  times_.emplace_back("order", watch.ms());
  return order;
}

bool Compilation::reads_labels() const {
  bool found = false;
  ir::for_each_stmt(*loop_->body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        found = found || node.kind == ir::Kind::LabelName || node.kind == ir::Kind::Label;
      });
    });
  });
  return found;
}

Status Compilation::run_passes(std::string_view pipeline_name, const passes::LabelWords& labels,
                               passes::ManagerOptions manager) {
  const Stopwatch watch;
  // Errors in the names of passes are errors of usage.
  const std::optional<passes::Pipeline> pipeline =
      passes::parse_pipeline(options_.passes.empty() ? pipeline_name : std::string_view(options_.passes), diagnostics_);
  if (!pipeline) return report(Status::Usage);
  manager.disabled = options_.disabled;
  manager.allowed = allowed_;
  pipeline_ = passes::run_pipeline(*loop_, *pipeline, context_, target_, labels, manager, diagnostics_);
  times_.emplace_back("passes", watch.ms());
  Status code = Status::Query;
  for (const Diagnostic& d : diagnostics_.all()) {
    if (d.id == DiagId::BadPipeline || d.id == DiagId::UnknownPass) code = Status::Usage;
    if (d.id == DiagId::DumpFailed) code = Status::Input;
  }
  code = report(code);
  if (!pipeline_->bug.empty()) {
    reporter_.write(pipeline_->bug);
    return Status::Run;
  }
  return code;
}

ir::Module Compilation::module_of_lists(const passes::LabelWords& labels) {
  const std::string_view text = options_.passes.empty() ? "cpu" : std::string_view(options_.passes);
  passes::ManagerOptions manager;
  manager.disabled = options_.disabled;
  manager.allowed = allowed_;
  manager.disabled.insert(manager.disabled.end(), {"bitset-neighborhood", "batch"});
  std::optional<passes::Pipeline> pipeline = passes::parse_pipeline(text, diagnostics_);
  return passes::run_pipeline(*loop_, *pipeline, context_, passes::TargetInfo{}, labels, manager, diagnostics_).module;
}

ir::Module Compilation::module_as_written(const passes::LabelWords& labels) {
  Diagnostics ignored(sources_);
  const std::optional<passes::Pipeline> pipeline = passes::parse_pipeline("bind-labels", ignored);
  return passes::run_pipeline(*loop_, *pipeline, context_, passes::TargetInfo{}, labels, {}, ignored).module;
}

Status Compilation::check_stage(codegen::Backend& backend) {
  if (pipeline_->module.stage == backend.stage() || backend.name() == "interp") return Status::Ok;
  return reporter_.error(
      Status::Usage,
      fmt::format("the passes leave stage loop, and the back end `{}` takes stage kernel", backend.name()),
      "end --passes in `plan-memory,legalize`, or use --backend interp");
}

Status Compilation::emit(codegen::Backend& backend, std::string& text) {
  Status code = check_stage(backend);
  if (code != Status::Ok) return code;
  const Stopwatch watch;
  std::optional<std::string> emitted = backend.emit(pipeline_->module, diagnostics_);
  times_.emplace_back(std::string(backend.name()), watch.ms());
  code = report();
  if (code == Status::Ok && !emitted) {
    return reporter_.error(Status::Run, fmt::format("the back end `{}` has no text form", backend.name()));
  }
  if (emitted) text = std::move(*emitted);
  return code;
}

Status Compilation::load(codegen::Backend& backend, std::unique_ptr<codegen::Executable>& executable) {
  if (const Status code = check_stage(backend); code != Status::Ok) return code;
  return load_variant(pipeline_->module, std::string(backend.name()), backend, executable);
}

Status Compilation::load_variant(const ir::Module& module, const std::string& step, codegen::Backend& backend,
                                 std::unique_ptr<codegen::Executable>& executable) {
  const Stopwatch watch;
  executable = backend.load(module, diagnostics_);
  const bool kept = executable != nullptr && executable->from_cache() && step == backend.name();
  times_.emplace_back(kept ? "code_cache" : step, watch.ms());
  if (executable != nullptr) executable->set_rescheduler(rescheduler());
  const Status code = report();
  if (code == Status::Ok && executable == nullptr) {
    return reporter_.error(Status::Run, fmt::format("the back end `{}` cannot run this program", backend.name()));
  }
  return code;
}

codegen::Rescheduler Compilation::rescheduler() {
  return [this, target = target_](const ir::Module& module, ir::Stack stack) mutable -> std::optional<ir::Module> {
    const std::lock_guard lock(rescheduling_);
    Diagnostics diagnostics(sources_);
    const std::optional<passes::Pipeline> passes = passes::parse_pipeline("schedule", diagnostics);
    target.stack = stack;
    passes::ManagerOptions manager;
    manager.disabled = options_.disabled;
    const passes::PipelineResult result =
        passes::run_pipeline(module, *passes, context_, target, {}, manager, diagnostics);
    return result.ok ? std::optional(result.module) : std::nullopt;
  };
}

}  // namespace matcha::session
