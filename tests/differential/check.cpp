#include "tests/differential/check.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "codegen/cuda/cuda.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pass_manager.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/differential/naive.h"

namespace matcha::differential {

namespace {

constexpr int kMaxRounds = 20;

/// The end of a run: its results, or the message of its trap.
struct Outcome {
  bool trapped = false;
  std::string text;
};

std::string cell(const runtime::Column& column, std::size_t row, const runtime::Universe& universe) {
  switch (column.kind()) {
    case runtime::ElementKind::Vid: return int_text(universe.id(column.view<std::uint32_t>()[row]));
    case runtime::ElementKind::Int: return int_text(column.view<std::int64_t>()[row]);
    case runtime::ElementKind::Float: return real_text(column.view<double>()[row]);
    case runtime::ElementKind::Bool: return column.view<std::uint8_t>()[row] != 0 ? "True" : "False";
  }
  return "?";
}

std::string result_text(const codegen::ResultValue& value, const runtime::Universe& universe) {
  if (const __int128* i = std::get_if<__int128>(&value)) return int_text(*i);
  if (const double* d = std::get_if<double>(&value)) return real_text(*d);
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "True" : "False";
  if (const codegen::VertexValue* v = std::get_if<codegen::VertexValue>(&value)) return int_text(universe.id(v->rank));
  const codegen::ListValue& list = std::get<codegen::ListValue>(value);
  std::string text;
  for (std::size_t row = 0; row < list.size; ++row) {
    std::string item;
    for (const runtime::Column& column : list.columns) item += (item.empty() ? "" : ", ") + cell(column, row, universe);
    text += (row == 0 ? "" : ", ") + (list.columns.size() == 1 ? item : "(" + item + ")");
  }
  return "[" + text + "]";
}

/// The module's arguments for a world, by the names of its parameters.
class Arguments {
 public:
  Arguments(const World& world, RuntimeWorld& made, const ir::Module& module) {
    for (const ir::Var* param : module.params) add(world, made, std::string(param->hint), *param->type);
  }
  std::span<const codegen::Argument> all() const { return arguments_; }

 private:
  void add(const World& world, RuntimeWorld& made, const std::string& name, const ir::Type& type) {
    if (name == "G") return arguments_.push_back(&made.graph);
    if (name == "k") return arguments_.push_back(world.k);
    if (name == "r") return arguments_.push_back(world.r);
    if (name == "c") return arguments_.push_back(world.c);
    std::unique_ptr<runtime::InputList> list = std::make_unique<runtime::InputList>();
    if (name == "F") {
      list->columns.push_back({runtime::ColumnKind::Float, {}, {}, world.reals});
      list->size = world.reals.size();
    } else if (name == "E") {
      std::vector<std::int64_t> sources, targets;
      for (const auto& [u, v] : world.pairs) {
        sources.push_back(u);
        targets.push_back(v);
      }
      list->columns = {ints(sources, *type.columns[0], made), ints(targets, *type.columns[1], made)};
      list->size = sources.size();
    } else {
      const std::vector<std::int64_t>& items = name == "T" ? world.times : world.items;
      list->columns = {ints(items, *type.columns[0], made)};
      list->size = items.size();
    }
    arguments_.push_back(list.get());
    lists_.push_back(std::move(list));
  }

  static runtime::InputColumn ints(const std::vector<std::int64_t>& items, const ir::Type& type,
                                   const RuntimeWorld& made) {
    if (!type.is_scalar(ir::ScalarKind::Vid)) return {runtime::ColumnKind::Int, {}, items, {}};
    runtime::InputColumn column;
    for (std::int64_t id : items) column.ranks.push_back(made.universe->rank(id).value());
    return column;
  }

  std::vector<codegen::Argument> arguments_;
  std::vector<std::unique_ptr<runtime::InputList>> lists_;
};

class Checker {
 public:
  Checker(const Program& program, const World& world, const Checks& checks, Tally& tally)
      : program_(program), world_(world), checks_(checks), tally_(tally), diagnostics_(sources_), made_(world) {}

  std::optional<Failure> run() {
    expected_ = evaluate(program_, world_);
    if (expected_.too_long) return count("too long");
    wanted_ = to_text(expected_.value);
    std::uint32_t file = sources_.add("random.mt", to_text(program_));
    std::optional<frontend::asg::Graph> asg = frontend::compile(sources_, file, {}, diagnostics_);
    std::optional<ir::Module> module = asg ? frontend::lower(*asg, context_, diagnostics_) : std::nullopt;
    if (!module) return rejected("frontend");
    if (std::optional<Failure> failure = labelled(*module)) return failure;
    if (!interpret_) return std::nullopt;
    if (std::optional<Failure> failure = passes(*module)) return failure;
    return std::nullopt;
  }

 private:
  std::optional<Failure> count(const std::string& what) {
    ++tally_.counts[what];
    return std::nullopt;
  }

  /// Some limits of the compiler are no failure.
  std::optional<Failure> rejected(const std::string& stage) {
    static constexpr DiagId kLimits[] = {DiagId::UnboundedList, DiagId::StoredNest, DiagId::TooComplex};
    for (const Diagnostic& diagnostic : diagnostics_.all()) {
      if (diagnostic.severity != Severity::Error) continue;
      bool limit = std::find(std::begin(kLimits), std::end(kLimits), diagnostic.id) != std::end(kLimits);
      if (limit) return count(stage + ": " + std::string(diag_text(diagnostic.id)));
    }
    return Failure{stage, render_text(diagnostics_, false)};
  }

  /// True if every vertex that the program can name has a label.
  bool all_labelled() const {
    return !made_.labels.empty() && std::ranges::find(made_.labels, runtime::kNoLabel) == made_.labels.end();
  }

  /// The lowered module as it is, but with codes for label words.
  std::optional<Failure> labelled(ir::Module& module) {
    ir::LabelWords words{[this](std::string_view word) -> std::optional<std::int64_t> {
                           const auto found = std::find(world_.words.begin(), world_.words.end(), word);
                           if (found == world_.words.end()) return std::nullopt;
                           return -1 - (found - world_.words.begin());
                         },
                         world_.words};
    std::optional<ir::Module> bound = ir::bind_labels(context_, module, words, diagnostics_);
    if (!bound) return rejected("bind-labels");
    module = *bound;
    if (std::optional<Failure> failure = round_trip(module)) return failure;
    std::optional<Outcome> outcome = interpret(module);
    if (!outcome) return rejected("verify");
    interpret_ = *outcome;
    count(outcome->trapped ? "trapped" : "computed");
    return judge("interp", *outcome, module);
  }

  std::optional<Failure> round_trip(const ir::Module& module) {
    std::string text = ir::print(module);
    ir::Context other;
    std::optional<ir::Module> again = ir::parse(other, sources_.add("printed.mtir", text), diagnostics_);
    if (!again) return Failure{"round trip", render_text(diagnostics_, false) + text};
    if (ir::print(*again) != text) return Failure{"round trip", text + "became\n" + ir::print(*again)};
    return std::nullopt;
  }

  std::optional<Outcome> interpret(const ir::Module& module) {
    std::unique_ptr<codegen::Executable> program = codegen::make_interpreter()->load(module, diagnostics_);
    if (program == nullptr) return std::nullopt;
    return outcome(*program, module, {});
  }

  Outcome outcome(codegen::Executable& program, const ir::Module& module, codegen::RunOptions options) {
    Arguments arguments(world_, made_, module);
    if (!made_.labels.empty()) options.labels = made_.labels.data();
    codegen::RunOutcome ended = program.run(arguments.all(), *made_.universe, options);
    if (const codegen::RunError* error = std::get_if<codegen::RunError>(&ended)) return {true, error->error.message};
    const codegen::RunResult& result = std::get<codegen::RunResult>(ended);
    std::string text;
    for (const codegen::ResultValue& value : result.values) {
      text += (text.empty() ? "" : ", ") + result_text(value, *made_.universe);
    }
    bool complete = result.ending == codegen::Ending::Complete;
    return {false, (complete ? "" : "incomplete: ") + (result.values.size() == 1 ? text : "(" + text + ")")};
  }

  /// Compares the end of a run with direct evaluation.
  std::optional<Failure> judge(const std::string& stage, const Outcome& outcome, const ir::Module& module) {
    std::string seen = (outcome.trapped ? "trap: " : "") + outcome.text;
    if (!outcome.trapped && seen == wanted_) return std::nullopt;
    if (outcome.trapped) {
      for (runtime::TrapCode code : expected_.all_traps) {
        if (outcome.text != runtime::trap_message(code)) continue;
        if (stage == "interp" && expected_.value.kind != NaiveValue::Kind::Trap) count("trapped early");
        return std::nullopt;
      }
    }
    return Failure{stage, "expected " + wanted_ + "\nseen     " + seen + "\n" + ir::print(module)};
  }

  std::optional<Failure> passes(ir::Module module) {
    std::optional<passes::Pipeline> pipeline = passes::parse_pipeline("cpu", diagnostics_);
    if (!pipeline) return rejected("pipeline");
    const ir::Module given = module;
    for (passes::PipelineStep& step : *pipeline) {
      set_options(step);
      if (std::optional<Failure> failure = run_step(step, module)) return failure;
      if (stopped_) return std::nullopt;
    }
    if (module.stage != ir::Stage::Kernel) return std::nullopt;
    count("planned");
    std::optional<Failure> failure = checks_.llvm ? llvm(module) : std::nullopt;
    return failure || checks_.group == 0 ? failure : for_device(given);
  }

  /// What the tool allows passes to assume of such graphs.
  passes::ManagerOptions manager() const {
    passes::ManagerOptions result;
    if (all_labelled()) result.allowed.insert(ir::AssumptionKind::Labelled);
    result.allowed.insert(ir::AssumptionKind::Symmetric);
    if (world_.edge_labels.empty()) result.allowed.insert(ir::AssumptionKind::Simple);
    return result;
  }

  /// The graphs are small: with these limits both versions of a nest run.
  void set_options(passes::PipelineStep& step) const {
    for (passes::PipelineStep& inner : step.body) set_options(inner);
    if (step.pass == nullptr) return;
    if (step.pass->name != "bitset-neighborhood") return;
    step.options["least"] = 0;
    step.options["most"] = world_.universe.size() % 3 == 0 ? 3 : 4096;
  }

  std::optional<Failure> run_step(const passes::PipelineStep& step, ir::Module& module) {
    if (step.pass != nullptr) return run_pass(step, module);
    for (int round = 0; round < kMaxRounds; ++round) {
      const ir::Block* before = module.body;
      for (const passes::PipelineStep& inner : step.body) {
        if (std::optional<Failure> failure = run_step(inner, module)) return failure;
        if (stopped_) return std::nullopt;
      }
      if (module.body == before) return std::nullopt;
    }
    return Failure{"fixpoint", "still changing after " + std::to_string(kMaxRounds) + " rounds\n" + ir::print(module)};
  }

  std::optional<Failure> run_pass(const passes::PipelineStep& step, ir::Module& module) {
    std::string stage = "after " + passes::to_string(step);
    passes::PipelineResult result = passes::run_pipeline(module, {step}, context_, {}, {}, manager(), diagnostics_);
    if (!result.ok) {
      stopped_ = true;
      std::optional<Failure> failure = rejected(stage);
      if (failure) failure->message += result.bug;
      return failure;
    }
    ir::Module before = std::exchange(module, result.module);
    if (before.body == module.body && before.stage == module.stage) return std::nullopt;
    count("changed by " + std::string(step.pass->name));
    if (std::optional<Failure> failure = round_trip(module)) return failure;
    std::optional<Outcome> outcome = interpret(module);
    if (!outcome) return rejected(stage);
    std::optional<Failure> failure = judge(stage, *outcome, module);
    if (!failure) failure = compare(stage, *outcome, module);
    if (failure) failure->message = "before\n" + ir::print(before) + failure->message;
    interpret_ = *outcome;
    return failure;
  }

  /// A pass may lose a trap of overflow, or one that nobody asked for.
  std::optional<Failure> compare(const std::string& stage, const Outcome& outcome, const ir::Module& module) {
    bool lost = interpret_->trapped && !outcome.trapped;
    bool may_go = interpret_->text == runtime::trap_message(runtime::TrapCode::IntegerOverflow) ||
                  expected_.value.kind != NaiveValue::Kind::Trap;
    if (lost && !may_go) {
      return Failure{stage, "lost the trap: " + interpret_->text + "\nseen " + outcome.text + "\n" + ir::print(module)};
    }
    bool came = !interpret_->trapped && outcome.trapped;
    if (came)
      return Failure{stage, "new trap: " + outcome.text + "\nbefore " + interpret_->text + "\n" + ir::print(module)};
    return std::nullopt;
  }

  std::optional<Failure> llvm(const ir::Module& module) {
    std::unique_ptr<codegen::Executable> program = codegen::make_llvm()->load(module, diagnostics_);
    if (program == nullptr) return rejected("llvm");
    count("compiled");
    for (runtime::Tier tier : runtime::supported_tiers()) {
      for (unsigned threads : {1U, 2U}) {
        codegen::RunOptions options;
        options.threads = threads;
        options.tier = tier;
        std::string stage =
            "llvm " + std::string(runtime::tier_name(tier)) + " " + std::to_string(threads) + " threads";
        if (std::optional<Failure> failure = same(stage, outcome(*program, module, options), module)) return failure;
      }
    }
    return std::nullopt;
  }

  /// The same program as devices get it.
  std::optional<Failure> for_device(const ir::Module& given) {
    std::optional<passes::Pipeline> pipeline = passes::parse_pipeline("c-family", diagnostics_);
    if (!pipeline) return rejected("pipeline");
    for (passes::PipelineStep& step : *pipeline) set_options(step);
    passes::PipelineResult result = passes::run_pipeline(given, *pipeline, context_, passes::gpu_target(checks_.group),
                                                         {}, manager(), diagnostics_);
    return result.ok ? cuda(result.module) : rejected("c-family");
  }

  /// The device text as C++, its loops split at once into a tiny queue.
  std::optional<Failure> cuda(const ir::Module& module) {
    codegen::CudaOptions options;
    options.tau_us = 1;
    options.eager = true;
    options.tile = 2;
    options.chunk = 1;
    options.queue = 4;
    options.rows = 3;
    options.hubs = 2;
    if (const char* folder = std::getenv("MATCHA_CACHE_DIR")) options.code_folder = folder;
    std::size_t errors = diagnostics_.error_count();
    std::unique_ptr<codegen::Executable> program = codegen::make_cuda(options)->load(module, diagnostics_);
    if (program == nullptr) {
      return diagnostics_.error_count() != errors ? count("not for a device")
                                                  : Failure{"cuda", "not loaded, no reason"};
    }
    count("run on the emulated device");
    return same("cuda", outcome(*program, module, {}), module);
  }

  /// Compares a compiled run with direct evaluation and with the interpreter.
  std::optional<Failure> same(const std::string& stage, const Outcome& seen, const ir::Module& module) {
    if (std::optional<Failure> failure = judge(stage, seen, module)) return failure;
    bool same = seen.trapped == interpret_->trapped && (seen.trapped || seen.text == interpret_->text);
    if (same) return std::nullopt;
    return Failure{stage, "interp " + interpret_->text + "\nseen   " + seen.text + "\n" + ir::print(module)};
  }

  const Program& program_;
  const World& world_;
  const Checks& checks_;
  Tally& tally_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  ir::Context context_;
  RuntimeWorld made_;
  Expectation expected_;
  std::string wanted_;
  std::optional<Outcome> interpret_;  ///< Of the module as it is now.
  bool stopped_ = false;
};

}  // namespace

std::optional<Failure> check(const Program& program, const World& world, const Checks& checks, Tally& tally) {
  return Checker(program, world, checks, tally).run();
}

Program shrink(const Program& program, const World& world, const Checks& checks, const std::string& stage) {
  constexpr int kMaxTries = 600;
  Program best = program;
  int tries = 0;
  for (bool better = true; better && tries < kMaxTries;) {
    better = false;
    for (const Program& smaller : simpler(best)) {
      if (++tries > kMaxTries) break;
      if (size_of(smaller) > size_of(best) || to_text(smaller) == to_text(best)) continue;
      Tally ignored;
      std::optional<Failure> failure = check(smaller, world, checks, ignored);
      if (!failure || failure->stage != stage) continue;
      best = smaller;
      better = true;
      break;
    }
  }
  return best;
}

}  // namespace matcha::differential
