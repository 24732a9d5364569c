#include "driver/stream/gpu_use.h"

#include <algorithm>
#include <limits>

namespace matcha::driver::stream {

namespace {

/// Edges of a first step, where counting the whole graph may be sooner; and of any.
constexpr std::size_t kFirst = 1024, kFewest = 256;

}  // namespace

Status GpuUse::prepare(DynamicPresent& present, const Reporter& reporter) {
  if (!is_wanted() || gpu_ != nullptr) return Status::Ok;
  runtime::Result<std::unique_ptr<GpuDeltas>> gpu = GpuDeltas::open(present, device_.code_folder);
  if (!gpu) return reporter.error(gpu.error());
  gpu_ = std::move(*gpu);
  return Status::Ok;
}

void GpuUse::give_up(const Reporter& reporter, const std::string& why) {
  is_off_ = true;
  reporter.note("the CPU counts what edges do: " + why);
}

std::size_t GpuUse::wanted(std::size_t left, double step_ms, const std::vector<DeltaProgram*>& programs,
                           const Reporter& reporter) {
  if (gpu_ == nullptr || is_off_ || programs.empty()) return 0;
  if (!std::exchange(is_planned_, true)) {
    const std::string why = gpu_->set_programs(programs);
    if (!why.empty()) {
      give_up(reporter, why);
      return 0;
    }
  }
  if (step_ms == std::numeric_limits<double>::infinity()) return left;
  if (!each_ms_) return std::min(left, kFirst);
  const double step = step_ms / std::max(*each_ms_, 1e-9);
  if (step >= static_cast<double>(left)) return left;
  return std::min(left, std::max(kFewest, static_cast<std::size_t>(step)));
}

Status GpuUse::take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
                    const Reporter& reporter, GpuDeltas::Took& took) {
  const runtime::Result<GpuDeltas::Took> taken = gpu_->take(edges, sign, stops);
  took = {};
  if (!taken) {
    if (taken.error().kind != runtime::ErrorKind::Resource) return reporter.error(taken.error());
    give_up(reporter, taken.error().message);
    return Status::Ok;
  }
  took = *taken;
  if (took.edges != 0) each_ms_ = took.ms / static_cast<double>(took.edges);
  return Status::Ok;
}

}  // namespace matcha::driver::stream
