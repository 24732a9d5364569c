#include "codegen/cuda/run_devices.h"

#include <optional>
#include <string>
#include <utility>

#include "ir/match.h"

namespace matcha::codegen::gpu {

namespace {

runtime::cuda::UploadOptions wanted_of(const host::GraphNeeds& needs) {
  runtime::cuda::UploadOptions wanted;
  wanted.arcs = needs.arcs;
  wanted.offsets = needs.arcs || needs.degrees;
  wanted.vertices = needs.vertices;
  wanted.sources = needs.sources;
  wanted.halves = needs.halves;
  wanted.labels = needs.labels;
  wanted.edge_info = needs.edge_info != nullptr;
  wanted.original_ids = false;
  return wanted;
}

void check_info(bool there, const host::GraphNeeds& needs) {
  if (there || needs.edge_info == nullptr) return;
  fail(runtime::ErrorKind::Runtime, "the graph has no edge information", {}, needs.edge_info->loc);
}

}  // namespace

void RunDevices::open(Session& session) {
  session_ = &session;
  for (RegionLauncher* launcher : session.launchers()) devices_.emplace_back(launcher->stream());
}

host::GraphNeeds RunDevices::needs_of(const ir::Var* graph) const {
  const auto found = plan_.host.worker_graphs.find(graph);
  return found != plan_.host.worker_graphs.end() ? found->second : host::GraphNeeds{};
}

bool RunDevices::is_read_by_regions(const ir::Var* var) const {
  return var->type->is_graph() && plan_.on_device.contains(var);
}

void RunDevices::make_sides(const ir::Var* var) {
  if (!is_read_by_regions(var)) return;
  host::Graph& graph = values_.graph(var);
  const host::GraphNeeds needs = needs_of(var);
  check_info(graph.view.edge_info != nullptr || graph.view.arc_count == 0, needs);
  if (needs.sources) {
    need(runtime::ensure_sources(*graph.graph));
    graph.view.sources = graph.graph->view().sources;
  }
  if (needs.halves) {
    need(runtime::ensure_halves(*graph.graph));
    graph.view.halves = graph.graph->view().halves;
  }
}

void RunDevices::upload_early(const ir::Var* var) {
  if (!is_read_by_regions(var)) return;
  make_sides(var);
  host::Graph& graph = values_.graph(var);
  const host::GraphNeeds needs = needs_of(var);
  // Data that the program itself builds is additional to the limit of its inputs.
  const auto rows = plan_.rows_of_inputs.find(var);
  const bool bounded = settings_.graph_bytes != 0 && rows != plan_.rows_of_inputs.end() && graph.kept() != nullptr;
  const Clock::time_point start = Clock::now();
  for (DeviceValues& device : devices_) {
    if (bounded) {
      device.spread(var, graph, wanted_of(needs), rows->second, settings_.graph_bytes, options_.resident_rows);
    } else {
      device.upload(var, graph, wanted_of(needs));
    }
  }
  report_.time("upload", start);
}

/// The rows of a graph to be built, if its edges stayed on the devices.
GraphRows RunDevices::rows_of(const ir::BuildGraph& s) {
  const auto stayed = [&](const ir::Expr* list) { return std::move(rows_.at(ir::as<ir::Var>(list))); };
  GraphRows rows;
  rows.edges = stayed(s.edges);
  if (s.maybe_info != nullptr) rows.info = stayed(s.maybe_info);
  if (s.maybe_labels == nullptr) return rows;
  if (plan_.device_graphs.rows.contains(ir::as<ir::Var>(s.maybe_labels))) {
    rows.labels = stayed(s.maybe_labels);
  } else {
    rows.known_labels = values_.list(*s.maybe_labels);
  }
  return rows;
}

/// Copies rows to the host.
void RunDevices::fetch(const GraphRows& rows) {
  values_.set(rows.edges.sink->var, rows.edges.fetch());
  if (rows.info) values_.set(rows.info->sink->var, rows.info->fetch());
  if (rows.labels) values_.set(rows.labels->sink->var, rows.labels->fetch());
}

bool RunDevices::build(const ir::BuildGraph& s) {
  if (!plan_.device_graphs.builds.contains(&s)) return false;
  const Clock::time_point start = Clock::now();
  GraphRows rows = rows_of(s);
  if (rows.info && rows.info->count() != rows.edges.count()) host::trap(runtime::TrapCode::LengthMismatch, s.loc);
  const host::GraphNeeds needs = needs_of(s.var);
  check_info(rows.info || rows.edges.count() == 0, needs);
  std::vector<const runtime::cuda::Stream*> streams;
  for (const RegionLauncher* launcher : session_->launchers()) streams.push_back(&launcher->stream());
  std::string note;
  std::optional<std::vector<DeviceGraph>> graphs = session_->graph_builder(report_.result(), options_)
                                                       .build(streams, universe_.size(), rows, wanted_of(needs), note);
  if (!graphs) {
    if (!note.empty()) report_.note(std::move(note));
    fetch(rows);
    return false;
  }
  values_.set_counts(s.var, graphs->front().view);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    DeviceGraph& graph = (*graphs)[i];
    if (needs.labels && s.maybe_labels == nullptr && options_.labels != nullptr) {
      graph.view.labels = static_cast<const std::int64_t*>(devices_[i].keep(options_.labels, universe_.size() * 8));
    }
    devices_[i].adopt(s.var, std::move(graph));
  }
  report_.time("build", start);
  return true;
}

void RunDevices::make_hub_rows(std::size_t region, std::uint64_t least) {
  if (session_->hub_graphs(region).empty()) return;
  const Clock::time_point waiting = Clock::now();
  for (const ir::Var* graph : session_->hub_graphs(region)) devices_[0].graph(graph);
  report_.time("upload", waiting);
  const Clock::time_point start = Clock::now();
  for (const ir::Var* graph : session_->hub_graphs(region)) {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      devices_[i].make_hub_rows(graph, values_.graph(graph), *session_->kernels(i, region).hubs, least);
    }
  }
  report_.time("hubs", start);
}

std::vector<RegionInputs> RunDevices::inputs_of(const host::RegionStep& s, const EmittedRegion& emitted) {
  const Clock::time_point waiting = Clock::now();
  std::vector<RegionInputs> inputs(devices_.size());
  const ir::Var* dealt = emitted.dealt_graph != nullptr ? ir::as<ir::Var>(emitted.dealt_graph) : nullptr;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    inputs[i].frame = devices_[i].frame(plan_.layout, s.reads, values_);
    if (dealt != nullptr) {
      inputs[i].dealt_graph = devices_[i].graph(dealt);
      inputs[i].tiles = &devices_[i].tiles(dealt);
    }
    if (plan_.reads_ids) inputs[i].original_ids = devices_[i].ids(universe_);
  }
  report_.result().uploaded_bytes = 0;
  for (const DeviceValues& device : devices_) report_.result().uploaded_bytes += device.uploaded();
  report_.time("upload", waiting);
  return inputs;
}

void RunDevices::keep(DeviceRows rows) {
  const ir::Var* list = rows.sink->var;
  rows_[list] = std::move(rows);
}

}  // namespace matcha::codegen::gpu
