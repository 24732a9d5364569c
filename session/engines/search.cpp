#include <fmt/format.h>

#include "planner/prices.h"
#include "session/engines/engines.h"
#include "session/engines/gpu_matcher.h"
#include "session/engines/pattern_matcher.h"

namespace matcha::session::engines {

namespace {

/// If Matcha chooses the device: milliseconds after which a GPU takes over a CPU's search for some of the matches, the
/// time to open a GPU and to compile for it. A search for all matches stays on its device: a GPU is not twice as fast
/// there, and much slower with some patterns (bench/results/labelled.md).
constexpr double kSearchBeforeGpu = (planner::price::gpu_open + planner::price::gpu_search_code) / 1e6;

/// Matches a pattern by candidates of its vertices and a search (session/engines/pattern_matcher.h).
class Search final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "search"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    if (question.want == planner::Want::Orbits) return planner::Refusal{"a search finds matches one by one"};
    if (!question.wants_program.empty()) return planner::Refusal{for_programs(question.wants_program)};
    if (on_gpu && !question.wants_gpu_program.empty())
      return planner::Refusal{for_programs(question.wants_gpu_program)};
    if (!context_.does_not_fit.empty()) return planner::Refusal{context_.does_not_fit};
    if (context_.maybe_graph == nullptr) return planner::Refusal{"the graph is not in memory"};
    const std::string problem = search_problem(question, graph());
    if (!problem.empty()) return planner::Refusal{problem};
    const SearchUse use = use_of_search(question, graph());
    return on_gpu ? on_gpu_offer(catalog, use) : on_cpu_offer(catalog, use);
  }

 private:
  codegen::MatchTask task() const {
    return match_task(question_, graph(), *context_.maybe_labels,
                      context_.match_index ? context_.match_index() : nullptr);
  }

  std::shared_ptr<codegen::MatchBatch> batch() const {
    std::shared_ptr<codegen::MatchBatch> alone;
    std::shared_ptr<codegen::MatchBatch>& batch = context_.maybe_batch != nullptr ? *context_.maybe_batch : alone;
    if (batch == nullptr) batch = gpu_batch(graph(), context_.code_folder);
    return batch;
  }

  std::variant<planner::Offer, planner::Refusal> on_cpu_offer(const planner::Catalog& catalog, SearchUse use) const {
    planner::Offer offer;
    // Processes share it from the start, or not at all.
    offer.is_trial = use == SearchUse::Try && !question_.in_processes;
    const bool is_known = use == SearchUse::Faster || offer.is_trial;
    offer.ns = is_known ? search_cost(question_, graph()) : planner::kUnknownNs;
    const bool may_go_to_gpu = question_.device == "auto" && catalog.may_have_gpu &&
                               question_.wants_gpu_program.empty() && !question_.in_processes && question_.bounded;
    offer.make = [this, may_go_to_gpu] {
      codegen::MatchTask all = task();
      if (may_go_to_gpu && fits_gpu(all, question_.most)) {
        use_gpu(all, gpu_batch(graph(), context_.code_folder), question_.most, kSearchBeforeGpu);
      }
      return codegen::make_matcher(std::move(all));
    };
    offer.plan = [this] { return lines(); };
    return offer;
  }

  std::variant<planner::Offer, planner::Refusal> on_gpu_offer(const planner::Catalog& catalog, SearchUse use) const {
    if (question_.device == "auto") return planner::Refusal{"a search starts on the CPU where the device is chosen"};
    if (question_.in_processes) return planner::Refusal{"a GPU searches all of the graph in one process"};
    if (question_.want == planner::Want::Rows) return planner::Refusal{"a search on a GPU counts, and lists no rows"};
    if (!fits_gpu(task(), question_.most)) {
      return planner::Refusal{"the pattern has too many automorphisms or vertices for a search on a GPU"};
    }
    planner::Offer offer;
    offer.ns = use == SearchUse::Faster ? catalog.ns_to_open : planner::kUnknownNs;
    offer.make = [this] {
      codegen::MatchTask all = task();
      use_gpu(all, batch(), question_.most, 0);
      return codegen::make_matcher(std::move(all));
    };
    offer.plan = [this] { return lines(); };
    return offer;
  }

  std::vector<std::string> lines() const {
    const codegen::MatchTask all = task();
    std::vector<std::string> lines = {
        fmt::format("candidates of each of {} vertices, reduced along the edges", all.query.size),
        "a search that goes on with the vertex that has the fewest candidates left"};
    if (all.divisor != 1)
      lines.push_back(fmt::format("each subgraph is found {} times", static_cast<std::uint64_t>(all.divisor)));
    return lines;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_search(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Search>(question, context);
}

}  // namespace matcha::session::engines
