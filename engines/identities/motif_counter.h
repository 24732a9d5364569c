#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/backend.h"
#include "engines/identities/motif.h"
#include "engines/search/device_keeper.h"

namespace matcha::runtime::motif {
class DeviceMotifs;
}  // namespace matcha::runtime::motif

namespace matcha::codegen {

/// A count and its coefficient.
struct MotifTerm {
  runtime::motif::Motif motif = runtime::motif::Motif::Wedge;
  std::int64_t factor = 1;
};

/// Motifs that several tasks on one graph count together: the first task that runs computes the motifs of all.
struct SharedMotifs {
  runtime::motif::MotifSet wanted;
  std::optional<runtime::motif::MotifCounts> counts;
};

using MotifDevice = DeviceKeeper<runtime::motif::DeviceMotifs>;

/// Counts of patterns as sums of edge-induced counts of motifs.
struct MotifTask {
  std::vector<std::vector<MotifTerm>> results;  ///< One per result, an int.
  std::shared_ptr<SharedMotifs> maybe_shared;   ///< Null: it counts alone.
  /// Computes the sums, which it supports (`fits_device`); null: a CPU does. Not with `maybe_shared`.
  std::shared_ptr<MotifDevice> maybe_device;

  runtime::motif::MotifSet wanted() const;
};

/// Counts motifs by identities (engines/identities), on a CPU or a device. If the device's memory is too small, a CPU
/// counts and a note says so. Its one argument is an undirected simple graph without edge information. A stopped run
/// has no values; shares are an error. `times` of a result has the parts of the count; it is empty if another task has
/// counted. `tier` is the label of the device that counted.
std::unique_ptr<Executable> make_motif_counter(MotifTask task);

}  // namespace matcha::codegen
