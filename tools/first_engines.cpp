#include <string_view>

#include "session/engines/engines.h"

namespace matcha::session {

namespace {

/// An engine that this program does not have.
class Absent final : public planner::Engine {
 public:
  explicit Absent(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }
  std::variant<planner::Offer, planner::Refusal> offer(const planner::Question&, const planner::Catalog&,
                                                       bool) const override {
    return planner::Refusal{"the program of the first answer does not have it; build/bin/matcha does"};
  }

 private:
  std::string_view name_;
};

}  // namespace

/// The program of the first answer compiles every question.
planner::EngineList make_engines(const planner::Question& question, const EngineContext& context) {
  planner::EngineList all;
  for (const std::string_view name : engine_names()) {
    if (name == "parts") {
      all.push_back(engines::make_parts(question, context));
    } else if (name == "sample") {
      all.push_back(engines::make_sample(question, context));
    } else if (name == "program") {
      all.push_back(engines::make_program(question, context));
    } else {
      all.push_back(std::make_unique<Absent>(name));
    }
  }
  return all;
}

}  // namespace matcha::session
