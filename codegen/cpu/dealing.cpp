#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/cpu/run_state.h"
#include "codegen/dealer.h"
#include "codegen/shares.h"

/// Regions whose units a dealer gives to several runs.
namespace matcha::codegen::cpu {

using runtime::ErrorKind;

namespace {

bool is_dealt(const Step& step) {
  const RegionStep* region = std::get_if<RegionStep>(&step);
  return region != nullptr && region->dealt;
}

}  // namespace

Run::Failure Run::check_dealing() const {
  Dealer* const dealer = options_.maybe_dealer;
  if (dealer == nullptr) return std::nullopt;
  if (!options_.share.is_whole()) return failure(ErrorKind::Runtime, "a share is not dealt once more");
  const bool deals = std::ranges::any_of(program_.steps, is_dealt);
  if (std::optional<runtime::Error> error = dealing_error(*dealer, program_.independent, deals)) {
    return RunError{std::move(*error), {}};
  }
  return std::nullopt;
}

bool Run::is_after_last_dealt(std::size_t at) const {
  if (options_.maybe_dealer == nullptr || options_.maybe_dealer->merges()) return false;
  return std::none_of(program_.steps.begin() + static_cast<std::ptrdiff_t>(at), program_.steps.end(), is_dealt);
}

Run::Failure Run::deal(const RegionStep& s, runtime::RegionLaunch& launch, const runtime::RunControl& control) {
  Dealer& dealer = *options_.maybe_dealer;
  const std::size_t region = dealt_begun_++;
  runtime::RunControl of_all = control;
  of_all.on_progress = progress_of_all(dealer, options_);
  while (const std::optional<std::uint64_t> unit = dealer.next(region)) {
    const PositionRange range =
        positions_of(Share{*unit, dealer.units()}, frame_[s.positions_slot], launch.maybe_walked);
    launch.begin = range.begin;
    launch.end = range.end;
    runtime::RegionResult result;
    if (Failure failed = run_part(s, launch, of_all, result)) return failed;
    // The values of a unit that was stopped are lost: a unit counts only as a whole.
    if (ended()) break;
    std::vector<PartialValue> found;
    for (std::size_t i = 0; i < s.sinks.size(); ++i) found.push_back(partial_of(s.sinks[i], result.sinks[i]));
    if (std::optional<runtime::Error> error = dealer.done(region, *unit, std::move(found))) {
      return RunError{std::move(*error), {}};
    }
  }
  std::vector<PartialValue> all;
  if (dealer.merges()) {
    runtime::Result<std::vector<PartialValue>> merged = dealer.finish(region);
    if (!merged) return RunError{merged.error(), {}};
    all = std::move(*merged);
  }
  if (!ended() && !dealer.is_complete(region)) result_.ending = ending_of_stop(options_);
  return dealer.merges() ? take_merged(s, std::move(all)) : std::nullopt;
}

/// Stores the merged values in the slots of the region's sinks.
Run::Failure Run::take_merged(const RegionStep& s, std::vector<PartialValue> merged) {
  runtime::RegionResult result;
  result.sinks.resize(s.sinks.size());
  if (merged.empty()) {
    // The run was stopped before any unit was done.
    for (std::size_t i = 0; i < s.sinks.size(); ++i) {
      PartialValue none;
      none.kind = s.sinks[i].info.kind;
      for (const runtime::ElementKind kind : s.sinks[i].info.columns) none.list.columns.emplace_back(kind);
      merged.push_back(none_of(none));
    }
  }
  for (std::size_t i = 0; i < s.sinks.size(); ++i) {
    PartialValue& value = merged[i];
    runtime::SinkResult& sink = result.sinks[i];
    if (value.kind != s.sinks[i].info.kind) {
      return failure(ErrorKind::Runtime, "internal error: a dealt region found values of another kind");
    }
    sink.has_value = value.has_value;
    sink.flag = value.flag;
    sink.sum = value.integer;
    sink.integer = static_cast<std::int64_t>(value.integer);
    sink.number = value.kind == runtime::SinkKind::SumFloat ? runtime::exact_sum_round(value.sum) : value.number;
    sink.rows = value.list.size;
    sink.columns = std::move(value.list.columns);
  }
  return take_results(s, result);
}

}  // namespace matcha::codegen::cpu
