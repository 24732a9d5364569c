#include "engines/messages/map_matcher.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "codegen/host/trap.h"
#include "engines/messages/counter.h"
#include "engines/messages/lister.h"
#include "engines/search/row_taker.h"
#include "runtime/machine.h"

namespace matcha::codegen {

namespace {

using runtime::messages::ListOutcome;
using runtime::messages::ListRequest;
using runtime::messages::MapOutcome;
using runtime::messages::MapRequest;

/// Adds the result of another part, including its ending.
void add(const MapOutcome& part, MapOutcome& all) {
  all.end = part.end;
  all.maps += part.maps;
  all.overflow = all.overflow || part.overflow;
  all.index_ms += part.index_ms;
  all.count_ms += part.count_ms;
}

RunResult result_of(const MapOutcome& outcome, const char* step, const RunOptions& options) {
  RunResult result;
  result.tier = runtime::tier_name(options.tier.value_or(runtime::best_tier()));
  result.times.emplace_back("index", outcome.index_ms);
  result.times.emplace_back(step, outcome.count_ms);
  result.ending = ending_of(outcome.end);
  return result;
}

class MapMatcher final : public Executable {
 public:
  explicit MapMatcher(MapTask task) : task_(std::move(task)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    MapRequest request;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.part = options.share.index;
    request.parts = options.share.count;
    request.stops = {options.stop_request, options.deadline};
    const runtime::Graph& graph = *std::get<runtime::Graph*>(arguments[0]);
    return !task_.columns.empty() || options.most ? list(graph, request, options) : count(graph, request, options);
  }

 private:
  RunOutcome count(const runtime::Graph& graph, const MapRequest& request, const RunOptions& options) const {
    MapOutcome all;
    for (const MapTask::Part& part : task_.parts) {
      const runtime::Result<MapOutcome> outcome = count_maps(graph, part.query, part.plan, request);
      if (!outcome) return RunError{outcome.error(), {}};
      add(*outcome, all);
      if (all.end != runtime::motif::End::Complete) break;
    }
    RunResult result = result_of(all, "count", options);
    if (result.ending != Ending::Complete) return result;
    if (all.overflow) {
      return RunError{
          {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
    }
    add_found(all.maps, false, {}, options, result);
    return result;
  }

  /// Lists maps, or counts up to the wanted number.
  RunOutcome list(const runtime::Graph& graph, const MapRequest& run, const RunOptions& options) const {
    const bool has_rows = !task_.columns.empty();
    const int size = task_.parts.front().query.size;
    std::vector<runtime::ElementKind> kinds;
    for (const int column : task_.columns)
      kinds.push_back(column < size ? runtime::ElementKind::Vid : runtime::ElementKind::Int);
    RowTaker rows(std::move(kinds), options);
    std::vector<const void*> block(task_.columns.size());
    ListRequest request;
    request.run = run;
    MapOutcome all;
    bool is_cut = false;
    for (const MapTask::Part& part : task_.parts) {
      if (has_rows) {
        request.take = [&](const runtime::messages::MapBlock& maps) {
          std::ranges::transform(task_.columns, block.begin(), [&](int column) -> const void* {
            if (column < size) return maps.vertices[column];
            return maps.labels[part.shown[static_cast<std::size_t>(column - size)]];
          });
          return rows(block.data(), maps.count);
        };
      }
      if (options.most) request.most = *options.most - static_cast<std::uint64_t>(all.maps);
      const runtime::Result<ListOutcome> outcome = list_maps(graph, part.query, part.plan, request);
      if (!outcome) return RunError{outcome.error(), {}};
      add(outcome->found, all);
      is_cut = outcome->is_cut;
      if (is_cut || all.end != runtime::motif::End::Complete) break;
    }
    RunResult result = result_of(all, "list", options);
    if (is_cut) result.ending = Ending::RowsRefused;
    add_found(all.maps, has_rows, rows.take_list(), options, result);
    return result;
  }

  const MapTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_map_matcher(MapTask task) { return std::make_unique<MapMatcher>(std::move(task)); }

}  // namespace matcha::codegen
