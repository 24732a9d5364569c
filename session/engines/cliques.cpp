#include <fmt/format.h>

#include "engines/cliques/clique_task.h"
#include "engines/cliques/counter.h"
#include "engines/cliques/maximal.h"
#include "planner/prices.h"
#include "session/engines/engines.h"
#include "session/engines/gpu_counters.h"

namespace matcha::session::engines {

namespace {

namespace price = planner::price;
using Per = codegen::CliqueTask::Per;

/// The least time of trees on a GPU, in nanoseconds: a launch and the copy of the counts (ca-astroph on an H200).
constexpr double kNsOfGpuStart = 2.5e5;

/// Smaller cliques are counted as fast by programs and identities.
constexpr int kLeastSize = 5;

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
    const Per per = question.want != planner::Want::Orbits ? Per::Graph
                    : question.orbits_by_edge              ? Per::Edge
                                                           : Per::Vertex;
    codegen::CliqueTask task{size_of(question), question.maybe_patterns->maximal, per};
    if (on_gpu && per == Per::Graph) task.maybe_device = gpu_cliques(context_.code_folder);
    if (on_gpu && per == Per::Vertex) task.maybe_sum_device = gpu_clique_sums(context_.code_folder, task.size);
    planner::Offer offer;
    offer.ns = price::clique_arc * 2.0 * static_cast<double>(graph().edge_count());
    if (on_gpu) offer.ns += catalog.ns_to_open + price::gpu_compile + kNsOfGpuStart;
    if (task.maximal) {
      if (catalog.complete)
        offer.price = [this, least = offer.ns, &catalog] {
          const auto work =
              runtime::cliques::expected_maximal(graph(), runtime::best_tier(), runtime::cliques::kLongSample);
          return work ? least + work->ns / catalog.threads : planner::kUnknownNs;
        };
    } else if (per != Per::Graph && task.size == 0) {
      if (catalog.complete) offer.ns = planner::kUnknownNs;
    } else if (catalog.complete || catalog.may_have_gpu || on_gpu) {
      // Without a GPU the price of trees is not needed: they were faster than loops on every measured graph.
      offer.price = [this, per, least = offer.ns, size = task.size, is_long = catalog.complete,
                     cores = on_gpu ? price::gpu_clique_cores : catalog.threads] {
        const double times = per == Per::Graph    ? 1
                             : per == Per::Vertex ? price::clique_by_vertex
                                                  : price::clique_by_edge;
        return least + times * sampled(size, is_long)->work.ns / cores;
      };
    }
    offer.make = [task] { return codegen::make_clique_counter(task); };
    offer.plan = [task, sample = sample_, &graph = graph()] {
      if (task.maximal) return maximal_lines(graph);
      if (!sample->is_long) sample_trees(graph, task.size, true, *sample);
      return lines(*sample);
    };
    return offer;
  }

 private:
  static std::uint32_t size_of(const planner::Question& question) {
    return question.maybe_patterns->cliques.value_or(static_cast<std::uint32_t>(question.first().size()));
  }

  std::string problem_of(const planner::Question& question, bool on_gpu) const {
    if (question.maybe_patterns == nullptr) return "pivot trees are of cliques, and this is a program";
    if (!is_clique(question)) {
      return fmt::format("pivot trees are of cliques of {} and more vertices that have no labels", kLeastSize);
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
    if (on_gpu && of_rows && question.orbits_by_edge) return "cliques at each edge are counted on a CPU";
    if (on_gpu && !question.wants_gpu_program.empty()) return for_programs(question.wants_gpu_program);
    if (of_rows && (question.in_processes || question.in_shares)) {
      return "cliques at each vertex or edge are counted in one process";
    }
    if (!context_.does_not_fit.empty()) return context_.does_not_fit;
    if (context_.maybe_graph == nullptr) return "the graph is not in memory";
    const runtime::GraphFacts& facts = graph().facts();
    const bool is_plain = !facts.directed && facts.simple && facts.loop_free && graph().view().slots == nullptr;
    return is_plain && facts.info == runtime::InfoKind::None
               ? ""
               : "pivot trees are of undirected graphs whose edges have no labels and no numbers";
  }

  bool is_clique(const planner::Question& question) const {
    if (question.maybe_patterns->cliques) return true;
    const pattern::Pattern& one = question.first();
    bool all = question.maybe_patterns->patterns.size() == 1 && !question.of_motifs() && !one.directed &&
               !one.labelled() && !one.edge_labelled() && !one.has_loops() && !one.has_constants() &&
               one.size() >= (is_forced() || question.want == planner::Want::Orbits ? 2 : kLeastSize);
    for (int v = 0; v < one.size(); ++v) all = all && (one.out[pattern::at(v)] | pattern::bit(v)) == one.all();
    return all;
  }

  /// The expected work, from a sample of the trees. The offers of both devices and their plans share it.
  struct Sample {
    bool is_there = false, is_long = false;
    std::string problem;       ///< The error of the sample; empty: none.
    std::uint32_t widest = 0;  ///< The most candidates of a root.
    bool by_cores = false;     ///< The order of the vertices, as of `Roots`.
    runtime::cliques::ExpectedWork work;
  };

  static void sample_trees(const runtime::Graph& graph, std::uint32_t size, bool is_long, Sample& sample) {
    sample.is_there = true;
    sample.is_long = is_long;
    const runtime::Result<runtime::cliques::Roots> roots =
        runtime::cliques::roots_to_count(graph, size, runtime::best_tier(), &sample.work,
                                         is_long ? runtime::cliques::kLongSample : runtime::cliques::kShortSample);
    if (!roots) {
      sample.problem = roots.error().message;
      return;
    }
    sample.widest = roots->widest;
    sample.by_cores = roots->by_cores;
  }
  const Sample* sampled(std::uint32_t size, bool is_long) const {
    if (!sample_->is_there) sample_trees(graph(), size, is_long, *sample_);
    return sample_.get();
  }

  static std::vector<std::string> maximal_lines(const runtime::Graph& graph) {
    const auto work = runtime::cliques::expected_maximal(graph, runtime::best_tier(), runtime::cliques::kLongSample);
    if (!work) return {work.error().message};
    return {kPlanOfMaximal, nodes_line(*work)};
  }
  static std::string nodes_line(const runtime::cliques::ExpectedWork& work) {
    return fmt::format("{}{:.2g} nodes are expected, by a sample of the trees, and {} of one thread",
                       work.at_least ? "at least " : "", work.nodes, time_text(work, 1));
  }

  static std::vector<std::string> lines(const Sample& sample) {
    if (!sample.problem.empty()) return {sample.problem};
    return {fmt::format("a pivot tree below each vertex, over rows of bits of its later neighbours, {} at most",
                        sample.widest),
            fmt::format("vertices in the order of {}", sample.by_cores ? "their cores" : "their degrees"),
            nodes_line(sample.work)};
  }

  const std::shared_ptr<Sample> sample_ = std::make_shared<Sample>();
};

}  // namespace

std::unique_ptr<planner::Engine> make_cliques(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Cliques>(question, context);
}

}  // namespace matcha::session::engines
