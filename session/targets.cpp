#include "session/targets.h"

#include <algorithm>

#include "codegen/cpp/cpp.h"
#include "codegen/cuda/cuda.h"
#include "ir/check.h"

namespace matcha::session {

namespace {

using Made = std::unique_ptr<codegen::Backend>;

Made make_interpreter(const TargetSettings&) { return codegen::make_interpreter(); }
Made make_llvm(const TargetSettings& settings) { return codegen::make_llvm(settings.code_folder); }
Made make_plan(const TargetSettings&) { return codegen::make_plan(); }
Made make_tiers(const TargetSettings& settings) { return codegen::make_tiers(settings.code_folder); }
Made make_cuda(const TargetSettings& settings) { return codegen::make_cuda(settings.gpu); }
Made make_cpp(const TargetSettings& settings) { return codegen::make_cpp(settings.about); }
Made make_cuda_program(const TargetSettings& settings) {
  return codegen::make_cuda_program(settings.about, settings.gpu);
}

passes::TargetInfo cpu(const TargetSettings&) { return {}; }
passes::TargetInfo gpu(const TargetSettings& settings) { return settings.gpu.target(); }
passes::TargetInfo cpp(const TargetSettings& settings) { return settings.gpu.target(passes::cpp_target()); }

// name, pipeline, --emit, on_gpu, ahead_of_time, make, machine
constexpr Target kTargets[] = {
    {"cpp-program", "c-family", "cpp", false, true, make_cpp, cpp},
    {"cuda-program", "c-family", "cuda", true, true, make_cuda_program, gpu},
    {"cuda-kernels", "c-family", "ptx", true, true, make_cuda, gpu},
    {"llvm", "cpu", "llvm", false, false, make_llvm, cpu},
    {"tiers", "cpu", "", false, false, make_tiers, cpu},
    {"plan", "cpu", "", false, false, make_plan, cpu},
    {"interp", "cpu", "", false, false, make_interpreter, cpu},
    {"cuda", "c-family", "", true, false, make_cuda, gpu},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target& target_named(std::string_view name) {
  const auto* const found = std::ranges::find(kTargets, name, &Target::name);
  MATCHA_CHECK(found != std::end(kTargets), "the name of a target");
  return *found;
}

std::string_view target_of_tier(std::string_view tier) {
  return tier == "interp" ? "plan" : tier == "auto" ? "tiers" : "llvm";
}

const Target* target_of_text(std::string_view emit) {
  const auto* const found = std::ranges::find(kTargets, emit, &Target::emit);
  return emit.empty() || found == std::end(kTargets) ? nullptr : found;
}

}  // namespace matcha::session
