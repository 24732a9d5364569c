#include "planner/decide.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

namespace matcha::planner {
namespace {

/// Makes the given offer on a CPU, and counts how often it is priced.
class Offering final : public Engine {
 public:
  Offering(std::string_view name, double ns, std::optional<double> price = {}, bool is_trial = false)
      : name_(name), ns_(ns), price_(price), is_trial_(is_trial) {}

  std::string_view name() const override { return name_; }
  std::variant<Offer, Refusal> offer(const Question& /*question*/, const Catalog& /*catalog*/,
                                     bool on_gpu) const override {
    if (on_gpu) return Refusal{"it is for a CPU"};
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
  bool is_trial_;
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

}  // namespace
}  // namespace matcha::planner
