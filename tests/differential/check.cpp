#include "tests/differential/check.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "codegen/assumptions.h"
#include "codegen/backend.h"
#include "codegen/cuda/cuda.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pass_manager.h"
#include "runtime/cpu/set_kernels.h"
#include "session/assumptions.h"
#include "tests/differential/naive.h"
#include "tests/differential/outcome.h"
#include "tests/differential/tool_run.h"

namespace matcha::differential {

namespace {

constexpr int kMaxRounds = 20;

class Checker {
 public:
  Checker(const Program& program, const World& world, const Checks& checks, Tally& tally)
      : program_(program), world_(world), checks_(checks), tally_(tally), diagnostics_(sources_), made_(world) {
    std::mt19937_64 random(checks.seed);
    drawn_ = random();
    static constexpr const char* kOrders[] = {"auto", "degree"};  // By id if ranks by degree are not allowed.
    by_tool_ = random() % 2 == 0;
    choice_ = {0, kOrders[random() % std::size(kOrders)], random() % 2 == 0};
  }

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

  /// Certain limits of the compiler are not failures.
  std::optional<Failure> rejected(const std::string& stage) { return rejected(stage, diagnostics_); }

  std::optional<Failure> rejected(const std::string& stage, const Diagnostics& diagnostics) {
    static constexpr DiagId kLimits[] = {DiagId::UnboundedList, DiagId::StoredNest, DiagId::TooComplex};
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.severity != Severity::Error) continue;
      bool limit = std::find(std::begin(kLimits), std::end(kLimits), diagnostic.id) != std::end(kLimits);
      if (limit) return count(stage + ": " + std::string(diag_text(diagnostic.id)));
    }
    return Failure{stage, render_text(diagnostics, false)};
  }

  /// The lowered module as it is, but with codes for label words.
  std::optional<Failure> labelled(ir::Module& module) {
    const ir::LabelWords words = label_words(world_);
    std::optional<ir::Module> bound = ir::bind_labels(context_, module, words, diagnostics_);
    if (!bound) return rejected("bind-labels");
    module = *bound;
    if (std::optional<Failure> failure = round_trip(module)) return failure;
    std::optional<Outcome> outcome = interpret(module);
    if (!outcome) return rejected("verify");
    interpret_ = *outcome;
    lowered_ = *outcome;
    count(outcome->trapped ? "trapped" : "computed");
    return judge("interp", *outcome, ir::print(module));
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
    Arguments arguments(world_, made_.graph, module);
    if (!made_.labels.empty()) options.labels = made_.labels.data();
    return outcome_of(program.run(arguments.all(), *made_.universe, options), *made_.universe);
  }

  /// Compares the end of a run with direct evaluation.
  std::optional<Failure> judge(const std::string& stage, const Outcome& outcome, const std::string& module) {
    std::string seen = (outcome.trapped ? "trap: " : "") + outcome.text;
    if (!outcome.trapped && seen == wanted_) return std::nullopt;
    if (outcome.trapped) {
      for (runtime::TrapCode code : expected_.all_traps) {
        if (outcome.text != runtime::trap_message(code)) continue;
        if (stage == "interp" && expected_.value.kind != NaiveValue::Kind::Trap) count("trapped early");
        return std::nullopt;
      }
    }
    return Failure{stage, "expected " + wanted_ + "\nseen     " + seen + "\n" + module};
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
    std::optional<Failure> failure;
    if (checks_.llvm) failure = by_tool_ ? tool(0) : llvm(module);
    if (failure || checks_.group == 0) return failure;
    return by_tool_ ? tool(checks_.group) : for_device(given);
  }

  /// Some of the assumptions about such graphs that the tool allows to passes.
  passes::ManagerOptions manager(bool for_gpu) const {
    passes::ManagerOptions result;
    const ir::AssumptionKinds allowed = session::allowed_assumptions(for_gpu, &ToolInputs(world_).bound());
    for (std::size_t i = 0; i < ir::kAssumptionKinds.size(); ++i) {
      const bool drawn = (drawn_ >> (2 * i) & 3) != 0;
      if (drawn && allowed.contains(ir::kAssumptionKinds[i])) result.allowed.insert(ir::kAssumptionKinds[i]);
    }
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
    passes::PipelineResult result =
        passes::run_pipeline(module, {step}, context_, {}, {}, manager(false), diagnostics_);
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
    std::optional<Failure> failure = judge(stage, *outcome, ir::print(module));
    if (!failure) failure = compare(stage, *outcome, module);
    if (failure) failure->message = "before\n" + ir::print(before) + failure->message;
    interpret_ = *outcome;
    return failure;
  }

  /// A pass may remove a trap of overflow, or one of an unused value.
  std::optional<Failure> compare(const std::string& stage, const Outcome& outcome, const ir::Module& module) {
    bool lost = interpret_->trapped && !outcome.trapped;
    bool may_go = interpret_->text == runtime::trap_message(runtime::TrapCode::IntegerOverflow) ||
                  expected_.value.kind != NaiveValue::Kind::Trap;
    if (lost && !may_go) {
      return Failure{stage, "lost the trap: " + interpret_->text + "\nseen " + outcome.text + "\n" + ir::print(module)};
    }
    bool is_new = !interpret_->trapped && outcome.trapped;
    if (is_new)
      return Failure{stage, "new trap: " + outcome.text + "\nbefore " + interpret_->text + "\n" + ir::print(module)};
    return std::nullopt;
  }

  std::optional<Failure> llvm(const ir::Module& module) {
    std::optional<Failure> failure = on_cpu("llvm", *codegen::make_llvm(), module);
    if (!failure) failure = on_cpu("plan", *codegen::make_plan(), module);
    return failure;
  }

  std::optional<Failure> on_cpu(const std::string& name, codegen::Backend& backend, const ir::Module& module) {
    std::unique_ptr<codegen::Executable> program = backend.load(module, diagnostics_);
    if (program == nullptr) return rejected(name);
    count(name == "llvm" ? "compiled" : "run by a plan");
    for (runtime::Tier tier : runtime::supported_tiers()) {
      for (unsigned threads : {1U, 2U}) {
        codegen::RunOptions options;
        options.threads = threads;
        options.tier = tier;
        std::string stage =
            name + " " + std::string(runtime::tier_name(tier)) + " " + std::to_string(threads) + " threads";
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
    passes::ManagerOptions options = manager(true);
    for (;;) {
      passes::PipelineResult result = passes::run_pipeline(
          given, *pipeline, context_, passes::gpu_target(checks_.group), {}, options, diagnostics_);
      if (!result.ok) return rejected("c-family");
      if (!forbid_broken(result.module, options.allowed)) return cuda(result.module);
      count("made for smaller degrees");
      if (std::optional<Failure> failure = refused(result.module)) return failure;
    }
  }

  /// Removes broken assumptions from the allowed ones; false if every assumption made was broken.
  bool forbid_broken(const ir::Module& module, ir::AssumptionKinds& allowed) {
    const Arguments arguments(world_, made_.graph, module);
    bool any = false;
    for (const codegen::AssumedArgument& each : codegen::assumed_arguments(module)) {
      if (!codegen::is_broken(each, arguments.all(), nullptr)) continue;
      allowed.erase(each.kind);
      any = true;
    }
    return any;
  }

  /// The interpreter does not run modules made for other graphs.
  std::optional<Failure> refused(const ir::Module& module) {
    const std::optional<Outcome> outcome = interpret(module);
    const bool is_refused = outcome && outcome->trapped && outcome->text.find("the graph for `G` is not") == 0;
    if (is_refused) return std::nullopt;
    return Failure{"refusal", (outcome ? outcome->text : "not loaded") + "\n" + ir::print(module)};
  }

  /// The same program through the tool's own steps, on a CPU or with groups of several lanes.
  std::optional<Failure> tool(std::uint32_t group) {
    choice_.group = group;
    const std::string stage = choice_.text();
    ToolRun run(to_text(program_), world_, choice_);
    if (!run.prepare()) {
      if (group != 0 && run.diagnostics().has_errors()) return count("not for a device");
      std::optional<Failure> failure = rejected(stage, run.diagnostics());
      if (failure) failure->message += run.log();
      return failure;
    }
    count(group == 0 ? "by the tool" : "by the tool on the emulated device");
    if (run.by_degree()) count("by the tool with ranks by degree");
    if (run.assumes_something()) count("by the tool with assumptions");
    codegen::RunOptions options;
    options.threads = 2;
    const Outcome seen = run.run(options);
    std::optional<Failure> failure = judge(stage, seen, run.module());
    if (!failure && seen.trapped && !lowered_->trapped)
      failure = Failure{stage, "new trap: " + seen.text + "\n" + run.module()};
    return failure;
  }

  /// The device text as C++, its loops split at once into a tiny queue.
  std::optional<Failure> cuda(const ir::Module& module) {
    std::size_t errors = diagnostics_.error_count();
    std::unique_ptr<codegen::Executable> program =
        codegen::make_cuda(hurried_gpu(checks_.group))->load(module, diagnostics_);
    if (program == nullptr) {
      return diagnostics_.error_count() != errors ? count("not for a device")
                                                  : Failure{"cuda", "not loaded, no reason"};
    }
    count("run on the emulated device");
    return same("cuda", outcome(*program, module, {}), module);
  }

  /// Compares a compiled run with direct evaluation and with the interpreter.
  std::optional<Failure> same(const std::string& stage, const Outcome& seen, const ir::Module& module) {
    if (std::optional<Failure> failure = judge(stage, seen, ir::print(module))) return failure;
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
  std::optional<Outcome> lowered_;    ///< Of the module made by the front end.
  std::optional<Outcome> interpret_;  ///< Of the current module.
  std::uint64_t drawn_ = 0;
  bool by_tool_ = false;
  ToolChoice choice_;
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
