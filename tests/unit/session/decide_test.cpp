#include "planner/decide.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace matcha::planner {
namespace {

/// Makes the given offer on a CPU or a GPU, and counts how often it is priced.
class Offering final : public Engine {
 public:
  Offering(std::string_view name, double ns, std::optional<double> price = {}, bool is_trial = false,
           bool on_gpu = false)
      : name_(name), ns_(ns), price_(price), is_trial_(is_trial), on_gpu_(on_gpu) {}

  std::string_view name() const override { return name_; }
  std::variant<Offer, Refusal> offer(const Question& /*question*/, const Catalog& /*catalog*/,
                                     bool on_gpu) const override {
    if (on_gpu != on_gpu_) return Refusal{"it is for the other device"};
    Offer offer;
    offer.ns = ns_;
    offer.is_trial = is_trial_;
    if (price_) {
      offer.price = [this] {
        ++priced_;
        return *price_;
      };
    }
    return offer;
  }
  int priced() const { return priced_; }

 private:
  std::string_view name_;
  double ns_;
  std::optional<double> price_;
  bool is_trial_, on_gpu_;
  mutable int priced_ = 0;
};

/// The chosen engine, how often the program was priced, and the last engine.
struct Outcome {
  std::string_view chosen;
  int priced = 0;
  std::string_view second = {};
};

Outcome choice(std::unique_ptr<Offering> other, double least, double price, bool complete = false) {
  EngineList engines;
  if (other != nullptr) engines.push_back(std::move(other));
  auto program = std::make_unique<Offering>("program", least, price);
  const Offering& asked = *program;
  engines.push_back(std::move(program));
  Question question;
  question.device = "cpu";
  Catalog catalog;
  catalog.complete = complete;
  const Decision decision = decide(question, catalog, engines);
  return {decision.chosen().engine, asked.priced(), decision.offers.back().engine};
}

std::unique_ptr<Offering> identities(double ns, bool is_trial = false) {
  return std::make_unique<Offering>("identities", ns, std::nullopt, is_trial);
}

TEST(Decide, PlansNoProgramWhereAnotherEngineTakesLessThanPlanning) {
  const Outcome outcome = choice(identities(5), 10, 1000);
  EXPECT_EQ(outcome.chosen, "identities");
  EXPECT_EQ(outcome.priced, 0);
}

TEST(Decide, PricesWhatMayBeTheCheapest) {
  EXPECT_EQ(choice(identities(50), 10, 1000).chosen, "identities");
  EXPECT_EQ(choice(identities(50), 10, 1000).priced, 1);
  EXPECT_EQ(choice(identities(50), 10, 20).chosen, "program");
}

TEST(Decide, PricesNothingWhereThereIsNoChoice) {
  EXPECT_EQ(choice(nullptr, 10, 1000).priced, 0);
  EXPECT_EQ(choice(identities(5, true), 10, 1000).priced, 0) << "after a trial one is left";
}

TEST(Decide, ChoosesTheSameWhenAllIsPriced) {
  for (const double price : {20.0, 1000.0}) {
    const Outcome complete = choice(identities(50), 10, price, true);
    EXPECT_EQ(complete.chosen, choice(identities(50), 10, price).chosen);
    EXPECT_EQ(complete.priced, 1);
  }
  EXPECT_EQ(choice(identities(5), 10, 1000, true).priced, 1);
}

TEST(Decide, UnknownCostsComeLast) {
  EXPECT_EQ(choice(identities(kUnknownNs), 10, 1000).chosen, "program");
  EXPECT_EQ(choice(identities(kUnknownNs), 10, 1000).second, "identities");
}

/// A GPU that takes 8 and opens only if it is asked about, and on a CPU identities that take 50, another engine on a
/// GPU, and a program that takes at least 10. How often the program was priced.
int decide_race(bool may_race, bool complete, bool has_trial, std::string gpu_problem, Decision& decision,
                const std::string& engine = {}) {
  EngineList engines;
  if (has_trial) engines.push_back(std::make_unique<Offering>("search", 5, std::nullopt, true));
  engines.push_back(std::make_unique<Offering>("cliques", 8, std::nullopt, false, true));
  engines.push_back(std::make_unique<Offering>("messages", 20, std::nullopt, false, true));
  engines.push_back(identities(50));
  auto program = std::make_unique<Offering>("program", 10, 100);
  const Offering& asked = *program;
  engines.push_back(std::move(program));
  Question question;
  question.device = "auto";
  question.engine = engine;
  Catalog catalog;
  catalog.may_have_gpu = true;
  catalog.may_race = may_race;
  catalog.complete = complete;
  catalog.gpu_problem = [&] { return gpu_problem; };
  decision = decide(question, catalog, engines);
  return asked.priced();
}

TEST(Decide, FindsTheBestOfACpuBesideAGpu) {
  Decision decision;
  EXPECT_EQ(decide_race(true, false, false, "it is not asked", decision), 1);
  ASSERT_NE(decision.beside, 0U);
  EXPECT_EQ(decision.chosen().engine, "cliques");
  EXPECT_EQ(decision.offers[decision.beside].engine, "identities");
  EXPECT_EQ(decide_race(true, true, false, "", decision), 1);
  EXPECT_EQ(decision.chosen().engine, "cliques");
  EXPECT_EQ(decision.offers[decision.beside].engine, "identities") << "explained as it runs";
  const nlohmann::ordered_json reported = to_json(decision);
  EXPECT_TRUE(reported[0].value("race", false));
  EXPECT_FALSE(reported[1].value("race", false)) << reported;
  EXPECT_TRUE(reported[decision.beside].value("race", false));
}

TEST(Decide, FindsItBehindATrialToo) {
  Decision decision;
  decide_race(true, false, true, "", decision);
  EXPECT_EQ(decision.chosen().engine, "search");
  EXPECT_TRUE(decision.offers[decision.answering()].on_gpu);
  EXPECT_EQ(decision.offers[decision.beside].engine, "identities");
}

TEST(Decide, NoGpuAnswersWhatIsForACpu) {
  EngineList engines;
  engines.push_back(std::make_unique<Offering>("cliques", 8, std::nullopt, false, true));
  engines.push_back(identities(50));
  Question question;
  question.cpu_only = "rounds are for a CPU";
  Catalog catalog;
  catalog.may_have_gpu = true;
  const Decision decision = decide(question, catalog, engines);
  EXPECT_EQ(decision.chosen().engine, "identities");
  EXPECT_EQ(decision.refusals.back().why, question.cpu_only);
}

TEST(Decide, LeavesAGpuAlone) {
  Decision decision;
  EXPECT_EQ(decide_race(false, false, false, "", decision), 0) << "nothing depends on the program";
  EXPECT_EQ(decision.beside, 0U);
  EXPECT_TRUE(decision.chosen().on_gpu);
  decide_race(false, false, false, "it is broken", decision);
  EXPECT_FALSE(decision.chosen().on_gpu);
  decide_race(true, true, false, "it is broken", decision);
  EXPECT_FALSE(decision.chosen().on_gpu) << "an explanation says what is there";
  EXPECT_EQ(decision.beside, 0U);
  decide_race(true, false, false, "", decision, "cliques");
  EXPECT_TRUE(decision.chosen().on_gpu);
  EXPECT_EQ(decision.beside, 0U) << "the engine that is named has no offer of a CPU";
}

}  // namespace
}  // namespace matcha::planner
