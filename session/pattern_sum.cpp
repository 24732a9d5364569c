#include "session/pattern_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "codegen/host/evaluator.h"
#include "engines/identities/motif_counter.h"
#include "ir/check.h"
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

  codegen::RunOutcome run(std::span<const codegen::Argument> /*arguments*/, const runtime::Universe& universe,
                          const codegen::RunOptions& options) override {
    return sum_->run(universe, options);
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
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].prepared->engine() != "identities") continue;
    pattern::PatternSet set;
    set.patterns.push_back(counted_.patterns[i].pattern);
    planner::Question question;
    question.maybe_patterns = &set;
    question.induced = counted_.patterns[i].induced;
    parts_[i].together = task.results.size();
    MATCHA_CHECK(identities_problem(question, *graph_, task).empty(), "a pattern that identities count alone");
  }
  if (task.results.empty()) return;
  together_ns_ = planner::price::motif_start + motif_cost(*graph_, task.wanted()) /
                                                   std::pow(runtime::machine().threads, planner::price::motif_threads);
  together_ = codegen::make_motif_counter(std::move(task));
}

double PatternSum::ns() const {
  double sum = together_ns_;
  for (const Part& part : parts_) {
    // The loops as they are written are taken if others gain little.
    const double times = part.prepared->engine() == "program" ? planner::price::program_gain : 1;
    // Those that identities may count together are priced when all are known.
    if (part.prepared->engine() != "identities") sum += times * part.prepared->offer().ns;
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
    lines.push_back(fmt::format("p{}: {}; by {}", i + 1, parts_[i].prepared->semantics(), offer.engine));
    if (!offer.plan) continue;
    for (const std::string& line : offer.plan()) lines.push_back("  " + line);
  }
  return lines;
}

codegen::RunOutcome PatternSum::count(std::vector<__int128>& counts, const codegen::RunOptions& options) {
  codegen::RunResult result;
  codegen::RunResult together;
  const auto take = [&](codegen::RunOutcome outcome, codegen::RunResult& found) -> std::optional<codegen::RunError> {
    if (const codegen::RunError* const failed = std::get_if<codegen::RunError>(&outcome)) return *failed;
    found = std::move(std::get<codegen::RunResult>(outcome));
    result.tier = found.tier;
    result.ending = found.ending;
    result.notes.insert(result.notes.end(), found.notes.begin(), found.notes.end());
    return std::nullopt;
  };
  if (together_ != nullptr) {
    const std::vector<codegen::Argument> graph{&*graph_};
    if (const auto failed = take(together_->run(graph, graph_->universe(), options), together)) return *failed;
  }
  for (const Part& part : parts_) {
    if (result.ending != codegen::Ending::Complete) return result;
    codegen::RunResult own;
    if (!part.together) {
      if (const auto failed = take(part.prepared->run(options), own)) return *failed;
      if (result.ending != codegen::Ending::Complete) return result;
    }
    const codegen::ResultValue& value = part.together ? together.values[*part.together] : own.values.front();
    const __int128* const count = std::get_if<__int128>(&value);
    if (count == nullptr) return sum_overflow();
    counts.push_back(*count);
  }
  return result;
}

codegen::RunOutcome PatternSum::run(const runtime::Universe& universe, const codegen::RunOptions& options) {
  std::vector<__int128> counts;
  codegen::RunOutcome outcome = count(counts, options);
  codegen::RunResult* const result = std::get_if<codegen::RunResult>(&outcome);
  if (result == nullptr || result->ending != codegen::Ending::Complete) return outcome;
  std::map<const ir::Expr*, __int128> sums;
  for (const CountedSum& sum : counted_.sums) {
    __int128& total = sums[sum.var];
    for (const CountedSum::Term& term : sum.terms) {
      __int128 part = 0;
      if (__builtin_mul_overflow(counts[term.pattern], __int128{term.times}, &part) ||
          __builtin_add_overflow(total, part, &total)) {
        return sum_overflow();
      }
    }
  }
  try {
    codegen::host::Values values;
    codegen::host::Evaluator evaluator(values, universe);
    for (const CountedSum& sum : counted_.sums) {
      const __int128 total = sums[sum.var];
      const auto narrow = static_cast<std::int64_t>(total);
      if (sum.var->type->is_scalar(ir::ScalarKind::I128)) {
        values.scalars[sum.var] = total;
      } else if (narrow == total) {
        values.scalars[sum.var] = narrow;
      }
    }
    const auto need = [&] {
      if (values.scalars.size() < sums.size()) codegen::host::trap(runtime::TrapCode::IntegerOverflow, {});
    };
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
