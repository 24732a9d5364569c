#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "engines/identities/counter.h"
#include "engines/identities/four_walk.h"
#include "planner/prices.h"
#include "runtime/machine.h"
#include "session/engines/engines.h"
#include "session/engines/gpu_counters.h"

namespace matcha::session::engines {

namespace price = planner::price;

namespace {

/// Counts motifs of 3 to 5 vertices, and orbits, by identities of counts (session/motif_sets.h).
class Identities final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "identities"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    if (question.want == planner::Want::Orbits) return orbits_offer(on_gpu);
    if (!question.wants_program.empty()) return planner::Refusal{for_programs(question.wants_program)};
    if (!question.wants_tier.empty()) return planner::Refusal{for_programs(question.wants_tier)};
    if (on_gpu && !question.wants_gpu_program.empty())
      return planner::Refusal{for_programs(question.wants_gpu_program)};
    if (question.want == planner::Want::Rows || question.bounded) {
      return planner::Refusal{"identities count all matches, and find none"};
    }
    if (question.in_processes || (question.in_shares && !is_for_identities(question))) {
      return planner::Refusal{"processes share the loops of a program"};
    }
    if (!context_.does_not_fit.empty()) return planner::Refusal{context_.does_not_fit};
    if (context_.maybe_graph == nullptr) return planner::Refusal{"the graph is not in memory"};
    codegen::MotifTask task;
    const std::string problem = identities_problem(question, graph(), task);
    if (!problem.empty()) return planner::Refusal{problem};
    return on_gpu ? on_gpu_offer(catalog, std::move(task)) : on_cpu_offer(catalog, std::move(task));
  }

 private:
  std::variant<planner::Offer, planner::Refusal> orbits_offer(bool on_gpu) const {
    if (!question_.of_motifs()) return planner::Refusal{"orbits are of motifs"};
    if (on_gpu) return planner::Refusal{"orbits are counted on a CPU"};
    planner::Offer offer;
    offer.ns = planner::kUnknownNs;
    const codegen::OrbitTask task{question_.first().size(), question_.orbits_by_edge,
                                  question_.induced == pattern::Induced::Vertex};
    offer.make = [task] { return codegen::make_orbit_counter(task); };
    offer.plan = [] { return std::vector<std::string>{"orbits of each row by identities of counts of subgraphs"}; };
    return offer;
  }

  std::variant<planner::Offer, planner::Refusal> on_cpu_offer(const planner::Catalog& catalog,
                                                              codegen::MotifTask task) const {
    const double bytes = bytes_of_triangles(graph());
    if (!is_forced() && !is_for_identities(question_) &&
        bytes >= static_cast<double>(runtime::machine().memory_bytes) / 4) {
      return planner::Refusal{
          fmt::format("its triangles may take {:.1f} GB, more than a quarter of the memory", bytes / 1e9)};
    }
    planner::Offer offer;
    offer.bytes = static_cast<std::uint64_t>(bytes);
    offer.ns =
        price::motif_start + motif_cost(graph(), task.wanted()) / std::pow(catalog.threads, price::motif_threads);
    if (context_.maybe_together != nullptr) {
      MotifSets& together = *context_.maybe_together;
      task.maybe_shared = together.shared();
      // Of several patterns that were all asked about, identities count all or none.
      if (together.has(task)) offer.ns = together.are_cheaper(graph(), catalog.threads) ? 0 : planner::kUnknownNs;
    }
    return finished(std::move(offer), std::move(task));
  }

  std::variant<planner::Offer, planner::Refusal> on_gpu_offer(const planner::Catalog& catalog,
                                                              codegen::MotifTask task) const {
    if (!runtime::motif::fits_device(task.wanted())) return planner::Refusal{"a GPU does not find all of its sums"};
    task.maybe_device = gpu_motifs(context_.code_folder);
    planner::Offer offer;
    const double cores = runtime::motif::are_for_four(task.wanted()) ? price::gpu_cycle_cores : price::gpu_motif_cores;
    offer.ns = catalog.ns_to_open + price::gpu_compile + price::gpu_motif_start +
               price::gpu_motif_arc * static_cast<double>(graph().view().arc_count) +
               motif_cost(graph(), task.wanted()) / cores;
    return finished(std::move(offer), std::move(task));
  }

  static planner::Offer finished(planner::Offer offer, codegen::MotifTask task) {
    offer.plan = [results = task.results] { return lines(results); };
    offer.make = [task = std::move(task)] { return codegen::make_motif_counter(task); };
    return offer;
  }

  /// `1 × (01 12 02) - 3 × (01 02 03)`, a line a result; motifs by their edges.
  static std::vector<std::string> lines(const std::vector<std::vector<codegen::MotifTerm>>& results) {
    std::vector<std::string> lines;
    for (const std::vector<codegen::MotifTerm>& terms : results) {
      std::string text;
      for (const codegen::MotifTerm& term : terms) {
        const char* const sign = term.factor < 0 ? " - " : " + ";
        text += fmt::format("{}{} × ({})", text.empty() && term.factor > 0 ? "" : sign, std::abs(term.factor),
                            runtime::motif::kMotifEdges[at(term.motif)]);
      }
      lines.push_back(std::move(text));
    }
    return lines;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_identities(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Identities>(question, context);
}

}  // namespace matcha::session::engines
