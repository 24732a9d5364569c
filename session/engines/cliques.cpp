#include <fmt/format.h>

#include "engines/cliques/clique_task.h"
#include "engines/cliques/counter.h"
#include "planner/prices.h"
#include "session/engines/engines.h"
#include "session/gpu_counters.h"

namespace matcha::session::engines {

namespace {

/// Smaller cliques are counted as fast by programs and identities.
constexpr int kLeastSize = 5;
/// On a GPU programs count those of five vertices faster.
constexpr int kLeastSizeOnGpu = 6;

constexpr const char* kPlanOfMaximal =
    "a tree of maximal cliques below each vertex, over rows of bits of its later neighbours";

/// Counts cliques by pivot trees over rows of bits (engines/cliques).
class Cliques final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "cliques"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    const std::string problem = problem_of(question, on_gpu);
    if (!problem.empty()) return planner::Refusal{problem};
    planner::Offer offer;
    // Below the cost of any other engine: trees took less than loops over the same rows on every measured graph.
    offer.ns = planner::price::clique_arc * 2.0 * static_cast<double>(graph().edge_count());
    using Per = codegen::CliqueTask::Per;
    const Per per = question.want != planner::Want::Orbits ? Per::Graph
                    : question.orbits_by_edge              ? Per::Edge
                                                           : Per::Vertex;
    codegen::CliqueTask task{size_of(question), question.maybe_patterns->maximal, per};
    if (on_gpu) {
      task.maybe_device = gpu_cliques(context_.code_folder, task.size);
      offer.ns += catalog.ns_to_open;
    }
    offer.make = [task] { return codegen::make_clique_counter(task); };
    offer.plan = [task, &graph = graph()] {
      return task.maximal ? std::vector<std::string>{kPlanOfMaximal} : lines(graph, task.size);
    };
    return offer;
  }

 private:
  static std::uint32_t size_of(const planner::Question& question) {
    return question.maybe_patterns->cliques.value_or(static_cast<std::uint32_t>(question.first().size()));
  }

  std::string problem_of(const planner::Question& question, bool on_gpu) const {
    if (question.maybe_patterns == nullptr) return "pivot trees are of cliques, and this is a program";
    const int least = on_gpu ? kLeastSizeOnGpu : kLeastSize;
    if (!is_clique(question, least)) {
      return fmt::format("pivot trees are of cliques of {} and more vertices that have no labels", least);
    }
    const bool of_rows = question.want == planner::Want::Orbits;
    if (!of_rows && (question.want != planner::Want::Count || question.bounded)) {
      return "pivot trees count cliques, and list none";
    }
    if (question.match != pattern::Match::Iso || question.embeddings) return "pivot trees count each clique once";
    if (!question.wants_program.empty()) return for_programs(question.wants_program);
    if (!question.wants_tier.empty()) return for_programs(question.wants_tier);
    if (question.algorithm != "auto") return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
    if (question.plan != 1) return "`--plan` chooses among programs";
    if (on_gpu && question.maybe_patterns->maximal) return "maximal cliques are found on a CPU";
    if (question.in_processes && question.maybe_patterns->maximal) return "maximal cliques are found in one process";
    if (on_gpu && of_rows) return "cliques at each vertex or edge are counted on a CPU";
    if (on_gpu && question.in_processes) return "shares of pivot trees are walked on a CPU";
    if (on_gpu && !question.wants_gpu_program.empty()) return for_programs(question.wants_gpu_program);
    if (question.in_shares) return "shares of the library are of programs";
    if (of_rows && question.in_processes) return "cliques at each vertex or edge are counted in one process";
    if (question.graph_grows) return "a stream changes counts of programs";
    if (!context_.does_not_fit.empty()) return context_.does_not_fit;
    if (context_.maybe_graph == nullptr) return "the graph is not in memory";
    const runtime::GraphFacts& facts = graph().facts();
    const bool is_plain = !facts.directed && facts.simple && facts.loop_free && graph().view().slots == nullptr;
    return is_plain && facts.info == runtime::InfoKind::None
               ? ""
               : "pivot trees are of undirected graphs whose edges have no labels and no numbers";
  }

  bool is_clique(const planner::Question& question, int least) const {
    if (question.maybe_patterns->cliques) return true;
    const pattern::Pattern& one = question.first();
    bool all = question.maybe_patterns->patterns.size() == 1 && !question.of_motifs() && !one.directed &&
               !one.labelled() && !one.edge_labelled() && !one.has_loops() && !one.has_constants() &&
               one.size() >= (is_forced() || question.want == planner::Want::Orbits ? 2 : least);
    for (int v = 0; v < one.size(); ++v) all = all && (one.out[pattern::at(v)] | pattern::bit(v)) == one.all();
    return all;
  }

  /// What counting takes, by a sample of the roots.
  static std::vector<std::string> lines(const runtime::Graph& graph, std::uint32_t size) {
    const runtime::Tier tier = runtime::best_tier();
    runtime::cliques::ExpectedWork work;
    const runtime::Result<runtime::cliques::Roots> roots =
        runtime::cliques::roots_to_count(graph, size, tier, &work, runtime::cliques::kLongSample);
    if (!roots) return {roots.error().message};
    return {fmt::format("a pivot tree below each vertex, over rows of bits of its later neighbours, {} at most",
                        roots->widest),
            fmt::format("vertices in the order of {}", roots->by_cores ? "their cores" : "their degrees"),
            fmt::format("{}{:.2g} nodes are expected, by a sample of the trees, and {} of one thread",
                        work.at_least ? "at least " : "", work.nodes, time_text(work, 1))};
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_cliques(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Cliques>(question, context);
}

}  // namespace matcha::session::engines
