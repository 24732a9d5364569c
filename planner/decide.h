#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/engine.h"
#include "planner/question.h"

namespace matcha::planner {

/// Every way to answer a question, the best first.
struct Decision {
  std::vector<Offer> offers;              ///< The first one is chosen; after a trial that gives up, the next one.
  std::vector<Refusal> refusals;          ///< In the order of the engines.
  std::optional<double> program_ns = {};  ///< The time of the program on all threads of a CPU, if it was priced.
  /// The number of the offer of a CPU that answers beside the one that answers on a GPU; the first answer is kept.
  /// 0: none does.
  std::size_t beside = 0;

  /// Nothing answers: `problem` says why.
  bool is_empty() const { return offers.empty(); }
  const Offer& chosen() const { return offers.front(); }
  /// The number of the offer that answers, unless a trial before it does.
  std::size_t answering() const { return offers.size() > 1 && chosen().is_trial ? 1 : 0; }
  /// Why nothing answers, or why the engine that the question names does not.
  std::string problem;
};

/// Asks all engines and compares their offers; the earlier engine of two that cost the same. An engine that the
/// question names comes first, whatever it costs. Unless `Catalog::complete`, an offer is priced only if it might be
/// the cheapest, so a program is planned only if no other offer takes less time than planning.
Decision decide(const Question& question, const Catalog& catalog, const EngineList& engines);

/// The engine and its device: `program on a CPU`.
std::string describe(std::string_view engine, bool on_gpu);

/// The offers and refusals, for the key `engines` of `matcha.plan/1`: each has `engine` and `device`; an offer has
/// `chosen`, `ns` if it is known, `bytes`, `trial`, `race` and `plan`; a refusal has `refused`.
nlohmann::ordered_json to_json(const Decision& decision);

}  // namespace matcha::planner
