#include "incremental/gpu_deltas.h"

#include <utility>

#include "incremental/delta_count_text.h"

namespace matcha::session::stream {

using runtime::stream::DeltaSearch;
using runtime::stream::DeviceSearch;
using runtime::stream::EdgeUpdate;

GpuRows rows_of(const DeviceSearch::Outcome& outcome) {
  GpuRows rows;
  rows.kept = outcome.rows.kept;
  rows.sent = outcome.rows.sent;
  rows.left = outcome.rows.left;
  rows.evicted = outcome.rows.evicted;
  rows.resident_reads = outcome.resident_reads;
  rows.remote_reads = outcome.remote_reads;
  rows.choose_ms = outcome.choose_ms;
  rows.move_ms = outcome.move_ms;
  return rows;
}

runtime::Result<std::unique_ptr<GpuDeltas>> GpuDeltas::open(DynamicPresent& present, const DeltaDevice& settings) {
  std::vector<GpuCode> gpus = MATCHA_TRY(
      open_gpu_codes(delta_count_text(), "delta_count.cu", settings.code_folder, settings.gpus, settings.turn));
  return make(present, settings, std::move(gpus));
}

runtime::Result<std::unique_ptr<GpuDeltas>> GpuDeltas::make(DynamicPresent& present, const DeltaDevice& settings,
                                                            std::vector<GpuCode> codes) {
  std::vector<DeviceSearch::Device> devices;
  for (GpuCode& gpu : codes) devices.push_back({gpu.device, std::move(gpu.code)});
  std::unique_ptr<DeviceSearch> search = MATCHA_TRY(DeviceSearch::make(present.graph(), std::move(devices)));
  if (settings.bytes != 0) search->set_most_bytes(settings.bytes, settings.row_bytes);
  return std::unique_ptr<GpuDeltas>(new GpuDeltas(present, std::move(search)));
}

std::string GpuDeltas::set_programs(std::vector<DeltaProgram*> programs) {
  programs_ = std::move(programs);
  terms_ = {};
  for (DeltaProgram* program : programs_) program->add_terms(terms_);
  search_->forget_terms();
  return search_->problem_of(terms_);
}

runtime::Result<GpuDeltas::AppliedEdges> GpuDeltas::take(std::span<const EdgeUpdate> edges, int sign,
                                                         const runtime::match::Stops& stops,
                                                         runtime::stream::Partners* maybe_partners) {
  const DeviceSearch::Outcome outcome = MATCHA_TRY(search_->run({terms_, edges, sign > 0, stops, {}, maybe_partners}));
  const runtime::stream::SharedSearch::Result& found = outcome.found;
  AppliedEdges applied{found.ending, found.fits, outcome.is_refused, found.updates, found.busy_ms, rows_of(outcome)};
  if (!applied.fits || applied.is_refused || applied.ending != DeltaSearch::Ending::Complete) return applied;
  take_matches(outcome, sign);
  if (!take_counts(found.maps, 0, sign)) applied.ending = DeltaSearch::Ending::Overflow;
  return applied;
}

/// Passes the listed rows to the programs.
void GpuDeltas::take_matches(const DeviceSearch::Outcome& outcome, int sign) const {
  std::size_t first = 0;
  for (DeltaProgram* program : programs_) {
    const std::size_t end = first + program->term_count();
    std::vector<DeltaProgram::Row> rows;
    for (std::size_t at = 0; program->wants_rows() && at < outcome.matches.size(); at += outcome.match_words) {
      const std::uint32_t* const match = outcome.matches.data() + at;
      if (match[0] < first || match[0] >= end) continue;
      rows.push_back(program->row_of(match[0] - first, match + 1, present_, sign));
    }
    program->take_rows(std::move(rows));
    first = end;
  }
}

bool GpuDeltas::take_counts(const std::vector<__int128>& maps, std::size_t slot, int sign) const {
  const __int128* of_program = maps.data() + slot * terms_.all.size();
  bool fits = true;
  for (DeltaProgram* program : programs_) {
    if (!program->wants_rows()) fits = program->take_counts(of_program, sign) && fits;
    of_program += program->term_count();
  }
  return fits;
}

}  // namespace matcha::session::stream
