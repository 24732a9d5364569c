#include "codegen/cuda/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace matcha::codegen::gpu {

void RunReport::add(const RegionRequest& request, RegionOutcome& outcome) {
  result_.times.emplace_back("launch", outcome.launch_ms);
  if (request.kernel_times) result_.times.emplace_back("kernel", outcome.kernel_ms);
  result_.times.emplace_back("collect", outcome.collect_ms);
  for (std::size_t i = 0; request.kernel_times && outcome.each_ms.size() > 1 && i < outcome.each_ms.size(); ++i) {
    result_.times.emplace_back(fmt::format("kernel_{}", i), outcome.each_ms[i]);
  }
  for (std::string& text : outcome.notes) note(std::move(text));
  add_lists(request, outcome);
  result_.ending = outcome.ending;
  result_.positions += outcome.positions;
  result_.positions_total += request.range().end - request.range().begin;
  result_.work_done += request.work_of_first(outcome.positions);
  result_.work_total += request.work_of_first(request.positions);
  result_.deferred += outcome.splits;
  if (request.schedule().steal == ir::Stealing::Kernel) add_kernels(outcome.kernels);
  result_.rows += outcome.streamed;
  if (request.stream_rows) streamed_ = true;
}

/// Reports the region whose lists took most memory.
void RunReport::add_lists(const RegionRequest& request, const RegionOutcome& outcome) {
  if (!result_.stack.empty() && outcome.list_bytes <= result_.list_bytes) return;
  result_.stack = request.schedule().stack == ir::Stack::Paged ? "paged" : "array";
  result_.workers = outcome.groups;
  result_.list_bytes = outcome.list_bytes;
}

void RunReport::add_kernels(const StartedKernels& more) {
  if (!result_.kernels) result_.kernels.emplace();
  StartedKernels& all = *result_.kernels;
  all.started += more.started;
  all.refused += more.refused;
  all.at_once = std::max(all.at_once, more.at_once);
  all.list_bytes = std::max(all.list_bytes, more.list_bytes);
}

void RunReport::answer(const ir::Return& s, HostValues& values, bool sampled) {
  if (sampled) {
    if (!ended()) end(Ending::Sampled);
    return;
  }
  if (options_.on_rows && s.values.size() == 1 && s.values[0]->type->is_list()) {
    if (!streamed_ && !host::hand_over(values.list(*s.values[0]), options_.on_rows, result_.rows))
      end(Ending::RowsRefused);
    result_.values.emplace_back(static_cast<__int128>(result_.rows));
    return;
  }
  for (const ir::Expr* e : s.values) {
    if (!e->type->is_list()) {
      result_.values.push_back(host::result_value(values.scalar(*e)));
      continue;
    }
    std::optional<ListValue> list = host::list_value(values.list(*e));
    if (!list) host::trap(runtime::TrapCode::OutOfMemory, {});
    result_.values.emplace_back(std::move(*list));
  }
}

}  // namespace matcha::codegen::gpu
