#include "session/engines/pattern_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "codegen/host/evaluator.h"
#include "engines/identities/motif_counter.h"
#include "ir/check.h"
#include "ir/match.h"
#include "planner/decide.h"
#include "planner/prices.h"
#include "runtime/cpu/region.h"
#include "runtime/machine.h"
#include "session/motif_sets.h"
#include "session/resident_graph.h"

namespace matcha::session {

namespace {

class SumExecutable final : public codegen::Executable {
 public:
  explicit SumExecutable(std::shared_ptr<PatternSum> sum) : sum_(std::move(sum)) {}

  codegen::RunOutcome run(std::span<const codegen::Argument> arguments, const runtime::Universe& universe,
                          const codegen::RunOptions& options) override {
    return sum_->run(arguments, universe, options);
  }

 private:
  const std::shared_ptr<PatternSum> sum_;
};

ProgramRequest request_of(const CountedPattern& counted, const std::string& code_folder) {
  ProgramRequest request;
  request.pattern.text = pattern::to_text(counted.pattern);
  request.pattern.no_files = true;
  request.pattern.induced = counted.induced == pattern::Induced::Vertex ? "vertex" : "edge";
  request.device = "cpu";
  request.code_folder = code_folder;
  return request;
}

codegen::RunError sum_overflow() {
  return {{runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
}

/// Runs the steps of a count one after the other.
class Steps {
 public:
  /// `ns`: of all steps, as expected.
  Steps(const codegen::RunOptions& options, double ns) : options_(options), all_ns_(std::max(ns, 1.0)) {}

  /// The values of a step, which may lack if it was stopped or failed. `ns`: the expected time of the step.
  template <typename Run>
  std::vector<codegen::ResultValue> values_of(double ns, const Run& run) {
    codegen::RunOptions options = options_;
    if (options_.on_progress) {
      options.on_progress = [this, ns](std::uint64_t done, std::uint64_t total) {
        options_.on_progress(work_done(ns, done, total), kWork);
      };
    }
    codegen::RunOutcome outcome = run(options);
    if (const codegen::RunError* const error = std::get_if<codegen::RunError>(&outcome)) {
      failed_ = codegen::RunError{error->error, {}};  // Its place is one in the text of the pattern.
      return {};
    }
    codegen::RunResult& found = std::get<codegen::RunResult>(outcome);
    all_.tier = found.tier;
    all_.ending = found.ending;
    all_.notes.insert(all_.notes.end(), found.notes.begin(), found.notes.end());
    // Their total number is unknown until all steps have begun.
    all_.positions += found.positions;
    const bool is_whole = found.ending == codegen::Ending::Complete;
    all_.work_done = work_done(ns, is_whole ? 1 : found.work_done, is_whole ? 1 : found.work_total);
    done_ns_ += ns;
    return std::move(found.values);
  }
  void fail(codegen::RunError error) { failed_ = std::move(error); }
  bool is_over() const { return failed_ || all_.ending != codegen::Ending::Complete; }
  codegen::RunOutcome take() {
    if (failed_) return *failed_;
    all_.work_total = kWork;
    if (all_.ending == codegen::Ending::Complete) all_.work_done = kWork;
    return std::move(all_);
  }

 private:
  static constexpr std::uint64_t kWork = 10'000;

  /// Of `kWork`, by the expected times, when a step has done a part of its own work.
  std::uint64_t work_done(double ns, std::uint64_t done, std::uint64_t total) const {
    const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    return static_cast<std::uint64_t>(std::min((done_ns_ + ns * share) / all_ns_, 1.0) * static_cast<double>(kWork));
  }

  const codegen::RunOptions& options_;
  const double all_ns_;
  double done_ns_ = 0;
  codegen::RunResult all_;
  std::optional<codegen::RunError> failed_;
};

}  // namespace

std::shared_ptr<PatternSum> PatternSum::make(CountedProgram counted, const runtime::Graph& graph,
                                             const std::string& code_folder, const QuestionRun::Reading& reading,
                                             double most_ns, std::string& why) {
  const auto alias = [&] {
    runtime::Graph made = runtime::Graph::alias(graph, nullptr);
    // Of the graph, which outlives it.
    made.set_dictionary(std::shared_ptr<const runtime::LabelDictionary>(std::shared_ptr<void>(), &graph.dictionary()));
    return made;
  };
  const std::shared_ptr<ResidentGraph> resident = ResidentGraph::from_graph(alias());
  auto sum = std::make_shared<PatternSum>();
  sum->counted_ = std::move(counted);
  sum->graph_ = alias();
  for (const CountedPattern& one : sum->counted_.patterns) {
    Part& part = sum->parts_.emplace_back();
    const Status status = Prepared::make(request_of(one, code_folder), resident, reading, why, part.prepared);
    if (status != Status::Ok) return nullptr;
    if (sum->ns() > most_ns) {
      why = "its patterns are expected to take longer than its loops";
      return nullptr;
    }
  }
  sum->count_together();
  return sum;
}

void PatternSum::count_together() {
  codegen::MotifTask task;
  const auto add = [&](std::size_t i, codegen::MotifTask& to) {
    pattern::PatternSet set;
    set.patterns.push_back(counted_.patterns[i].pattern);
    planner::Question question;
    question.maybe_patterns = &set;
    question.induced = counted_.patterns[i].induced;
    return identities_problem(question, *graph_, to).empty();
  };
  const auto ns_of_task = [&](const codegen::MotifTask& one) {
    return planner::price::motif_start +
           motif_cost(*graph_, one.wanted()) / std::pow(runtime::machine().threads, planner::price::motif_threads);
  };
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].prepared->engine() != "identities") continue;
    parts_[i].together = task.results.size();
    MATCHA_CHECK(add(i, task), "a pattern that identities count alone");
  }
  if (task.results.empty()) return;
  // Others that they have almost counted then.
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    codegen::MotifTask with = task;
    if (parts_[i].together || !add(i, with)) continue;
    if (ns_of_task(with) >= ns_of_task(task) + ns_of(parts_[i])) continue;
    parts_[i].together = task.results.size();
    task = std::move(with);
  }
  together_ns_ = ns_of_task(task);
  together_ = codegen::make_motif_counter(std::move(task));
}

double PatternSum::ns_of(const Part& part) const {
  // The loops as they are written are taken if others gain little.
  return part.prepared->offer().ns * (part.prepared->engine() == "program" ? planner::price::program_gain : 1);
}

double PatternSum::ns() const {
  double sum = together_ns_;
  for (const Part& part : parts_) {
    // Those that identities may count together are priced when all are known.
    if (!part.together && part.prepared->engine() != "identities") sum += ns_of(part);
  }
  return std::min(sum, planner::kUnknownNs);
}

std::vector<std::string> PatternSum::lines() const {
  std::vector<std::string> lines;
  for (const CountedSum& sum : counted_.sums) {
    std::string text;
    for (const CountedSum::Term& term : sum.terms) {
      text += fmt::format("{}{} × p{}", text.empty() ? "" : " + ", term.times, term.pattern + 1);
    }
    lines.push_back("a sum is " + (text.empty() ? "0" : text));
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const planner::Offer& offer = parts_[i].prepared->offer();
    lines.push_back(fmt::format("p{}: {}; by {}", i + 1, parts_[i].prepared->semantics(),
                                parts_[i].together ? "identities" : offer.engine));
    if (!offer.plan || (parts_[i].together && offer.engine != "identities")) continue;
    for (const std::string& line : offer.plan()) lines.push_back("  " + line);
  }
  return lines;
}

codegen::RunOutcome PatternSum::count(Counts& counts, const codegen::RunOptions& options) {
  Steps steps(options, ns());
  const auto take = [&](const codegen::ResultValue& value, std::optional<__int128>& count) {
    if (const __int128* const number = std::get_if<__int128>(&value)) {
      count = *number;
    } else {
      steps.fail(sum_overflow());
    }
  };
  if (together_ != nullptr) {
    const std::vector<codegen::Argument> graph{&*graph_};
    const std::vector<codegen::ResultValue> values =
        steps.values_of(together_ns_, [&](const auto& own) { return together_->run(graph, graph_->universe(), own); });
    for (std::size_t i = 0; i < parts_.size() && !values.empty(); ++i) {
      if (parts_[i].together) take(values[*parts_[i].together], counts[i]);
    }
  }
  for (std::size_t i = 0; i < parts_.size() && !steps.is_over(); ++i) {
    if (parts_[i].together) continue;
    const std::vector<codegen::ResultValue> values =
        steps.values_of(ns_of(parts_[i]), [&](const auto& own) { return parts_[i].prepared->run(own); });
    if (!values.empty()) take(values.front(), counts[i]);
  }
  return steps.take();
}

bool PatternSum::add_up(const Counts& counts, std::map<const ir::Expr*, __int128>& sums) const {
  for (const CountedSum& sum : counted_.sums) {
    __int128& total = sums[sum.value];
    for (const CountedSum::Term& term : sum.terms) {
      __int128 part = 0;
      const bool is_wide = __builtin_mul_overflow(counts[term.pattern].value_or(0), __int128{term.times}, &part) ||
                           __builtin_add_overflow(total, part, &total);
      if (is_wide) return false;
    }
  }
  return true;
}

bool PatternSum::only_grows() const {
  std::set<const ir::Expr*> known;
  for (const CountedSum& sum : counted_.sums) {
    if (std::ranges::all_of(sum.terms, [](const CountedSum::Term& term) { return term.times >= 0; }))
      known.insert(sum.value);
  }
  const std::function<bool(const ir::Expr&)> grows = [&](const ir::Expr& value) {
    const auto all_grow = [&] {
      return std::ranges::all_of(value.operands, [&](const ir::Expr* operand) { return grows(*operand); });
    };
    const auto is_positive = [](const ir::Expr& factor) {
      const ir::Expr& number = factor.kind == ir::Kind::Convert ? *factor.operands[0] : factor;
      return number.kind == ir::Kind::ConstInt && static_cast<const ir::ConstInt&>(number).value > 0;
    };
    if (known.contains(&value)) return true;
    switch (value.kind) {
      case ir::Kind::ConstInt:
      case ir::Kind::ConstFloat: return true;
      case ir::Kind::Add:
      case ir::Kind::Min:
      case ir::Kind::Max:
      case ir::Kind::Convert: return all_grow();
      case ir::Kind::Div: return grows(*value.operands[0]) && is_positive(*value.operands[1]);
      case ir::Kind::Mul:
        return all_grow() &&
               std::ranges::any_of(value.operands, [&](const ir::Expr* operand) { return is_positive(*operand); });
      default: return false;
    }
  };
  for (const ir::Let* const step : counted_.steps) {
    if (grows(*step->value)) known.insert(step->var);
  }
  return std::ranges::all_of(counted_.results, [&](const ir::Expr* value) { return grows(*value); });
}

codegen::RunOutcome PatternSum::run(std::span<const codegen::Argument> arguments, const runtime::Universe& universe,
                                    const codegen::RunOptions& options) {
  if (!options.share.is_whole() || options.maybe_dealer != nullptr) {
    return codegen::RunError{
        {runtime::ErrorKind::Runtime, "counts of several patterns cannot be shared out", {}, 0, {}}, {}};
  }
  Counts counts(parts_.size());
  codegen::RunOutcome outcome = count(counts, options);
  codegen::RunResult* const result = std::get_if<codegen::RunResult>(&outcome);
  if (result == nullptr) return outcome;
  const bool is_whole = result->ending == codegen::Ending::Complete;
  const bool has_part = std::ranges::any_of(counts, [](const auto& count) { return count.has_value(); });
  if (!is_whole && !(has_part && only_grows())) return outcome;
  std::map<const ir::Expr*, __int128> sums;
  if (!add_up(counts, sums)) return sum_overflow();
  try {
    codegen::host::Values values;
    codegen::host::Evaluator evaluator(values, universe);
    for (const CountedSum& sum : counted_.sums) {
      const ir::Var* const var = ir::as<ir::Var>(sum.value);
      if (var == nullptr) continue;  // A result.
      const __int128 total = sums[var];
      const auto narrow = static_cast<std::int64_t>(total);
      if (var->type->is_scalar(ir::ScalarKind::I128)) {
        values.scalars[var] = total;
      } else if (narrow == total) {
        values.scalars[var] = narrow;
      }
    }
    const bool has_all = values.scalars.size() == sums.size();
    const auto need = [&] {
      if (!has_all) codegen::host::trap(runtime::TrapCode::IntegerOverflow, {});
    };
    for (std::size_t i = 0; i < counted_.params.size(); ++i) {
      const ir::Var* const param = counted_.params[i];
      if (const auto* const number = std::get_if<std::int64_t>(&arguments[i])) values.scalars[param] = *number;
      if (const auto* const number = std::get_if<double>(&arguments[i])) values.scalars[param] = *number;
    }
    for (const ir::Let* const step : counted_.steps) {
      need();
      values.scalars[step->var] = evaluator.scalar(*step->value);
    }
    for (const ir::Expr* const value : counted_.results) {
      const auto found = sums.find(value);
      if (found != sums.end()) {
        result->values.emplace_back(found->second);
        continue;
      }
      need();
      result->values.push_back(codegen::host::result_value(evaluator.scalar(*value)));
    }
  } catch (const codegen::host::Trap& trap) {
    // The run has read the same text, so places mean the same.
    return codegen::RunError{trap.error, trap.loc};
  }
  return outcome;
}

std::unique_ptr<codegen::Executable> make_executable(std::shared_ptr<PatternSum> sum) {
  return std::make_unique<SumExecutable>(std::move(sum));
}

}  // namespace matcha::session
