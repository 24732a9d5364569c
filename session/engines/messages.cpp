#include <fmt/format.h>

#include "session/engines/engines.h"
#include "session/engines/map_task.h"

namespace matcha::session::engines {

namespace {

/// Finds matches of arcs with labels as maps, by messages along trees (session/engines/map_task.h).
class Messages final : public WithoutProgram {
 public:
  using WithoutProgram::WithoutProgram;

  std::string_view name() const override { return "messages"; }

  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question& question,
                                                       const planner::Catalog& /*catalog*/,
                                                       bool on_gpu) const override {
    if (on_gpu) return planner::Refusal{"messages are for a CPU"};
    if (!question.wants_program.empty()) return planner::Refusal{for_programs(question.wants_program)};
    if (!question.wants_tier.empty()) return planner::Refusal{for_programs(question.wants_tier)};
    if (question.in_processes) return planner::Refusal{"processes share the loops of a program"};
    if (question.graph_grows) return planner::Refusal{"labels may come that messages do not know"};
    if (context_.maybe_graph == nullptr) return planner::Refusal{"the graph is not in memory"};
    planner::Offer offer;
    const std::string problem = messages_problem(question, graph(), offer.ns);
    if (!problem.empty()) return planner::Refusal{problem};
    offer.make = [this] { return codegen::make_map_matcher(map_task(question_, graph(), *context_.maybe_labels)); };
    offer.plan = [this] { return lines(); };
    return offer;
  }

 private:
  std::vector<std::string> lines() const {
    const codegen::MapTask task = map_task(question_, graph(), *context_.maybe_labels);
    std::vector<std::string> lines;
    for (const codegen::MapTask::Part& part : task.parts) {
      const auto name = [&](int v) { return question_.first().vertex_name(v); };
      std::string text;
      if (part.plan.cut >= 0) text += fmt::format("for each image of {}: ", name(part.plan.cut));
      if (part.plan.second >= 0) text += fmt::format("for each image of {}: ", name(part.plan.second));
      for (const int root : part.plan.roots) {
        text +=
            fmt::format("{}{}", root == part.plan.roots.front() ? "messages from the leaves to " : ", ", name(root));
      }
      lines.push_back(std::move(text));
    }
    return lines;
  }
};

}  // namespace

std::unique_ptr<planner::Engine> make_messages(const planner::Question& question, const EngineContext& context) {
  return std::make_unique<Messages>(question, context);
}

}  // namespace matcha::session::engines
