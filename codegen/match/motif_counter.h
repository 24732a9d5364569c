#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/backend.h"
#include "runtime/motif/motif.h"

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

/// Counts of patterns as sums of edge-induced counts of motifs.
struct MotifTask {
  std::vector<std::vector<MotifTerm>> results;  ///< One a result, an int.
  std::shared_ptr<SharedMotifs> maybe_shared;   ///< Null: it counts for itself.

  runtime::motif::MotifSet wanted() const;
};

/// Counts motifs by identities (runtime/motif), on a CPU. Its one argument is an undirected simple graph without edge
/// information. A run that is stopped has no values, and shares are an error. Of a result, `times` has the parts of the
/// count; none where another task has counted.
std::unique_ptr<Executable> make_motif_counter(MotifTask task);

}  // namespace matcha::codegen
