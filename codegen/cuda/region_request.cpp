#include "codegen/cuda/region_request.h"

#include "codegen/shares.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen::gpu {

bool RegionRequest::has_rows() const {
  return std::any_of(region->collect->sinks.begin(), region->collect->sinks.end(),
                     [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; });
}

bool RegionRequest::counts_common() const { return std::ranges::any_of(buffers, &BufferSpec::counters); }

runtime::PositionRange RegionRequest::piece(std::uint64_t device, std::uint64_t devices) const {
  // A graph built by the program may be on a device or on the host, depending on the machine.
  const PositionRange range =
      positions_of(Share{unit * devices + device, units * devices}, positions, walks_input ? maybe_walked : nullptr);
  return {range.begin, range.end};
}

RegionRequest RequestMaker::make(const host::RegionStep& s, const EmittedRegion& emitted) {
  RegionRequest request;
  request.positions = positions(emitted);
  take_walked_graph(request, emitted);
  request.parts = parts(s, request.positions);
  for (const host::BufferPlan& buffer : s.buffers) {
    request.buffers.push_back(spec(buffer));
    if (buffer.form == host::BufferForm::BitRows) request.row_items = std::max(request.row_items, items_of(buffer));
  }
  take_kernels(request, emitted);
  request.universe = universe_;
  request.kernel_times = options_.kernel_times;
  take_rows(request, s);
  return request;
}

void RequestMaker::take_kernels(RegionRequest& request, const EmittedRegion& emitted) {
  request.region = emitted.region;
  request.bit_loops = request.schedule().shared_rows != 0 ? std::uint64_t(emitted.bit_loops) : 0;
  request.lanes_level = emitted.lanes_level;
  request.light_arcs = emitted.light_arcs;
}

/// Sets the destination of the rows of list sinks, and whether their order matters.
void RequestMaker::take_rows(RegionRequest& request, const host::RegionStep& s) const {
  const std::unordered_map<const ir::Var*, bool>& staying = plan_.device_graphs.rows;
  request.stream_rows = options_.on_rows && !settings_.samples() && s.answer >= 0;
  request.any_order = true;
  for (const ir::Sink& sink : s.region->collect->sinks) {
    if (sink.kind != ir::SinkKind::List) continue;
    const auto stays = staying.find(sink.var);
    if (stays != staying.end()) request.staying.insert(sink.var);
    if (stays == staying.end() || stays->second) request.any_order = false;
  }
}

std::uint64_t RequestMaker::positions(const EmittedRegion& entry) {
  if (entry.outer == nullptr) return 1;
  if (entry.arcs_graph != nullptr) return values_.graph(ir::as<ir::Var>(entry.arcs_graph)).view.arc_count;
  std::uint64_t size = values_.size(*entry.outer->lists[0]);
  for (const ir::Expr* list : entry.outer->lists.subspan(1)) {
    if (values_.size(*list) != size) host::trap(runtime::TrapCode::LengthMismatch, entry.outer->loc);
  }
  return size;
}

/// Sets the graph whose vertices are the positions, if there is one and the host has it.
void RequestMaker::take_walked_graph(RegionRequest& request, const EmittedRegion& entry) {
  if (entry.outer == nullptr || entry.arcs_graph != nullptr) return;
  const ir::Expr& walked = *entry.outer->lists[0];
  const ir::Var* graph = walked.kind == ir::Kind::Vertices ? ir::as<ir::Var>(walked.operands[0]) : nullptr;
  if (graph == nullptr) return;
  const runtime::GraphView& view = values_.graph(graph).view;
  if (view.offsets == nullptr) return;
  request.maybe_walked = &view;
  request.walks_input = std::ranges::none_of(plan_.host.steps, [&](const host::Step& step) {
    const ir::BuildGraph* const* const build = std::get_if<const ir::BuildGraph*>(&step);
    return build != nullptr && (*build)->var == graph;
  });
}

std::uint64_t RequestMaker::items_of(const host::BufferPlan& plan) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(values_.integer(*plan.buffer->capacity), 0));
}

/// For a sample: the number of parts of the region, of which one is walked.
std::uint64_t RequestMaker::parts(const host::RegionStep& s, std::uint64_t positions) const {
  const Sample& sample = settings_.sample;
  if (!settings_.samples() || !s.adds_up()) return 1;
  return std::clamp<std::uint64_t>(positions / std::max<std::uint64_t>(sample.least, 1), 1, sample.parts);
}

BufferSpec RequestMaker::spec(const host::BufferPlan& plan) {
  std::string name(plan.buffer->var->hint);
  switch (plan.form) {
    case host::BufferForm::Counters: return {std::move(name), universe_, plan.item_bytes, true, true};
    case host::BufferForm::Bits:
      return {std::move(name), matcha_program::words_for(items_of(plan)), plan.item_bytes, true};
    case host::BufferForm::BitRows:
      return {std::move(name), matcha_program::row_words(items_of(plan)), plan.item_bytes, true};
    case host::BufferForm::Items: break;
  }
  return {std::move(name), items_of(plan), plan.item_bytes};
}

}  // namespace matcha::codegen::gpu
