#include "passes/pass.h"

namespace matcha::passes {

#define MATCHA_PASS(name, function, Takes, Gives, summary) \
  ir::Module function(const ir::Module& module, PassContext& context);
#include "passes/passes.def"

namespace {

constexpr PassInfo kPasses[] = {
#define MATCHA_PASS(name, function, Takes, Gives, summary) \
  {name, function, ir::Stage::Takes, ir::Stage::Gives, summary},
#include "passes/passes.def"
};

constexpr PassOption kOptions[] = {
#define MATCHA_PASS_OPTION(pass, name, default_value, meaning) {pass, name, default_value, meaning},
#include "passes/passes.def"
};

}  // namespace

std::span<const PassInfo> all_passes() { return kPasses; }
std::span<const PassOption> all_pass_options() { return kOptions; }

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

TargetInfo gpu_target(std::uint32_t group, bool paged_lists) {
  return {"gpu", ir::kMostLanes, group, TargetInfo{}.max_split, paged_lists};
}

}  // namespace matcha::passes
