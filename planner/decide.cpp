#include "planner/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace matcha::planner {

namespace {

/// Why no engine may use a device; empty: it may.
std::string device_problem(const Question& question, const Catalog& catalog, bool on_gpu) {
  if (!on_gpu) return question.device == "cuda" ? "`--device cuda` asks for a GPU" : "";
  if (question.device == "cpu") return "`--device cpu` asks for a CPU";
  if (question.device != "auto") return "";
  return catalog.may_have_gpu ? question.cpu_only : "there is no GPU";
}

/// Sorts the offers from `begin` on, the cheapest first. Prices those that the first place depends on, or all of them.
void settle(std::size_t begin, bool all, std::vector<Offer>& offers) {
  const auto first = offers.begin() + static_cast<std::ptrdiff_t>(begin);
  while (true) {
    std::stable_sort(first, offers.end(), [](const Offer& one, const Offer& other) { return one.ns < other.ns; });
    if (first == offers.end() || (!all && offers.end() - first == 1)) return;
    const auto next = all ? std::find_if(first, offers.end(), [](const Offer& offer) { return !!offer.price; }) : first;
    if (next == offers.end() || !next->price) return;
    next->ns = std::exchange(next->price, {})();
  }
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

bool answers_on_cpu(const Offer& offer) { return !offer.on_gpu && !offer.is_trial; }

/// Finds the best offer of a CPU to answer beside a GPU that is to answer.
void find_beside(const Question& question, const Catalog& catalog, Decision& decision) {
  const std::size_t answering = decision.answering(), first = answering + 1;
  if (!decision.offers[answering].on_gpu) return;
  std::vector<Offer>& all = decision.offers;
  const auto rest = [&] { return all.begin() + static_cast<std::ptrdiff_t>(first); };
  if (!catalog.complete) {
    all.erase(std::remove_if(rest(), all.end(), [](const Offer& one) { return one.on_gpu; }), all.end());
    settle(first, false, all);
    if (first < all.size() && all[first].is_trial) settle(first + 1, false, all);
  }
  const auto found = std::find_if(rest(), all.end(), [&](const Offer& one) {
    return answers_on_cpu(one) && (named_engine(question).empty() || one.engine == named_engine(question));
  });
  if (found != all.end()) decision.beside = static_cast<std::size_t>(found - all.begin());
}

}  // namespace

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
        continue;
      }
      Refusal& refusal = std::get<Refusal>(answer);
      refusal.engine = engine->name();
      refusal.on_gpu = on_gpu;
      decision.refusals.push_back(std::move(refusal));
    }
  }
  settle(0, catalog.complete, decision.offers);
  // The engine that answers after a trial has to be chosen too.
  if (!decision.is_empty() && decision.chosen().is_trial) settle(1, false, decision.offers);
  for (const Offer& offer : decision.offers) {
    const bool is_known = offer.engine == "program" && !offer.on_gpu && !offer.price && offer.ns < kUnknownNs;
    if (is_known) decision.program_ns = offer.ns;
  }
  const bool may_race = catalog.may_race && question.device == "auto";
  // If a CPU can answer too, the thread that opens the GPU finds out whether it works.
  const bool needs_gpu = catalog.complete || !may_race || std::ranges::none_of(decision.offers, answers_on_cpu);
  if (needs_gpu && !decision.is_empty() && decision.chosen().on_gpu && question.device == "auto") {
    const std::string problem = catalog.gpu_problem();
    if (!problem.empty()) refuse_gpu(problem, decision);
  }
  if (!named_engine(question).empty()) {
    force(question, decision);
  } else if (decision.is_empty()) {
    decision.problem = "no engine answers this";
    for (const Refusal& refusal : decision.refusals) {
      if (refusal.on_gpu == (question.device == "cuda")) decision.problem = refusal.why;
    }
  }
  if (may_race && !decision.is_empty()) find_beside(question, catalog, decision);
  for (Offer& offer : decision.offers) offer.price = {};  // The catalog may be gone later.
  return decision;
}

std::string describe(std::string_view engine, bool on_gpu) {
  return fmt::format("{} on a {}", engine, on_gpu ? "GPU" : "CPU");
}

nlohmann::ordered_json to_json(const Decision& decision) {
  nlohmann::ordered_json engines = nlohmann::ordered_json::array();
  for (std::size_t number = 0; number < decision.offers.size(); ++number) {
    const Offer& offer = decision.offers[number];
    nlohmann::ordered_json one{{"engine", offer.engine}, {"device", offer.on_gpu ? "cuda" : "cpu"}};
    one["chosen"] = number == 0;
    if (offer.ns < kUnknownNs) one["ns"] = offer.ns;
    if (offer.bytes) one["bytes"] = *offer.bytes;
    if (offer.is_trial) one["trial"] = true;
    const bool races = number == decision.answering() || number == decision.beside;
    if (decision.beside != 0 && races) one["race"] = true;
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
