#include "codegen/match/map_counter.h"

#include <utility>

#include "codegen/host/trap.h"
#include "runtime/machine.h"
#include "runtime/messages/counter.h"

namespace matcha::codegen {

namespace {

using runtime::messages::MapOutcome;
using runtime::messages::MapRequest;

class MapCounter final : public Executable {
 public:
  explicit MapCounter(MapTask task) : task_(std::move(task)) {}

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe&, const RunOptions& options) override {
    MapRequest request;
    request.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
    request.part = options.share.index;
    request.parts = options.share.count;
    request.stops = {options.stop_request, options.deadline};
    const runtime::Graph& graph = *std::get<runtime::Graph*>(arguments[0]);
    const runtime::Result<MapOutcome> outcome = count_maps(graph, task_.query, task_.plan, request);
    if (!outcome) return RunError{outcome.error(), {}};
    RunResult result;
    result.tier = runtime::tier_name(options.tier.value_or(runtime::best_tier()));
    result.times.emplace_back("index", outcome->index_ms);
    result.times.emplace_back("count", outcome->count_ms);
    if (outcome->end == runtime::motif::End::Stopped) result.ending = Ending::Stopped;
    if (outcome->end == runtime::motif::End::Deadline) result.ending = Ending::Deadline;
    if (result.ending != Ending::Complete) return result;
    if (outcome->overflow) {
      return RunError{
          {runtime::ErrorKind::Runtime, runtime::trap_message(runtime::TrapCode::IntegerOverflow), {}, 0, {}}, {}};
    }
    if (options.share.is_whole()) {
      result.values.emplace_back(outcome->maps);
    } else {
      PartialValue& partial = result.partials.emplace_back();
      partial.kind = runtime::SinkKind::SumInt;
      partial.integer = outcome->maps;
    }
    return result;
  }

 private:
  const MapTask task_;
};

}  // namespace

std::unique_ptr<Executable> make_map_counter(MapTask task) { return std::make_unique<MapCounter>(std::move(task)); }

}  // namespace matcha::codegen
