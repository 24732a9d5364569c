#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "session/engines.h"

/// The engines of engines.def, a file each. See planner/engine.h for their contract.
namespace matcha::session::engines {

#define MATCHA_ENGINE(name, description) \
  std::unique_ptr<planner::Engine> make_##name(const planner::Question& question, const EngineContext& context);
#include "session/engines.def"
#undef MATCHA_ENGINE

/// The base of all engines except `program`.
class WithoutProgram : public planner::Engine {
 public:
  WithoutProgram(const planner::Question& question, const EngineContext& context)
      : question_(question), context_(context) {}

 protected:
  bool is_forced() const { return question_.engine == name(); }
  const runtime::Graph& graph() const { return *context_.maybe_graph; }
  /// The reason for a refusal: `option` applies to programs only.
  static std::string for_programs(std::string_view option);

  const planner::Question& question_;
  const EngineContext& context_;
};

}  // namespace matcha::session::engines
