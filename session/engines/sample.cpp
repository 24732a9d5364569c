#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "planner/prices.h"
#include "question/symmetry.h"
#include "runtime/sample/bounded_draws.h"
#include "session/drawn_pattern.h"
#include "session/edge_label_facts.h"
#include "session/engines/engines.h"

namespace matcha::session::engines {

namespace price = planner::price;

namespace {

using pattern::Pattern;

constexpr int kLeastVertices = 3, kMostVertices = 12;

/// What the price and the run share.
struct Draws {
  std::unique_ptr<runtime::sample::BoundedDraws> trees;
  std::unique_ptr<runtime::sample::WithinRun> within;
  double maps = 1;  ///< That are one match.
};

class DrawnInterval final : public codegen::Executable {
 public:
  explicit DrawnInterval(std::shared_ptr<const Draws> draws) : draws_(std::move(draws)) {}

  codegen::RunOutcome run(std::span<const codegen::Argument>, const runtime::Universe&,
                          const codegen::RunOptions& options) override {
    const auto is_stopped = [&] {
      const bool asked = options.stop_request != nullptr && options.stop_request->load() != 0;
      return asked || (options.deadline && std::chrono::steady_clock::now() >= *options.deadline);
    };
    codegen::RunResult result;
    std::optional<runtime::sample::Interval> found;
    if (draws_->within->draws_needed()) found = draws_->within->run(is_stopped);
    if (!found) {
      const bool is_asked = options.stop_request != nullptr && options.stop_request->load() != 0;
      if (is_asked || is_stopped()) {
        result.ending = is_asked ? codegen::Ending::Stopped : codegen::Ending::Deadline;
        return result;
      }
      if (options.most_steps) return result;  // A trial gives up.
      return codegen::RunError{{runtime::ErrorKind::Runtime, "the draws give no interval of that width", {}, 0, {}},
                               {}};
    }
    found->value /= draws_->maps;
    found->half_width /= draws_->maps;
    result.ending = codegen::Ending::Sampled;
    result.estimate = *found;
    return result;
  }

 private:
  const std::shared_ptr<const Draws> draws_;
};

/// Draws matches until their number lies in an interval of the width that the question allows.
class Sample final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "sample"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    const std::string problem = problem_of(question, on_gpu);
    if (!problem.empty()) return planner::Refusal{problem};
    constexpr double kPilot = 4096, kChecks = 16;
    const Pattern& one = question.first();
    const double arcs = static_cast<double>(graph().view().arc_count);
    const double share = price::sample_worth / catalog.threads;
    // Each edge beside a tree narrows the candidates of a vertex.
    int degrees = 0;
    for (int v = 0; v < one.size(); ++v) degrees += pattern::count(one.near(v));
    const int narrowed = std::min(one.size() - 2, degrees / 2 - one.size() + 1);
    const double draw = share * (price::sample_vertex * one.size() + price::sample_check * kChecks * narrowed);
    const double least = share * price::sample_arc * arcs * (one.size() - 1) + draw * kPilot;
    const auto draws = std::make_shared<Draws>();
    planner::Offer offer;
    offer.ns = least;
    offer.price = [this, draws, least, draw] {
      make_pilot(*draws);
      if (!draws->within->draws_needed()) return planner::kUnknownNs * 2;
      return least + draw * static_cast<double>(*draws->within->draws_needed());
    };
    offer.bytes = static_cast<std::uint64_t>(arcs) * sizeof(double) * static_cast<std::uint64_t>(one.size() - 1);
    offer.is_trial = true;
    offer.make = [this, draws] {
      make_pilot(*draws);
      return std::make_unique<DrawnInterval>(draws);
    };
    return offer;
  }

 private:
  std::string problem_of(const planner::Question& question, bool on_gpu) const {
    if (!question.interval.within) return "`--within` gives the width of the interval";
    if (question.maybe_patterns == nullptr) return "programs are counted exactly";
    if (question.want != planner::Want::Count || question.bounded) return "an interval is of a count";
    if (on_gpu) return "matches are drawn on a CPU";
    if (question.match != pattern::Match::Iso) return "maps of a pattern are counted exactly, and matches are drawn";
    const Pattern& one = question.first();
    const bool is_plain = question.maybe_patterns->patterns.size() == 1 && !question.of_motifs() &&
                          !question.maybe_patterns->cliques && !one.directed && !one.edge_labelled() &&
                          !one.has_loops() && !one.has_constants() && one.connected();
    if (!is_plain || one.size() < kLeastVertices || one.size() > kMostVertices) {
      return fmt::format(
          "matches are drawn of a connected pattern of {} to {} vertices without arcs and labels of edges",
          kLeastVertices, kMostVertices);
    }
    if (one.labelled() && !codes_of(one)) return "each vertex that is drawn has one label of the graph, or none";
    if (!question.wants_program.empty()) return for_programs(question.wants_program);
    if (!question.wants_tier.empty()) return for_programs(question.wants_tier);
    if (question.algorithm != "auto") return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
    if (question.plan != 1) return "`--plan` chooses among programs";
    if (question.in_processes || question.in_shares) return "processes share the loops of a program";
    if (!context_.does_not_fit.empty()) return context_.does_not_fit;
    if (context_.maybe_graph == nullptr) return "the graph is not in memory";
    const runtime::GraphFacts& facts = graph().facts();
    return !facts.directed && facts.simple && facts.loop_free && graph().view().slots == nullptr
               ? ""
               : "matches are drawn of undirected simple graphs";
  }

  /// By vertex of the pattern; nothing: a label that is not the graph's, or one of several.
  std::optional<std::vector<std::optional<std::int64_t>>> codes_of(const Pattern& one) const {
    std::vector<std::optional<std::int64_t>> codes(one.ids.size());
    for (int v = 0; v < one.size(); ++v) {
      if (one.label(v).empty()) continue;
      if (context_.maybe_labels == nullptr || graph().view().labels == nullptr) return std::nullopt;
      if (pattern::alternatives(one.label(v)).size() != 1) return std::nullopt;
      codes[pattern::at(v)] = code_of_literal(one.label(v), *context_.maybe_labels);
      if (!codes[pattern::at(v)]) return std::nullopt;
    }
    return codes;
  }

  void make_pilot(Draws& draws) const {
    if (draws.trees != nullptr) return;
    const Pattern& one = question_.first();
    if (!question_.embeddings) draws.maps = static_cast<double>(pattern::Symmetry(one).order().value_or(1));
    draws.trees = std::make_unique<runtime::sample::BoundedDraws>(
        graph().view(), vertices_to_draw(one, question_.induced, *codes_of(one)));
    draws.within = std::make_unique<runtime::sample::WithinRun>(*draws.trees, question_.interval);
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_sample(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Sample>(question, context);
}

}  // namespace matcha::session::engines
