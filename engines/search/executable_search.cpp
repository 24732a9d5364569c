#include "engines/search/executable_search.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "codegen/dealer.h"
#include "codegen/host/trap.h"
#include "codegen/shares.h"
#include "engines/search/image_order.h"
#include "engines/search/match_index.h"
#include "engines/search/matcher.h"
#include "engines/search/row_taker.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

using runtime::match::Count;
using runtime::match::MatchOutcome;
using runtime::match::SearchEnding;

Ending ending_of(SearchEnding ending) {
  switch (ending) {
    case SearchEnding::Limit:
    case SearchEnding::Refused: return Ending::RowsRefused;
    case SearchEnding::Stopped: return Ending::Stopped;
    case SearchEnding::Deadline: return Ending::Deadline;
    case SearchEnding::Complete:
    case SearchEnding::Slice: break;
  }
  return Ending::Complete;
}

/// The parts that `RunResult::work_done` counts of a trial.
constexpr std::uint64_t kPartsOfTrial = 1'000'000;
/// Milliseconds of processor time that a run with `most_steps` takes at most.
constexpr double kMostTrialMs = 12;

class Matcher final : public Executable {
 public:
  explicit Matcher(MatchTask task) : task_(std::move(task)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    try {
      const runtime::Graph& graph = *std::get<runtime::Graph*>(arguments[0]);
      return options.maybe_dealer != nullptr ? run_dealt(graph, options) : run_on(graph, options);
    } catch (const std::bad_alloc&) {
      return RunError{{runtime::ErrorKind::Resource, "not enough memory for the candidates of the pattern", {}, 0, {}},
                      {}};
    }
  }

 private:
  RunOutcome run_on(const runtime::Graph& graph, const RunOptions& options) {
    RunResult result;
    std::shared_ptr<runtime::match::MatchIndex> index = task_.maybe_index;
    if (index == nullptr) index = kept_index_;
    if (index == nullptr) {
      const auto begin = std::chrono::steady_clock::now();
      index = std::make_shared<runtime::match::MatchIndex>(graph);
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
      result.times.emplace_back("index", ms.count());
    }
    const runtime::Tier tier = options.tier.value_or(runtime::best_tier());
    const bool is_share = !options.share.is_whole();
    runtime::match::Query query = task_.query;
    const bool on_device = task_.maybe_batch != nullptr && !is_share && !options.most_steps && !task_.rows;
    const bool divides = !is_share && (on_device || task_.divisor <= kFewMaps);
    const Count divisor = divides ? task_.divisor : 1;
    if (!divides)
      query.restrictions.insert(query.restrictions.end(), task_.restrictions.begin(), task_.restrictions.end());
    // Any map shows that there is a match, so only interchangeable vertices need an order.
    const bool takes_any = options.most == 1 && !task_.rows && !is_share && !on_device;
    if (takes_any) query.restrictions = restrictions_of_twins(query);
    runtime::match::MatchRequest request;
    request.part = options.share.index;
    request.parts = options.share.count;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    if (options.most) request.most = takes_any ? 1 : maps_for(*options.most, divisor);
    request.most_steps = options.most_steps;
    request.most_cpu_ms = kMostTrialMs;
    request.stops = {options.stop_request, options.deadline};
    request.on_progress = options.on_progress;
    RowTaker rows(std::vector(static_cast<std::size_t>(task_.query.size), runtime::ElementKind::Vid), options);
    if (task_.rows) request.on_rows = std::ref(rows);
    result.tier = runtime::tier_name(tier);
    const runtime::Result<MatchOutcome> found_on_any =
        on_device ? find_on_device(*index, runtime::set_kernels(tier), request, result)
                  : find_matches(*index, query, runtime::set_kernels(tier), request);
    if (!found_on_any) return RunError{found_on_any.error(), {}};
    const MatchOutcome& outcome = *found_on_any;
    result.times.emplace_back("filter", outcome.filter_ms);
    result.times.emplace_back("search", outcome.search_ms);
    result.ending = ending_of(outcome.ending);
    result.candidates = outcome.candidates;
    result.images_tried = outcome.steps;
    result.positions = outcome.roots_done;
    result.positions_total = outcome.roots;
    if (outcome.ending == SearchEnding::Slice) {
      result.work_total = kPartsOfTrial;
      result.work_done = static_cast<std::uint64_t>(outcome.share * static_cast<double>(kPartsOfTrial));
      return result;
    }
    const Count found = takes_any ? outcome.found : outcome.found / divisor;
    if (outcome.found >> 127 != 0) {
      return RunError{
          {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
    }
    add_found(static_cast<__int128>(found), task_.rows, rows.take_list(), options, result);
    return result;
  }

  /// The whole search is one region, whose units a dealer assigns.
  RunOutcome run_dealt(const runtime::Graph& graph, const RunOptions& options) {
    if (task_.maybe_index == nullptr) kept_index_ = std::make_shared<runtime::match::MatchIndex>(graph);
    std::vector<PartialValue> merged;
    RunOutcome all = run_units(
        options, [&](const RunOptions& share) { return run_on(graph, share); }, merged);
    if (std::holds_alternative<RunError>(all) || !options.maybe_dealer->merges()) return all;
    return with_merged(std::move(std::get<RunResult>(all)), std::move(merged), options);
  }

  /// The merged result of all units.
  RunOutcome with_merged(RunResult all, std::vector<PartialValue> merged, const RunOptions& options) const {
    if (merged.empty()) {
      PartialValue& none = merged.emplace_back();
      none.kind = task_.rows ? runtime::SinkKind::Rows : runtime::SinkKind::SumInt;
      for (int v = 0; task_.rows && v < task_.query.size; ++v)
        none.list.columns.emplace_back(runtime::ElementKind::Vid);
    }
    PartialValue& value = merged.front();
    if (!task_.rows) {
      all.values.emplace_back(value.integer);
      return all;
    }
    all.rows = value.list.size;
    if (!options.on_rows) {
      all.values.emplace_back(std::move(value.list));
      return all;
    }
    std::vector<runtime::ElementKind> kinds;
    std::vector<const void*> columns;
    for (const runtime::Column& column : value.list.columns) {
      kinds.push_back(column.kind());
      columns.push_back(column.data());
    }
    if (value.list.size != 0 && !options.on_rows(Rows{value.list.size, kinds, columns.data()})) {
      all.ending = Ending::RowsRefused;
    }
    all.values.emplace_back(static_cast<__int128>(all.rows));
    return all;
  }

  /// Searches on the device, if the time has come; else on the CPU. Adds notes for the user to `result`.
  runtime::Result<MatchOutcome> find_on_device(runtime::match::MatchIndex& index, const runtime::SetKernels& kernels,
                                               const runtime::match::MatchRequest& request, RunResult& result) const {
    using Clock = std::chrono::steady_clock;
    if (task_.ms_before > 0) {
      runtime::match::MatchRequest first = request;
      const auto before =
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(task_.ms_before));
      first.stops.deadline = Clock::now() + before;
      if (request.stops.deadline) first.stops.deadline = std::min(*first.stops.deadline, *request.stops.deadline);
      MatchOutcome outcome = find_matches(index, task_.query, kernels, first);
      if (outcome.ending != SearchEnding::Deadline || request.stops.is_late()) return outcome;
    }
    const runtime::Result<MatchOutcome> outcome =
        task_.maybe_batch->take(task_.number, request.most, index, request.stops);
    if (outcome && outcome->found != runtime::match::kTooMany) {
      result.tier = task_.maybe_batch->label();
      return outcome;
    }
    // The chosen device may be missing, or its memory short.
    if (!outcome && task_.ms_before <= 0 && outcome.error().kind != runtime::ErrorKind::Resource) return outcome;
    result.notes.push_back("the CPU counts the matches: " +
                           (outcome ? "their number is too large for a GPU" : outcome.error().message));
    return find_matches(index, task_.query, kernels, request);
  }

  const MatchTask task_;
  std::shared_ptr<runtime::match::MatchIndex> kept_index_;  ///< Kept between the units of a dealt run.
};

}  // namespace

std::optional<std::uint64_t> maps_for(std::uint64_t matches, Count divisor) {
  std::uint64_t maps = 0;
  return __builtin_mul_overflow(matches, divisor, &maps) ? std::nullopt : std::optional(maps);
}

std::unique_ptr<Executable> make_matcher(MatchTask task) { return std::make_unique<Matcher>(std::move(task)); }

}  // namespace matcha::codegen
