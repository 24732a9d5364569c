#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "incremental/delta_program.h"
#include "incremental/dynamic_present.h"
#include "incremental/runtime/shared_search.h"

namespace matcha::session::stream {

/// What the edges of a batch do to programs, on several threads. Counts and rows are those of one thread.
class SharedDeltas {
 public:
  /// All must outlive it; the graph is that of `present`, with its classes laid out.
  SharedDeltas(DynamicPresent& present, const runtime::SetKernels& kernels, unsigned threads)
      : present_(present), search_(present.graph(), kernels, threads), rows_(search_.workers()) {}

  unsigned workers() const { return search_.workers(); }
  /// Before the first batch, and whenever programs have other plans.
  void set_programs(std::vector<DeltaProgram*> programs);

  /// Edges come (+1) or go (-1), as many as there is room for, from the first; the graph and the programs take them.
  struct Took {
    runtime::stream::DeltaSearch::Ending ending = runtime::stream::DeltaSearch::Ending::Complete;
    bool fits = true;                       ///< Else an edge that comes was there, or one that goes was not.
    std::size_t edges = 0;                  ///< So many.
    double busy_ms = 0;                     ///< What it took all threads together to count.
    std::optional<runtime::Error> failure;  ///< Of the partners; then nothing is done.
  };
  /// `maybe_partners`: who counts with it; requires that no program wants rows.
  Took take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
            runtime::stream::Partners* maybe_partners);

 private:
  /// Whose a term is, and which one of it.
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
