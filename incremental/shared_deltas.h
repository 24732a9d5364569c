#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "incremental/delta_program.h"
#include "incremental/dynamic_present.h"
#include "incremental/runtime/shared_search.h"

namespace matcha::session::stream {

/// Counts the deltas of a batch's edges for programs, on several threads. Results equal those of one thread.
class SharedDeltas {
 public:
  /// Requires: all arguments outlive it; the graph is that of `present`, with its classes set.
  SharedDeltas(DynamicPresent& present, const runtime::SetKernels& kernels, unsigned threads)
      : present_(present), search_(present.graph(), kernels, threads), rows_(search_.workers()) {}

  unsigned workers() const { return search_.workers(); }
  /// Call before the first batch, and whenever plans of programs change.
  void set_programs(std::vector<DeltaProgram*> programs);

  /// The result of inserting (+1) or deleting (-1) a prefix of some edges that fits memory, applied to the graph and
  /// the programs.
  struct AppliedEdges {
    runtime::stream::DeltaSearch::Ending ending = runtime::stream::DeltaSearch::Ending::Complete;
    bool fits = true;                       ///< False: an inserted edge exists, or a deleted one does not.
    std::size_t edges = 0;                  ///< The length of the prefix.
    double busy_ms = 0;                     ///< The time of all threads together to count.
    std::optional<runtime::Error> failure;  ///< An error of the partners; then nothing was done.
  };
  /// `maybe_partners`: others that count with it; requires that no program requests rows.
  AppliedEdges take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
                    runtime::stream::Partners* maybe_partners);

 private:
  /// The program of a term, and its number in it.
  struct Owner {
    std::size_t program = 0, term = 0;
  };

  DynamicPresent& present_;
  runtime::stream::SharedSearch search_;
  std::vector<DeltaProgram*> programs_;
  runtime::stream::SharedTerms terms_;
  std::vector<Owner> owners_;  ///< By term.
  /// By worker, then program.
  std::vector<std::vector<std::vector<DeltaProgram::Row>>> rows_;
};

}  // namespace matcha::session::stream
