#include <fmt/format.h>

#include "session/engines/engines.h"

namespace matcha::session::engines {

namespace {

/// Counts a pattern in parts of a graph that is larger than memory (session/parts_counter.h).
class Parts final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "parts"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& /*catalog*/,
                                                       bool on_gpu) const override {
    if (!context_.parts) return planner::Refusal{context_.no_parts};
    if (on_gpu != (question.device == "cuda")) return planner::Refusal{"the limit of memory is of the other device"};
    planner::Offer offer;
    offer.ns = planner::kUnknownNs;
    offer.bytes = context_.bytes_of_part;
    offer.make = context_.parts;
    offer.plan = [bytes = context_.bytes_of_part] {
      return std::vector<std::string>{
          fmt::format("a program that counts in each subgraph, of at most {} bytes", bytes)};
    };
    return offer;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_parts(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Parts>(question, context);
}

}  // namespace matcha::session::engines
