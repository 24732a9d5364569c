#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/prices.h"
#include "session/engines/engines.h"

namespace matcha::session::engines {

namespace price = planner::price;

namespace {

/// A program that is compiled, or interpreted, for a CPU or a GPU: it answers everything else.
class Program final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "program"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    if (context_.parts) return planner::Refusal{context_.does_not_fit};
    if (question.want == planner::Want::Orbits) {
      if (!on_gpu) return planner::Refusal{"counts of rows are made without a program"};
      const std::string without = question.wants_gpu_program.empty() ? "" : ", without " + question.wants_gpu_program;
      return planner::Refusal{"of the counts of `--per`, a GPU has those of cliques at each vertex alone" + without};
    }
    planner::Offer offer;
    offer.ns = on_gpu ? catalog.ns_to_open + price::gpu_compile : least_ns();
    // Loops of programs that are not of a pattern are priced for the number of cores that a GPU is worth. The first
    // matches of a bounded run have no price.
    if (question.bounded) return offer;
    offer.price = [&catalog, on_gpu, least = offer.ns, is_pattern = question.maybe_patterns != nullptr,
                   times = is_five_clique() ? price::gpu_five_clique : 1] {
      const std::optional<double> run = catalog.program_ns(on_gpu);
      if (!run && on_gpu && !is_pattern) {
        const std::optional<double> forecast = catalog.program_ns(false);
        return least + price::forecast_run * forecast.value_or(0) / price::gpu_cores;
      }
      if (!run) return planner::kUnknownNs;
      if (on_gpu) return least + times * *run;
      return least + (is_pattern ? price::program_run : price::forecast_run) * *run / catalog.threads;
    };
    return offer;
  }

 private:
  bool is_five_clique() const {
    constexpr int kFive = 5;
    if (question_.maybe_patterns == nullptr || question_.maybe_patterns->patterns.size() != 1) return false;
    const pattern::Pattern& first = question_.first();
    return first.size() == kFive && !first.directed && has_all_edges(first);
  }
  static bool has_all_edges(const pattern::Pattern& pattern) {
    bool all = true;
    for (int v = 0; v < pattern.size(); ++v) {
      all = all && (pattern.near(v) | pattern::bit(v)) == pattern.all();
    }
    return all;
  }

  /// Planning the program of a pattern, and compiling it, takes that at least.
  double least_ns() const {
    if (question_.maybe_patterns == nullptr) return price::compile;
    const pattern::Pattern& first = question_.first();
    // Only undirected patterns are planned by draws from the graph.
    const double grows = first.directed ? 1 : std::pow(price::plan_grows, first.size() - 3);
    const bool has_non_edges = question_.induced == pattern::Induced::Vertex && !has_all_edges(first);
    const double plan = has_non_edges
                            ? std::min(price::plan_most_induced, price::plan_pattern * price::plan_induced * grows)
                            : std::min(price::plan_most, price::plan_pattern * grows);
    const bool reads_labels = (first.labelled() || first.edge_labelled()) && context_.maybe_graph != nullptr;
    const double labels = reads_labels ? price::plan_label * static_cast<double>(graph().view().arc_count) : 0;
    return plan * static_cast<double>(question_.maybe_patterns->patterns.size()) + labels + price::compile;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_program(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Program>(question, context);
}

std::string WithoutProgram::for_programs(std::string_view option) {
  return std::string(option) + " needs a compiled program";
}

}  // namespace matcha::session::engines
