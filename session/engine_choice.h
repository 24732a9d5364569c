#pragma once

#include <functional>
#include <optional>

#include "planner/decide.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/engines.h"
#include "session/reporter.h"

namespace matcha::session {

/// The question of one run, and the engine that answers it.
class EngineChoice {
 public:
  /// Asks all engines. Errors: Usage, where none answers or the one that the question names does not.
  Status decide(planner::Question question, EngineContext context, const planner::Catalog& catalog,
                const Reporter& reporter);
  /// After `decide`.
  const planner::Question& question() const { return question_; }
  const EngineContext& context() const { return context_; }
  const planner::Decision& decision() const { return decision_; }
  const planner::Offer& chosen() const { return decision_.chosen(); }
  /// Keeps the offer of a trial that gave up, without a limit.
  void go_on() { decision_.offers.front().is_trial = false; }
  /// Takes the next offer in place of a trial that gave up.
  void give_up() { decision_.offers.erase(decision_.offers.begin()); }
  /// Leaves the offers of a CPU.
  void stay_on_cpu();

 private:
  planner::Question question_;
  EngineContext context_;
  planner::EngineList engines_;
  planner::Decision decision_;
};

/// The expected time of a lowered program that is bound to one graph and no list, in nanoseconds of one thread;
/// nothing: it is not known.
std::optional<double> expected_ns(const Compilation& compilation, const BoundInputs& bound);

}  // namespace matcha::session
