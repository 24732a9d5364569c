#include "passes/pass.h"

#include <algorithm>
#include <iterator>

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

struct PassAlias {
  std::string_view old_name;
  std::string_view name;
};

constexpr PassAlias kAliases[] = {
#define MATCHA_PASS_ALIAS(old_name, name) {old_name, name},
#include "passes/passes.def"
};

}  // namespace

std::span<const PassInfo> all_passes() { return kPasses; }
std::span<const PassOption> all_pass_options() { return kOptions; }

const PassInfo* find_pass(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &PassAlias::old_name);
  if (alias != std::end(kAliases)) name = alias->name;
  const auto* pass = std::ranges::find(kPasses, name, &PassInfo::name);
  return pass != std::end(kPasses) ? pass : nullptr;
}

TargetInfo gpu_target(std::uint32_t group) {
  TargetInfo target = cpp_target();
  target.name = "gpu";
  target.max_group = ir::kMostLanes;
  target.group = group;
  return target;
}

TargetInfo cpp_target() {
  TargetInfo target;
  target.name = "cpp";
  target.max_split = ir::kMostSplit;
  target.tasks = true;
  target.steal = ir::Stealing::Timeout;
  return target;
}

}  // namespace matcha::passes
