#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "codegen/shares.h"
#include "planner/prices.h"
#include "question/symmetry.h"
#include "runtime/sample/kept_draws.h"
#include "session/drawn_pattern.h"
#include "session/engines/engines.h"

namespace matcha::session::engines {

namespace price = planner::price;

namespace {

using pattern::Pattern;

/// The state that the price and the run share.
struct Draws {
  std::string key;  ///< Of the draws that are kept.
  std::unique_ptr<runtime::sample::BoundedDraws> trees;
  std::unique_ptr<runtime::sample::WithinRun> within;
  std::optional<runtime::Error> error;  ///< There are no draws.
  double maps = 1;                      ///< That are one match.

  bool can_tell() const { return within != nullptr && within->draws_needed(); }
};

class DrawnInterval final : public codegen::Executable {
 public:
  DrawnInterval(std::shared_ptr<const Draws> draws, std::shared_ptr<runtime::sample::KeptDraws> maybe_kept)
      : draws_(std::move(draws)), maybe_kept_(std::move(maybe_kept)) {}

  codegen::RunOutcome run(std::span<const codegen::Argument>, const runtime::Universe&,
                          const codegen::RunOptions& options) override {
    if (draws_->error) return codegen::RunError{*draws_->error, {}};
    if (options.maybe_dealer != nullptr) return run_dealt(options);
    codegen::RunResult result;
    std::optional<runtime::sample::Interval> found;
    if (draws_->can_tell()) {
      runtime::sample::WithinRun within = *draws_->within;
      found = within.run([&] { return ending_of(options) != codegen::Ending::Complete; });
      if (maybe_kept_ != nullptr) maybe_kept_->keep(draws_->key, within.made());
    }
    result.ending = ending_of(options);
    if (!found && (options.most_steps || result.ending != codegen::Ending::Complete))
      return result;  // A trial gives up.
    if (!found) return no_interval();
    put(*found, result);
    return result;
  }

 private:
  static codegen::Ending ending_of(const codegen::RunOptions& options) {
    if (options.stop_request != nullptr && options.stop_request->load() != 0) return codegen::Ending::Stopped;
    const bool is_late = options.deadline && std::chrono::steady_clock::now() >= *options.deadline;
    return is_late ? codegen::Ending::Deadline : codegen::Ending::Complete;
  }

  static codegen::RunOutcome no_interval() {
    return codegen::RunError{{runtime::ErrorKind::Runtime, "the draws give no interval of that width", {}, 0, {}}, {}};
  }

  void put(runtime::sample::Interval found, codegen::RunResult& result) const {
    found.value /= draws_->maps;
    found.half_width /= draws_->maps;
    result.ending = codegen::Ending::Sampled;
    result.estimate = found;
  }

  /// The draws of the first try are one region. Its moments add up.
  codegen::RunOutcome run_dealt(const codegen::RunOptions& options) const {
    if (!draws_->can_tell()) {
      options.maybe_dealer->refused();
      return no_interval();
    }
    std::vector<codegen::PartialValue> merged;
    codegen::RunOutcome all = codegen::run_units(
        options, [&](const codegen::RunOptions& share) { return run_share(share); }, merged);
    codegen::RunResult* const result = std::get_if<codegen::RunResult>(&all);
    if (result == nullptr || result->ending != codegen::Ending::Complete || merged.empty()) return all;
    runtime::sample::Moments moments;
    moments.exact_sum = merged[0].sum;
    moments.exact_squares = merged[1].sum;
    moments.draws = static_cast<std::uint64_t>(merged[2].integer);
    moments.hits = static_cast<std::uint64_t>(merged[3].integer);
    const std::optional<runtime::sample::Interval> found = draws_->within->interval_of(moments);
    if (!found) return no_interval();
    put(*found, *result);
    return all;
  }

  codegen::RunOutcome run_share(const codegen::RunOptions& options) const {
    const auto is_stopped = [&] { return ending_of(options) != codegen::Ending::Complete; };
    const runtime::sample::Moments found = draws_->within->part(options.share.index, options.share.count, is_stopped);
    codegen::RunResult result;
    result.ending = ending_of(options);
    for (const runtime::ExactSum& sum : {found.exact_sum, found.exact_squares}) {
      codegen::PartialValue& value = result.partials.emplace_back();
      value.kind = runtime::SinkKind::SumFloat;
      value.sum = sum;
    }
    for (const std::uint64_t number : {found.draws, found.hits}) {
      result.partials.emplace_back().integer = static_cast<__int128>(number);
    }
    return result;
  }

  const std::shared_ptr<const Draws> draws_;
  const std::shared_ptr<runtime::sample::KeptDraws> maybe_kept_;
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
    const bool makes_lists = one.directed || one.labelled() || one.edge_labelled();
    const double passes = one.size() - 1 + (makes_lists ? 1 : 0);
    const double least = share * price::sample_arc * arcs * passes + draw * kPilot;
    const auto draws = std::make_shared<Draws>();
    planner::Offer offer;
    offer.ns = least;
    offer.price = [this, draws, least, draw] {
      make_pilot(*draws);
      if (!draws->can_tell()) return planner::kUnknownNs * 2;
      return least + draw * static_cast<double>(draws->within->draws_left());
    };
    const std::uint64_t bytes_of_lists =
        graph().view().arc_count * sizeof(std::uint32_t) + graph().view().universe * sizeof(std::uint64_t);
    offer.bytes = (graph().view().arc_count * sizeof(double) + (makes_lists ? bytes_of_lists : 0)) *
                  static_cast<std::uint64_t>(one.size() - 1);
    // Processes share the draws from the start, or none.
    offer.is_trial = !question.in_processes;
    offer.make = [this, draws] {
      make_pilot(*draws);
      return std::make_unique<DrawnInterval>(draws, context_.maybe_draws);
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
    if (question.maybe_patterns->patterns.size() != 1 || question.of_motifs() || question.maybe_patterns->cliques) {
      return "matches are drawn of one pattern";
    }
    if (!question.wants_program.empty()) return for_programs(question.wants_program);
    if (!question.wants_tier.empty()) return for_programs(question.wants_tier);
    if (question.algorithm != "auto") return fmt::format("`--algorithm {}` asks for a program", question.algorithm);
    if (question.plan != 1) return "`--plan` chooses among programs";
    if (question.in_shares) return "processes share the loops of a program";
    if (!context_.does_not_fit.empty()) return context_.does_not_fit;
    if (context_.maybe_graph == nullptr) return "the graph is not in memory";
    return problem_of_draws(question.first(), graph(), context_.maybe_labels);
  }

  void make_pilot(Draws& draws) const {
    if (draws.trees != nullptr || draws.error) return;
    const Pattern& one = question_.first();
    if (!question_.embeddings) {
      const pattern::Pattern normal = pattern::normal(one, question_.induced);
      draws.maps = static_cast<double>(pattern::Symmetry(normal).order().value_or(1));
    }
    runtime::Result<DrawnPattern> drawn = drawn_pattern(one, question_.induced, graph(), context_.maybe_labels);
    if (!drawn) {
      draws.error = drawn.error();
      return;
    }
    draws.key = fmt::format("{} {}", drawn->text, question_.interval.seed.value_or(runtime::sample::kSeed));
    draws.trees = std::make_unique<runtime::sample::BoundedDraws>(std::move(drawn->lists), std::move(drawn->vertices));
    runtime::sample::MadeDraws made;
    if (context_.maybe_draws != nullptr) made = context_.maybe_draws->find(draws.key);
    draws.within = std::make_unique<runtime::sample::WithinRun>(*draws.trees, question_.interval, made);
    if (context_.maybe_draws != nullptr) context_.maybe_draws->keep(draws.key, draws.within->made());
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_sample(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Sample>(question, context);
}

}  // namespace matcha::session::engines
