#include <algorithm>

#include "planner/prices.h"
#include "session/engines/engines.h"
#include "session/engines/pattern_sum.h"

namespace matcha::session::engines {

namespace price = planner::price;

namespace {

/// Counts the patterns that a program sums, each with the engine that is best for it (session/engines/pattern_sum.h).
class Patterns final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "patterns"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    if (question.maybe_patterns != nullptr) return planner::Refusal{"other engines count a pattern"};
    const std::string problem = problem_of(question, on_gpu);
    if (!problem.empty()) return planner::Refusal{problem};
    const auto sum = std::make_shared<Sum>();
    if (catalog.complete || is_forced()) prepare(*sum, planner::kUnknownNs);
    if (!sum->why.empty()) return planner::Refusal{sum->why};
    planner::Offer offer;
    offer.ns = price::plan_pattern + price::compile;
    offer.price = [this, &catalog, sum, least = offer.ns] {
      // Plans for patterns that take longer than the program are of no use.
      const std::optional<double> loops = catalog.program_ns(false);
      const double most = price::compile + price::forecast_run * loops.value_or(planner::kUnknownNs) / catalog.threads;
      prepare(*sum, std::max(least, most));
      return sum->prepared == nullptr ? planner::kUnknownNs * 2 : std::max(least, sum->prepared->ns());
    };
    offer.make = [this, sum] {
      prepare(*sum, planner::kUnknownNs);
      return make_executable(sum->prepared);
    };
    offer.plan = [this, sum] {
      prepare(*sum, planner::kUnknownNs);
      std::vector<std::string> lines = sum->prepared->lines();
      lines.emplace_back("the loops as they are written: `--engine program`");
      return lines;
    };
    return offer;
  }

 private:
  /// The state that the price and the run share.
  struct Sum {
    std::shared_ptr<PatternSum> prepared;
    std::string why;  ///< Not empty: the program is no sum of patterns.
  };

  std::string problem_of(const planner::Question& question, bool on_gpu) const {
    if (on_gpu) return "the patterns of a program are counted on a CPU";
    if (!question.wants_program.empty()) return for_programs(question.wants_program);
    if (!question.wants_tier.empty()) return for_programs(question.wants_tier);
    if (question.want != planner::Want::Count || question.bounded) return "only sums are counts of patterns";
    if (question.interval.within) return "patterns of a program are counted exactly";
    if (question.in_processes || question.in_shares) return "processes share the loops of a program";
    if (question.graph_grows) return "labels may come that the patterns do not know";
    if (!context_.does_not_fit.empty()) return context_.does_not_fit;
    if (context_.maybe_graph == nullptr) return "the graph is not in memory";
    const runtime::GraphFacts& facts = graph().facts();
    const bool is_plain = facts.simple && facts.loop_free && facts.info == runtime::InfoKind::None;
    return is_plain && graph().view().slots == nullptr
               ? std::string()
               : "patterns are of simple graphs without labels and numbers of edges";
  }

  /// Gives up if the patterns are expected to take more than `most_ns`.
  void prepare(Sum& sum, double most_ns) const {
    if (sum.prepared != nullptr || !sum.why.empty()) return;
    std::optional<CountedProgram> counted = context_.counted(sum.why);
    if (!counted) return;
    sum.prepared =
        PatternSum::make(std::move(*counted), graph(), context_.code_folder, context_.reading, most_ns, sum.why);
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_patterns(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Patterns>(question, context);
}

}  // namespace matcha::session::engines
