#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "codegen/backend.h"
#include "codegen/dealer.h"
#include "runtime/abi.h"

namespace matcha::codegen {

/// The positions [begin, end).
struct PositionRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The positions of a share of an outermost loop. Shares are contiguous and in order, so their lists are too. If the
/// loop walks the vertices of `maybe_graph`, each share has about as many arcs, else as many positions. The cut is the
/// same for every device and number of threads.
PositionRange positions_of(const Share& share, std::uint64_t positions, const runtime::GraphView* maybe_graph);

/// The error of a back end that runs whole programs only.
RunError no_shares(const char* what);

/// Why a dealer cannot deal a program, which it is informed of; nothing: it can. `independent`: no region needs values
/// of a dealt region. `deals`: some region is dealt.
std::optional<runtime::Error> dealing_error(Dealer& dealer, bool independent, bool deals);

/// A progress callback for one unit that reports the progress of all units; empty if the options have no callback.
std::function<void(std::uint64_t, std::uint64_t)> progress_of_all(const Dealer& dealer, const RunOptions& options);

/// Adds the part of another share of the same run to `into`; rows of lists come behind. Returns an error if a sum
/// overflows or there is no memory. Requires: the same kinds.
std::optional<runtime::Error> merge(PartialValue& into, const PartialValue& other);

/// Why a run ended although units of its dealer are not done: it was stopped, or another run of the dealer was.
Ending ending_of_stop(const RunOptions& options);

/// The empty value of the kind of `kind`, for a share without positions.
PartialValue none_of(const PartialValue& kind);

/// Adds the values of another part of a region, one by one as `merge`; if `into` is empty, copies them. Rows of lists
/// are those of later positions.
std::optional<runtime::Error> merge_all(std::vector<PartialValue>& into, const std::vector<PartialValue>& other);

/// Runs the units that the dealer of `options` deals to this run, for an executable whose work is one region.
/// `run_share` runs a share, and gives `partials`. The result has no values; `merged` gets those of all runs where the
/// dealer merges, and stays empty if no unit is done.
RunOutcome run_units(const RunOptions& options, const std::function<RunOutcome(const RunOptions& share)>& run_share,
                     std::vector<PartialValue>& merged);

/// The final value of a merged part; takes its list. Returns an error if there is none: `min` or `max` of nothing, or
/// an int outside its type.
runtime::Result<ResultValue> whole(PartialValue& partial);

}  // namespace matcha::codegen
