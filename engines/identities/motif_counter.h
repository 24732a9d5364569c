#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "engines/identities/motif.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {
class DeviceMotifs;
}  // namespace matcha::runtime::motif

namespace matcha::codegen {

/// A count, and how often it is added.
struct MotifTerm {
  runtime::motif::Motif motif = runtime::motif::Motif::Wedge;
  std::int64_t factor = 1;
};

/// What several tasks on one graph count together: what any of them wants is found by the first that runs.
struct SharedMotifs {
  runtime::motif::MotifSet wanted;
  std::optional<runtime::motif::MotifCounts> counts;
};

/// A device that finds sums over a graph, opened for the first count. Threads may share it.
class MotifDevice {
 public:
  using Shared = std::shared_ptr<runtime::motif::DeviceMotifs>;
  /// Gives the device with the graph.
  using Open = std::function<runtime::Result<Shared>(const runtime::Graph&)>;

  explicit MotifDevice(Open open) : open_(std::move(open)) {}

  /// Errors: where there is no device; Resource where it has no room.
  runtime::Result<Shared> get(const runtime::Graph& graph);
  /// `GPU 0 (NVIDIA H200)`; empty before the first count.
  const std::string& label() const { return label_; }

 private:
  std::mutex mutex_;
  Open open_;
  Shared device_;
  std::string label_;
};

/// Counts of patterns as sums of edge-induced counts of motifs.
struct MotifTask {
  std::vector<std::vector<MotifTerm>> results;  ///< One a result, an int.
  std::shared_ptr<SharedMotifs> maybe_shared;   ///< Null: it counts for itself.
  /// Finds the sums, which it fits (engines/identities/counter.h); null: a CPU does. Not with `maybe_shared`.
  std::shared_ptr<MotifDevice> maybe_device;

  runtime::motif::MotifSet wanted() const;
};

/// Counts motifs by identities (engines/identities), on a CPU, or with a device; where that has no room, a CPU counts,
/// and a note says so. Its one argument is an undirected simple graph without edge information. A run that is stopped
/// has no values, and shares are an error. Of a result, `times` has the parts of the count; none where another task has
/// counted. `tier` is the label of the device where it has counted.
std::unique_ptr<Executable> make_motif_counter(MotifTask task);

}  // namespace matcha::codegen
