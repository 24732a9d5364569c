#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "engines/identities/vertex_loop.h"
#include "engines/search/device_keeper.h"

namespace matcha::codegen {

/// Passes the rows of a matcher to `RunOptions::on_rows`, or collects them in a list.
class RowTaker {
 public:
  /// Requires: the options outlive it.
  RowTaker(std::vector<runtime::ElementKind> kinds, const RunOptions& options);

  /// Takes columns of `count` items, each of its kind, valid during the call. Returns false to stop. Throws
  /// std::bad_alloc.
  bool operator()(const void* const* block, std::uint64_t count);
  /// The same, with vertices only.
  bool operator()(const std::uint32_t* const* block, std::uint64_t count);
  /// The collected rows.
  ListValue take_list() { return std::move(list_); }

 private:
  const RunOptions& options_;
  std::vector<runtime::ElementKind> kinds_;
  std::vector<const void*> columns_;  ///< The columns of a block of vertices.
  ListValue list_;
};

/// Adds the result of a matcher to that of a run: the number of matches, or with `lists` the rows, of which the
/// collected ones are in `list`; for a share, as a partial result.
void add_found(__int128 found, bool lists, ListValue list, const RunOptions& options, RunResult& result);

/// The outcome of `count` on the device. Empty if its memory is too small; then a CPU counts, and a note says why.
template <typename Outcome, typename Counter, typename Count>
std::optional<runtime::Result<Outcome>> on_device(DeviceKeeper<Counter>& keeper, const runtime::Graph& graph,
                                                  RunResult& result, const Count& count) {
  const auto is_for_cpu = [&result](const runtime::Error& error) {
    if (error.kind != runtime::ErrorKind::Resource) return false;
    result.notes.push_back("a CPU counts: " + error.message);
    return true;
  };
  const auto device = keeper.get(graph);
  if (!device && is_for_cpu(device.error())) return std::nullopt;
  if (!device) return device.error();
  runtime::Result<Outcome> outcome = count(**device);
  if (!outcome && is_for_cpu(outcome.error())) return std::nullopt;
  result.tier = keeper.label();
  return outcome;
}

/// The ending of a run whose loop ended with `end`.
Ending ending_of(runtime::motif::End end);

/// Adds the times, rows and ending of counts at each vertex or edge to a result. `Outcome`: as OrbitOutcome.
template <typename Outcome>
void add_rows(const Outcome& outcome, RowTaker& rows, const RunOptions& options, RunResult& result) {
  for (const auto& [part, ms] : outcome.times) result.times.emplace_back(part, ms);
  result.ending = outcome.refused ? Ending::RowsRefused : ending_of(outcome.end);
  add_found(static_cast<__int128>(outcome.rows), true, rows.take_list(), options, result);
}

}  // namespace matcha::codegen
