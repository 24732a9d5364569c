#include "incremental/gpu_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "planner/prices.h"

namespace matcha::session::stream {

namespace {

/// Edges of the first step if recounting the whole graph may be faster; and the fewest edges of any step.
constexpr std::size_t kFirst = 1024, kFewest = 256;
/// A GPU is opened if the CPU is expected to work for this many milliseconds more: opening takes another thread some
/// tenths of a second, and the end of the process some more.
constexpr double kWorthOpening = 500;

}  // namespace

Status GpuUse::prepare(DynamicPresent& present, const std::vector<DeltaProgram*>& programs, const Reporter& reporter) {
  if (!is_wanted() || gpu_ != nullptr) return Status::Ok;
  present.graph().keep_rows();
  runtime::Result<std::unique_ptr<GpuDeltas>> gpu = GpuDeltas::open(present, device_);
  if (!gpu) return reporter.error(gpu.error());
  gpu_ = std::move(*gpu);
  if (!is_bounded() || maybe_ready(programs, reporter) == nullptr) return Status::Ok;
  const runtime::Result<std::uint64_t> least = gpu_->least_bytes();
  if (!least) return reporter.error(least.error());
  if (device_.bytes >= *least) return Status::Ok;
  return reporter.error(
      Status::Resource,
      fmt::format("the GPU may take {} bytes, and {} are the least that suffice", device_.bytes, *least),
      "--gpu-memory sets the limit; rows that do not fit stay in host memory");
}

void GpuUse::give_up(const Reporter& reporter, const std::string& why) {
  is_off_ = true;
  if (is_wanted()) reporter.note("the CPU counts the changes: " + why);
}

/// The expected CPU time for all coming edges: the known number, and as much as it has taken.
double GpuUse::expected_ms() const {
  const double left = static_cast<double>(device_.expected_edges - std::min(device_.expected_edges, edges_));
  return std::max(choice_.cpu_ms(), choice_.each_ms(false).value_or(0) * left);
}

/// True if it can count now; opens it if the CPU would take long enough.
bool GpuUse::is_open(DynamicPresent& present, double cpu_ms) {
  if (gpu_ != nullptr) return true;
  if (opening_ == nullptr) {
    if (cpu_ms < kWorthOpening) return false;
    opening_ = GpuOpening::begin(device_.code_folder);
    is_off_ = opening_ == nullptr;
  }
  if (is_off_ || !opening_->is_done()) return false;
  runtime::Result<GpuCode> code = opening_->take();
  opening_.reset();
  is_off_ = !code;
  if (is_off_) return false;
  present.graph().keep_rows();
  std::vector<GpuCode> codes;
  codes.push_back(std::move(*code));
  runtime::Result<std::unique_ptr<GpuDeltas>> gpu = GpuDeltas::make(present, device_, std::move(codes));
  is_off_ = !gpu;
  if (is_off_) return false;
  gpu_ = std::move(*gpu);
  choice_.allow_gpu();
  return true;
}

bool GpuUse::counts(DynamicPresent& present) {
  rest_cpu_ms_ = 0;
  if (is_wanted()) return true;
  if (device_.kind != DeltaDevice::Kind::Auto || is_off_) return false;
  return is_open(present, expected_ms()) && choice_.is_gpu();
}

bool GpuUse::counts_rest(DynamicPresent& present, std::size_t done, double cpu_ms, std::size_t left) {
  // The least host time of a GPU for an edge, and for an edge of the graph, which is copied once.
  constexpr double kEachMs = planner::price::stream_gpu_edge / 1e6, kMsOfEdge = 1e-5, kMargin = 2;
  if (device_.kind != DeltaDevice::Kind::Auto || is_off_ || done == 0) return false;
  rest_cpu_ms_ = cpu_ms / static_cast<double>(done);
  const double cpu = rest_cpu_ms_ * static_cast<double>(left);
  const double graph = gpu_ == nullptr ? kMsOfEdge * static_cast<double>(present.edge_count()) : 0;
  return cpu > kMargin * (each_ms_.value_or(kEachMs) * static_cast<double>(left) + graph) && is_open(present, cpu);
}

void GpuUse::add(bool on_gpu, std::size_t edges, double ms, const Reporter& reporter) {
  edges_ += edges;
  if (!has_reported_ && gpu_ != nullptr && gpu_->host_bytes() != 0) {
    has_reported_ = true;
    reporter.note(fmt::format("{} bytes of the GPU are taken, which reads the rest of the graph in {} of the host",
                              gpu_->bytes(), gpu_->host_bytes()));
  }
  if (device_.kind != DeltaDevice::Kind::Auto || !choice_.add(on_gpu, edges, ms)) return;
  constexpr double kMicroseconds = 1000;
  reporter.note(
      fmt::format("the {} counts the changes: {:.3g} us an edge, instead of {:.3g} on the {}",
                  choice_.is_gpu() ? "GPU" : "CPU", choice_.each_ms(choice_.is_gpu()).value_or(0) * kMicroseconds,
                  choice_.each_ms(!choice_.is_gpu()).value_or(0) * kMicroseconds, choice_.is_gpu() ? "CPU" : "GPU"));
}

GpuDeltas* GpuUse::maybe_ready(const std::vector<DeltaProgram*>& programs, const Reporter& reporter) {
  if (gpu_ == nullptr || is_off_ || programs.empty()) return nullptr;
  if (!std::exchange(is_planned_, true)) {
    const std::string why = gpu_->set_programs(programs);
    if (!why.empty()) {
      give_up(reporter, why);
      return nullptr;
    }
  }
  return gpu_.get();
}

std::size_t GpuUse::wanted(std::size_t left, double step_ms, const std::vector<DeltaProgram*>& programs,
                           const Reporter& reporter) {
  if (maybe_ready(programs, reporter) == nullptr) return 0;
  // The first trial includes copying the graph.
  constexpr unsigned kTrials = 2;
  if (rest_cpu_ms_ != 0) {
    if (trials_ < kTrials) {
      ++trials_;
      return std::min(left, 4 * kFirst);
    }
    if (each_ms_.value_or(0) > rest_cpu_ms_) return 0;
  }
  if (step_ms == std::numeric_limits<double>::infinity()) return left;
  if (!each_ms_) return std::min(left, kFirst);
  const double step = step_ms / std::max(*each_ms_, 1e-9);
  if (step >= static_cast<double>(left)) return left;
  return std::min(left, std::max(kFewest, static_cast<std::size_t>(step)));
}

Status GpuUse::take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
                    runtime::stream::Partners* maybe_partners, const Reporter& reporter,
                    GpuDeltas::AppliedEdges& applied) {
  const runtime::Result<GpuDeltas::AppliedEdges> taken = gpu_->take(edges, sign, stops, maybe_partners);
  applied = {};
  if (!taken) {
    if (maybe_partners != nullptr || taken.error().kind != runtime::ErrorKind::Resource)
      return reporter.error(taken.error());
    give_up(reporter, taken.error().message);
    return Status::Ok;
  }
  applied = *taken;
  if (applied.edges != 0) each_ms_ = applied.ms / static_cast<double>(applied.edges);
  return Status::Ok;
}

}  // namespace matcha::session::stream
