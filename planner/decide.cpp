#include "planner/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace matcha::planner {

namespace {

/// Below this share of a program's time an offer is surely the fastest.
constexpr double kSure = 0.5;
/// In place of a cost that is unknown: it is long.
constexpr double kLongNs = 1e18;

bool is_sure(const Offer& offer) { return offer.ns == 0 && offer.share < kSure && !offer.is_trial && !offer.on_gpu; }

/// Why no engine may use a device; empty: it may.
std::string device_problem(const Question& question, const Catalog& catalog, bool on_gpu) {
  if (!on_gpu) return question.device == "cuda" ? "`--device cuda` asks for a GPU" : "";
  if (question.device == "cpu") return "`--device cpu` asks for a CPU";
  return question.device == "auto" && !catalog.may_have_gpu ? "there is no GPU" : "";
}

/// Some offers are priced by what the program takes, and others in time.
bool compares_with_program(const std::vector<Offer>& offers) {
  const bool by_share = std::ranges::any_of(offers, [](const Offer& offer) { return offer.share > 0; });
  const bool by_time = std::ranges::any_of(offers, [](const Offer& offer) { return offer.ns > 0; });
  return by_share && by_time;
}

/// Turns the offers of a GPU that cannot be used into refusals.
void refuse_gpu(const std::string& problem, Decision& decision) {
  for (const Offer& offer : decision.offers) {
    if (offer.on_gpu) decision.refusals.push_back({fmt::format("no GPU can be used: {}", problem), offer.engine, true});
  }
  std::erase_if(decision.offers, [](const Offer& offer) { return offer.on_gpu; });
}

/// The one engine that the question leaves; empty: any.
const std::string& named_engine(const Question& question) {
  return question.engine.empty() ? question.only : question.engine;
}

/// Puts the engine that the question names first, or says why it does not answer.
void force(const Question& question, Decision& decision) {
  const std::string& named = named_engine(question);
  std::ranges::stable_partition(decision.offers, [&](const Offer& offer) { return offer.engine == named; });
  if (!decision.is_empty() && decision.chosen().engine == named) {
    decision.offers.front().is_trial = false;
    return;
  }
  decision.offers.clear();
  const bool on_gpu = question.device == "cuda";
  for (const Refusal& refusal : decision.refusals) {
    if (refusal.engine != named || (refusal.on_gpu != on_gpu && !decision.problem.empty())) continue;
    decision.problem = question.engine.empty()
                           ? refusal.why
                           : fmt::format("`--engine {}` does not answer this: {}", named, refusal.why);
  }
}

}  // namespace

std::optional<double> Decision::ns_of(const Offer& offer) const {
  if (offer.share == 0) return offer.ns;
  if (!program_ns) return std::nullopt;
  return offer.ns + offer.share * *program_ns;
}

Decision decide(const Question& question, const Catalog& catalog, const EngineList& engines) {
  Decision decision;
  for (const bool on_gpu : {false, true}) {
    const std::string problem = device_problem(question, catalog, on_gpu);
    for (const std::unique_ptr<Engine>& engine : engines) {
      const std::string& named = named_engine(question);
      if (!named.empty() && engine->name() != named && !catalog.complete) continue;
      std::variant<Offer, Refusal> answer = Refusal{problem};
      if (!question.only.empty() && engine->name() != question.only) {
        answer = Refusal{question.only_why};
      } else if (problem.empty()) {
        answer = engine->offer(question, catalog, on_gpu);
      }
      if (Offer* const offer = std::get_if<Offer>(&answer)) {
        offer->engine = engine->name();
        offer->on_gpu = on_gpu;
        decision.offers.push_back(std::move(*offer));
        if (!is_sure(decision.offers.back()) || catalog.complete) continue;
        decision.offers.erase(decision.offers.begin(), decision.offers.end() - 1);
        return decision;
      }
      Refusal& refusal = std::get<Refusal>(answer);
      refusal.engine = engine->name();
      refusal.on_gpu = on_gpu;
      decision.refusals.push_back(std::move(refusal));
    }
  }
  if (catalog.complete || compares_with_program(decision.offers)) {
    decision.program_ns = question.device == "cuda" ? std::nullopt : catalog.program_ns(false);
    if (decision.program_ns) *decision.program_ns /= catalog.threads;
  }
  const auto cost = [&](const Offer& offer) {
    return offer.share == 0 ? offer.ns : offer.ns + offer.share * decision.program_ns.value_or(kLongNs);
  };
  std::ranges::stable_sort(decision.offers, std::less(), cost);
  if (!decision.is_empty() && decision.chosen().on_gpu && question.device == "auto") {
    const std::string problem = catalog.gpu_problem();
    if (!problem.empty()) refuse_gpu(problem, decision);
  }
  if (!named_engine(question).empty()) {
    force(question, decision);
  } else if (decision.is_empty()) {
    decision.problem = decision.refusals.empty() ? "no engine answers this" : decision.refusals.back().why;
  }
  return decision;
}

std::string describe(std::string_view engine, bool on_gpu) {
  return fmt::format("{} on a {}", engine, on_gpu ? "GPU" : "CPU");
}

nlohmann::ordered_json to_json(const Decision& decision) {
  nlohmann::ordered_json engines = nlohmann::ordered_json::array();
  for (const Offer& offer : decision.offers) {
    nlohmann::ordered_json one{{"engine", offer.engine}, {"device", offer.on_gpu ? "cuda" : "cpu"}};
    one["chosen"] = &offer == &decision.chosen();
    const std::optional<double> ns = decision.ns_of(offer);
    const bool is_of_program = offer.share != 0 && offer.share != 1;
    if (is_of_program) one["share"] = offer.share;
    if (ns && !is_of_program) one["ns"] = *ns;
    if (offer.bytes) one["bytes"] = *offer.bytes;
    if (offer.is_trial) one["trial"] = true;
    if (offer.plan) one["plan"] = offer.plan();
    engines.push_back(std::move(one));
  }
  for (const Refusal& refusal : decision.refusals) {
    engines.push_back(
        {{"engine", refusal.engine}, {"device", refusal.on_gpu ? "cuda" : "cpu"}, {"refused", refusal.why}});
  }
  return engines;
}

}  // namespace matcha::planner
