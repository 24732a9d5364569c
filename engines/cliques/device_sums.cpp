#include "engines/cliques/device_sums.h"

#include <cstring>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/device_cells.h"
#include "engines/cliques/laps.h"
#include "engines/cliques/leaves.h"

namespace matcha::runtime::cliques {

using matcha_program::CliqueLaunch;
using motif::End;

namespace {

bool is_wide(const std::vector<std::uint64_t>& roots, std::uint32_t size) { return bits_of_counts(roots, size) > 64; }

}  // namespace

Result<std::unique_ptr<DeviceSums>> DeviceSums::make(const Graph& graph, std::uint32_t size, OpenCode open) {
  std::unique_ptr<DeviceSums> made(new DeviceSums(std::move(open)));
  Roots roots = MATCHA_TRY(roots_to_count(graph, size, best_tier()));
  const cuda::DeviceRef device = MATCHA_TRY(made->load(is_wide(roots.by_count(), size)));
  made->trees_ = MATCHA_TRY(DeviceTrees::make(std::move(roots), device));
  return made;
}

/// Gives the device.
Result<cuda::DeviceRef> DeviceSums::load(bool wide) {
  Code code = MATCHA_TRY(open_(wide));
  const std::uint64_t bytes = wide ? sizeof(unsigned __int128) : sizeof(std::uint64_t);
  WalkKernel kernel{MATCHA_TRY(code.module.function("clique_sums")), matcha_program::kSetsOfSumFrame,
                    bytes / sizeof(std::uint32_t)};
  loaded_[wide ? 1 : 0] = Loaded{std::move(code.module), std::move(kernel)};
  return code.device;
}

template <typename Number>
Result<End> DeviceSums::walk(std::uint32_t size, const match::Stops& stops, SharedSums& sums) {
  constexpr bool kIsWide = sizeof(Number) > sizeof(std::uint64_t);
  const WalkKernel& kernel = loaded_[kIsWide ? 1 : 0]->kernel;
  const std::uint32_t widest = trees_->roots().widest;
  const std::vector<Number> table = coefficients_of_leaves<Number>(widest, size);
  cuda::Stream& stream = trees_->stream();
  MATCHA_TRY(match::reserve(table_, stream.shared_device(), table.size() * sizeof(Number)));
  MATCHA_TRY(table_.copy_from(stream, table.data(), table.size() * sizeof(Number)));
  const std::uint64_t bytes = sums.size() * sizeof(Number);
  CliqueLaunch launch = MATCHA_TRY(trees_->prepare(kernel, trees_->all(), size, 1, bytes));
  launch.sums = reinterpret_cast<matcha_program::u64*>(trees_->output());
  launch.table = reinterpret_cast<const void*>(table_.address());
  launch.coefficients = coefficients_of_row(widest, size);
  if (!MATCHA_TRY(trees_->walk(kernel, launch, bytes, stops))) {
    return stops.is_stopped() ? End::Stopped : End::Deadline;
  }
  for (std::uint64_t v = 0; v < sums.size(); ++v) {
    Number number = 0;
    std::memcpy(&number, trees_->host_output() + v * sizeof(Number), sizeof(Number));
    sums.set(v, number);
  }
  return End::Complete;
}

Result<SumOutcome> DeviceSums::count(const Graph& graph, const SumRequest& request) {
  const std::lock_guard<std::mutex> lock(turn_);
  SumOutcome outcome;
  Laps laps(outcome.times);
  try {
    const std::vector<std::uint64_t>& roots = trees_->all().by_count;
    const std::uint32_t bits = bits_of_counts(roots, request.size);
    if (const std::optional<Error> error = too_many_bits(request.size, bits, kMostBitsOfSums)) return *error;
    const bool wide = is_wide(roots, request.size);
    if (!loaded_[wide ? 1 : 0]) MATCHA_TRY(load(wide));
    const auto sums_of_size = [&](std::uint32_t size, SharedSums& sums) {
      Result<End> end =
          wide ? walk<unsigned __int128>(size, request.stops, sums) : walk<std::uint64_t>(size, request.stops, sums);
      // The caller has the rows of smaller cliques, so that no other device can begin again.
      if (!end && outcome.rows != 0) end.error().kind = ErrorKind::Runtime;
      return end;
    };
    MATCHA_TRY(write_sums(graph, trees_->roots(), request, sums_of_size, laps, outcome));
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
