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

/// The positions of a share of an outermost loop, one after the other, so that lists of shares lie one after the other
/// too. Where the loop walks the vertices of `maybe_graph`, each share has about as many arcs; else as many positions.
/// The same for every device and number of threads.
PositionRange positions_of(const Share& share, std::uint64_t positions, const runtime::GraphView* maybe_graph);

/// The error of what runs whole programs only.
RunError no_shares(const char* what);

/// Why a dealer cannot deal a program; nothing: it can. `independent`: no region needs what a dealt one found; `deals`:
/// some region is dealt.
std::optional<runtime::Error> dealing_error(const Dealer& dealer, bool independent, bool deals);

/// What tells of the progress of all units when the progress of one is told to it; empty if nobody listens.
std::function<void(std::uint64_t, std::uint64_t)> progress_of_all(const Dealer& dealer, const RunOptions& options);

/// Adds what another share of the same run found of a result; of lists, the later positions. An error when a sum has no
/// room any more, or there is no memory. Requires: the same kinds.
std::optional<runtime::Error> merge(PartialValue& into, const PartialValue& other);

/// Why a run ended of which a dealer's units are not all done: it was stopped, or another run that shares them was.
Ending ending_of_stop(const RunOptions& options);

/// What a share finds that walks nothing, of the kind of another one.
PartialValue none_of(const PartialValue& kind);

/// Adds to each value of a region what another part of it found; takes the values if there are none yet. Lists are
/// those of later positions. An error as of one value.
std::optional<runtime::Error> merge_all(std::vector<PartialValue>& into, const std::vector<PartialValue>& other);

/// The value that all shares found together. An error where there is none: `min` or `max` of nothing, or an int that
/// outgrew its type. Takes the list.
runtime::Result<ResultValue> whole(PartialValue& partial);

}  // namespace matcha::codegen
