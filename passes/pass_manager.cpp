#include "passes/pass_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "ir/printer.h"
#include "ir/support/stop_scope.h"
#include "ir/verifier.h"

namespace matcha::passes {

namespace {

/// Most rounds of a `fixpoint`; the module after the last one is valid, only perhaps not final.
constexpr int kMaxRounds = 12;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// True if one of the names, which are known, is that of the pass.
bool names_pass(const std::vector<std::string>& names, const PassInfo& info) {
  return std::ranges::any_of(names, [&](const std::string& name) { return find_pass(name) == &info; });
}

class Manager {
 public:
  Manager(ir::Context& context, const TargetInfo& target, const LabelWords& labels, const ManagerOptions& options,
          Diagnostics& diagnostics, PipelineResult& result)
      : context_(context),
        target_(target),
        labels_(labels),
        options_(options),
        diagnostics_(diagnostics),
        result_(result) {}

  void run(const Pipeline& pipeline) {
    if (!names_exist()) return;
    verify("the input", {});
    if (result_.ok) steps(pipeline);
  }

 private:
  bool names_exist() {
    std::vector<std::string> names = options_.disabled;
    names.insert(names.end(), options_.print_after.begin(), options_.print_after.end());
    if (!options_.stop_after.empty()) names.push_back(options_.stop_after);
    for (const std::string& name : names) {
      if (name == "all" || find_pass(name) != nullptr) continue;
      std::vector<std::string> candidates;
      for (const PassInfo& pass : all_passes()) candidates.emplace_back(pass.name);
      std::string near = nearest_word(name, candidates);
      diagnostics_.error(DiagId::UnknownPass, {}, fmt::format("no pass is called `{}`", name),
                         near.empty() ? fmt::format("known: {}", fmt::join(candidates, ", "))
                                      : fmt::format("did you mean `{}`?", near));
      result_.ok = false;
    }
    return result_.ok;
  }

  /// False when the pipeline ends here.
  bool steps(const Pipeline& pipeline) {
    for (const PipelineStep& step : pipeline) {
      bool goes_on = step.pass != nullptr ? pass(step) : fixpoint(step);
      if (!goes_on) return false;
    }
    return true;
  }

  bool fixpoint(const PipelineStep& step) {
    for (int round = 0; round < kMaxRounds; ++round) {
      const ir::Block* before = result_.module.body;
      if (!steps(step.body)) return false;
      if (result_.module.body == before) return true;
    }
    return true;
  }

  bool pass(const PipelineStep& step) {
    const PassInfo& info = *step.pass;
    if (names_pass(options_.disabled, info)) return true;
    if (options_.pass_limit && result_.runs.size() >= *options_.pass_limit) return false;
    if (result_.module.stage != info.takes) {
      bool loop = info.takes == ir::Stage::Loop;
      diagnostics_.error(DiagId::BadPipeline, {},
                         fmt::format("`{}` takes a module of stage {}, which this one {}", info.name,
                                     loop ? "loop" : "kernel", loop ? "has left" : "has not reached"));
      result_.ok = false;
      return false;
    }
    look_for_stop();
    PassRun run;
    run.text = to_string(step);
    PassContext context{context_, step.options, target_, labels_, diagnostics_, run.statistics, options_.allowed};
    ir::Module before = result_.module;
    std::size_t errors = diagnostics_.error_count();
    const auto start = std::chrono::steady_clock::now();
    ir::Module after = info.function(before, context);
    run.milliseconds = milliseconds_since(start);
    if (diagnostics_.error_count() != errors) {
      result_.ok = false;
      return false;
    }
    run.changed = after.body != before.body || after.stage != before.stage ||
                  !std::ranges::equal(after.assumptions, before.assumptions);
    result_.module = after;
    const auto verify_start = std::chrono::steady_clock::now();
    if (run.changed) verify(run.text, before);
    run.verify_milliseconds = milliseconds_since(verify_start);
    result_.runs.push_back(run);
    record(info, run);
    return result_.ok && find_pass(options_.stop_after) != &info;
  }

  /// Verifies the module; `before` is the input of the last step.
  void verify(const std::string& step, const ir::Module& before) {
    SourceManager no_sources;
    Diagnostics found(no_sources);
    if (ir::verify(result_.module, found)) return;
    result_.ok = false;
    std::string first = found.all().front().message;
    bool pass = before.body != nullptr;
    Diagnostic& error = diagnostics_.error(
        pass ? DiagId::BrokenPass : DiagId::IrInvalid, {},
        pass ? fmt::format("bug in Matcha: pass `{}` made a module that breaks the rules: {}", step, first) : first);
    for (std::size_t i = 1; i < found.all().size(); ++i) error.notes.push_back({{}, found.all()[i].message});
    if (!pass) return;
    result_.bug = fmt::format(
        "# To repeat, save this text as bug.mtir and run: matcha-opt bug.mtir --passes='{}'{}\n{}\n# It became:\n{}",
        step, allow_option(), ir::print(before), ir::print(result_.module));
    result_.module = before;
  }

  /// The options with which `matcha-opt` allows the same assumptions.
  std::string allow_option() const {
    return options_.allowed.empty() ? "" : fmt::format(" --allow={}", ir::keywords(options_.allowed));
  }

  void record(const PassInfo& info, const PassRun& run) {
    const std::vector<std::string>& asked = options_.print_after;
    bool print = std::ranges::find(asked, "all") != asked.end() || names_pass(asked, info) ||
                 (options_.print_changed && run.changed);
    if (!print && options_.dump_dir.empty()) return;
    std::string text = fmt::format("# after {} (run {}){}\n{}", run.text, result_.runs.size(),
                                   run.changed ? "" : ", nothing changed", ir::print(result_.module));
    if (print) result_.printed += text;
    if (!options_.dump_dir.empty()) dump(info, text);
  }

  void dump(const PassInfo& info, const std::string& text) {
    std::error_code ignored;
    std::filesystem::create_directories(options_.dump_dir, ignored);
    std::filesystem::path path =
        std::filesystem::path(options_.dump_dir) / fmt::format("{:02}-{}.mtir", result_.runs.size(), info.name);
    std::ofstream file(path);
    file << text;
    file.close();
    if (file) return;
    diagnostics_.error(DiagId::DumpFailed, {}, fmt::format("cannot write `{}`", path.string()));
    result_.ok = false;
  }

  ir::Context& context_;
  const TargetInfo& target_;
  const LabelWords& labels_;
  const ManagerOptions& options_;
  Diagnostics& diagnostics_;
  PipelineResult& result_;
};

}  // namespace

PipelineResult run_pipeline(const ir::Module& module, const Pipeline& pipeline, ir::Context& context,
                            const TargetInfo& target, const LabelWords& labels, const ManagerOptions& options,
                            Diagnostics& diagnostics) {
  PipelineResult result;
  result.module = module;
  Manager(context, target, labels, options, diagnostics, result).run(pipeline);
  return result;
}

std::string time_report(const PipelineResult& result) {
  std::string text = fmt::format("{:>9} {:>9}  {}\n", "pass ms", "verify ms", "pass");
  double total = 0;
  for (const PassRun& run : result.runs) {
    total += run.milliseconds + run.verify_milliseconds;
    text += fmt::format("{:9.3f} {:9.3f}  {}{}", run.milliseconds, run.verify_milliseconds, run.text,
                        run.changed ? "" : " (no change)");
    for (const auto& [name, count] : run.statistics) text += fmt::format(" {}={}", name, count);
    text += "\n";
  }
  return text + fmt::format("{:9.3f} {:9}  total\n", total, "");
}

}  // namespace matcha::passes
