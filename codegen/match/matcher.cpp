#include "codegen/match/matcher.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "codegen/dealer.h"
#include "codegen/host/trap.h"
#include "codegen/shares.h"
#include "runtime/machine.h"
#include "runtime/match/matcher.h"

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
      index = std::make_shared<runtime::match::MatchIndex>(graph.view());
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
      result.times.emplace_back("index", ms.count());
    }
    const runtime::Tier tier = options.tier.value_or(runtime::best_tier());
    const bool is_share = !options.share.is_whole();
    runtime::match::Query query = task_.query;
    if (is_share)
      query.restrictions.insert(query.restrictions.end(), task_.restrictions_of_shares.begin(),
                                task_.restrictions_of_shares.end());
    const std::uint64_t divisor = is_share ? 1 : task_.divisor;
    runtime::match::MatchRequest request;
    request.part = options.share.index;
    request.parts = options.share.count;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    if (options.most) request.most = maps_for(*options.most, divisor);
    request.most_steps = options.most_steps;
    request.stops = {options.stop_request, options.deadline};
    const std::vector<runtime::ElementKind> kinds(static_cast<std::size_t>(task_.query.size),
                                                  runtime::ElementKind::Vid);
    std::vector<const void*> columns(kinds.size());
    ListValue list;
    if (task_.rows && !options.on_rows) {
      for (const runtime::ElementKind kind : kinds) list.columns.emplace_back(kind);
      request.on_rows = [&](const std::uint32_t* const* block, std::uint64_t count) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
          if (!list.columns[c].append(block[c], count)) throw std::bad_alloc();
        }
        list.size += count;
        return true;
      };
    } else if (task_.rows) {
      request.on_rows = [&](const std::uint32_t* const* block, std::uint64_t count) {
        std::copy_n(block, columns.size(), columns.begin());
        return options.on_rows(Rows{count, kinds, columns.data()});
      };
    }
    const MatchOutcome outcome = find_matches(*index, query, runtime::set_kernels(tier), request);
    result.times.emplace_back("filter", outcome.filter_ms);
    result.times.emplace_back("search", outcome.search_ms);
    result.tier = runtime::tier_name(tier);
    result.ending = ending_of(outcome.ending);
    result.candidates = outcome.candidates;
    result.images_tried = outcome.steps;
    if (outcome.ending == SearchEnding::Slice) return result;
    const Count found = outcome.found / divisor;
    if (outcome.found >> 127 != 0) {
      return RunError{
          {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
    }
    if (task_.rows) result.rows = static_cast<std::uint64_t>(found);
    if (is_share && !(task_.rows && options.on_rows)) {
      PartialValue& partial = result.partials.emplace_back();
      partial.kind = task_.rows ? runtime::SinkKind::Rows : runtime::SinkKind::SumInt;
      partial.integer = static_cast<__int128>(found);
      partial.list = std::move(list);
    } else if (task_.rows && !options.on_rows) {
      result.values.emplace_back(std::move(list));
    } else {
      result.values.emplace_back(static_cast<__int128>(found));
    }
    return result;
  }

  /// All of the search is one region, which a dealer gives in units.
  RunOutcome run_dealt(const runtime::Graph& graph, const RunOptions& options) {
    Dealer& dealer = *options.maybe_dealer;
    RunOptions part = options;
    part.maybe_dealer = nullptr;
    part.on_rows = {};
    RunResult all;
    if (task_.maybe_index == nullptr) kept_index_ = std::make_shared<runtime::match::MatchIndex>(graph.view());
    while (const std::optional<std::uint64_t> unit = dealer.next(0)) {
      part.share = {*unit, dealer.units()};
      RunOutcome outcome = run_on(graph, part);
      if (std::holds_alternative<RunError>(outcome)) return outcome;
      RunResult& found = std::get<RunResult>(outcome);
      all.tier = found.tier;
      all.candidates = found.candidates;
      all.images_tried += found.images_tried;
      all.ending = found.ending;
      if (all.ending != Ending::Complete) break;
      if (std::optional<runtime::Error> error = dealer.done(0, *unit, std::move(found.partials))) {
        return RunError{std::move(*error), {}};
      }
    }
    std::vector<PartialValue> found_by_all;
    if (dealer.merges()) {
      runtime::Result<std::vector<PartialValue>> merged = dealer.finish(0);
      if (!merged) return RunError{merged.error(), {}};
      found_by_all = std::move(*merged);
    }
    if (all.ending == Ending::Complete && !dealer.is_complete(0)) all.ending = ending_of_stop(options);
    return dealer.merges() ? with_merged(std::move(all), std::move(found_by_all), options) : std::move(all);
  }

  /// The result of what all units found.
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

  /// How many maps make so many matches.
  static std::uint64_t maps_for(std::uint64_t matches, std::uint64_t divisor) {
    std::uint64_t maps = 0;
    return __builtin_mul_overflow(matches, divisor, &maps) ? ~std::uint64_t{0} : maps;
  }

  const MatchTask task_;
  std::shared_ptr<runtime::match::MatchIndex> kept_index_;  ///< Of a run that is dealt.
};

}  // namespace

std::unique_ptr<Executable> make_matcher(MatchTask task) { return std::make_unique<Matcher>(std::move(task)); }

}  // namespace matcha::codegen
