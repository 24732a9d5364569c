#include "engines/cliques/device_counter.h"

#include <new>
#include <utility>
#include <vector>

#include "engines/cliques/laps.h"

namespace matcha::runtime::cliques {

using matcha_program::CliqueLaunch;

namespace {

Error out_of_memory() { return {ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}}; }

/// Sends where leaves are counted.
Status send_cells(const DeviceCells& cells, const cuda::Stream& stream, cuda::DeviceMemory& rows) {
  const std::uint64_t bytes = cells.rows().size() * sizeof(std::uint32_t);
  MATCHA_TRY(match::reserve(rows, stream.shared_device(), bytes));
  MATCHA_TRY(rows.copy_from(stream, cells.rows().data(), bytes));
  return stream.synchronize();
}

}  // namespace

Result<std::unique_ptr<DeviceCliques>> DeviceCliques::make(const cuda::DeviceRef& device, cuda::Module code) {
  WalkKernel kernel{MATCHA_TRY(code.function("clique_trees")), matcha_program::kSetsOfFrame, 0};
  return std::unique_ptr<DeviceCliques>(new DeviceCliques(device, std::move(code), std::move(kernel)));
}

Result<CliqueOutcome> DeviceCliques::count_roots(Counter& counter, const DeviceRoots& roots, std::uint32_t size,
                                                 const match::Stops& stops) const {
  CliqueOutcome outcome;
  Laps laps(outcome.times);
  DeviceTrees& trees = *counter.trees;
  const std::uint32_t bits = bits_of_counts(trees.all().by_count, size);
  if (const std::optional<Error> error = too_many_bits(size, bits, WideInt::kBits)) return *error;
  if (!counter.cells || counter.cells->size_of_cliques() != size) {
    counter.cells.reset();
    DeviceCells cells(trees.roots().widest, size);
    MATCHA_TRY(send_cells(cells, trees.stream(), counter.rows));
    counter.cells.emplace(std::move(cells));
  }
  laps.end("cells");
  const std::uint64_t bytes = counter.cells->size() * sizeof(std::uint64_t);
  // Roots with one candidate or none are counted without a walk.
  CliqueLaunch launch = MATCHA_TRY(trees.prepare(kernel_, roots, size, 2, bytes));
  launch.cells = reinterpret_cast<matcha_program::u64*>(trees.output());
  launch.rows = reinterpret_cast<const matcha_program::u32*>(counter.rows.address());
  const bool complete = MATCHA_TRY(trees.walk(kernel_, launch, bytes, stops));
  laps.end("trees");
  if (!complete) {
    outcome.end = stops.is_stopped() ? motif::End::Stopped : motif::End::Deadline;
    return outcome;
  }
  outcome.nodes = trees.nodes();
  outcome.counts = counter.cells->counts(reinterpret_cast<const std::uint64_t*>(trees.host_output()), roots.by_count);
  laps.end("sizes");
  return outcome;
}

Result<CliqueOutcome> DeviceCliques::count(const Graph& graph, std::uint32_t size, const match::Stops& stops) {
  const std::lock_guard<std::mutex> lock(turn_);
  try {
    if (whole_.trees == nullptr) {
      Roots roots = MATCHA_TRY(roots_to_count(graph, size, best_tier()));
      whole_.trees = MATCHA_TRY(DeviceTrees::make(std::move(roots), device_));
    }
    CliqueOutcome outcome = MATCHA_TRY(count_roots(whole_, whole_.trees->all(), size, stops));
    if (outcome.end == motif::End::Complete) {
      outcome.counts = counts_of_sizes(std::move(outcome.counts), graph, size);
    }
    return outcome;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Result<CliqueOutcome> DeviceCliques::count_share(const Graph& graph, std::uint32_t size, std::uint64_t index,
                                                 std::uint64_t shares, const match::Stops& stops) {
  const std::lock_guard<std::mutex> lock(turn_);
  try {
    if (dealt_.trees == nullptr) {
      Roots roots = MATCHA_TRY(roots_to_deal(graph, size));
      dealt_.trees = MATCHA_TRY(DeviceTrees::make(std::move(roots), device_));
    }
    const std::vector<std::uint32_t> mine = dealt_to(widest_dealt(dealt_.trees->roots(), size), index, shares);
    const DeviceRoots roots = MATCHA_TRY(dealt_.trees->send(mine));
    CliqueOutcome outcome = MATCHA_TRY(count_roots(dealt_, roots, size, stops));
    if (outcome.end == motif::End::Complete && size != 0) outcome.counts.assign(1, WideInt(outcome.counts[size]));
    return outcome;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace matcha::runtime::cliques
