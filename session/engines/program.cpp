#include "session/engines/engines.h"

namespace matcha::session::engines {

namespace {

/// A program that is compiled, or interpreted, for a CPU or a GPU: it answers everything else.
class Program final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "program"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& catalog, bool on_gpu) const override {
    if (context_.parts) return planner::Refusal{context_.does_not_fit};
    if (question.want == planner::Want::Orbits) return planner::Refusal{"orbits are counted by identities"};
    if (on_gpu && !question.wants_cpu.empty()) return planner::Refusal{question.wants_cpu + " is for the CPU"};
    planner::Offer offer;
    if (!on_gpu) {
      offer.share = 1;
      return offer;
    }
    offer.ns = catalog.ns_to_open;
    // A program that takes less than that on the CPU stays there, and no program is planned for the GPU.
    if (question.device != "auto") return offer;
    const double on_cpu = catalog.program_ns(false).value_or(0) / catalog.threads;
    if (on_cpu > offer.ns) offer.ns += catalog.program_ns(true).value_or(0);
    return offer;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_program(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Program>(question, context);
}

std::string WithoutProgram::for_programs(std::string_view option) {
  return std::string(option) + " needs a compiled program";
}

}  // namespace matcha::session::engines
