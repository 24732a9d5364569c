#include "incremental/shared_deltas.h"

#include <utility>

namespace matcha::session::stream {

using runtime::stream::DeltaSearch;
using runtime::stream::EdgeUpdate;
using runtime::stream::SharedSearch;

void SharedDeltas::set_programs(std::vector<DeltaProgram*> programs) {
  programs_ = std::move(programs);
  terms_ = {};
  owners_.clear();
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    programs_[p]->add_terms(terms_);
    for (std::size_t term = 0; term < programs_[p]->term_count(); ++term) owners_.push_back({p, term});
  }
  for (auto& of_worker : rows_) of_worker.assign(programs_.size(), {});
}

SharedDeltas::AppliedEdges SharedDeltas::take(std::span<const EdgeUpdate> edges, int sign,
                                              const runtime::match::Stops& stops,
                                              runtime::stream::Partners* maybe_partners) {
  const auto take_row = [&](unsigned worker, std::uint32_t term, const std::uint32_t* places) {
    const Owner& owner = owners_[term];
    rows_[worker][owner.program].push_back(programs_[owner.program]->row_of(owner.term, places, present_, sign));
  };
  const SharedSearch::Result found = search_.run({terms_, edges, sign > 0, stops, take_row, maybe_partners});
  AppliedEdges applied{found.ending, found.fits, found.updates, found.busy_ms, found.failure};
  if (!found.fits || found.failure || found.ending != DeltaSearch::Ending::Complete) return applied;
  std::size_t first = 0;
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    DeltaProgram& program = *programs_[p];
    if (!program.wants_rows() && !program.take_counts(found.maps.data() + first, sign)) {
      applied.ending = DeltaSearch::Ending::Overflow;
    }
    first += program.term_count();
    for (auto& of_worker : rows_) program.take_rows(std::exchange(of_worker[p], {}));
  }
  return applied;
}

}  // namespace matcha::session::stream
