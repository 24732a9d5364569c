#include "session/engines/engines.h"

namespace matcha::session {

planner::EngineList make_engines(const planner::Question& question, const EngineContext& context) {
  planner::EngineList engines;
#define MATCHA_ENGINE(name, description) engines.push_back(engines::make_##name(question, context));
#include "session/engines.def"
#undef MATCHA_ENGINE
  return engines;
}

}  // namespace matcha::session
