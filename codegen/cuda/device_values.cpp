#include "codegen/cuda/device_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/check.h"
#include "runtime/common/lists.h"

namespace matcha::codegen::gpu {

namespace {

template <typename T>
void put(std::vector<std::uint8_t>& frame, std::uint64_t offset, const T& value) {
  std::memcpy(frame.data() + offset, &value, sizeof value);
}

void put_scalar(std::vector<std::uint8_t>& frame, const FrameField& field, const host::Scalar& value) {
  if (field.may_be_empty) {
    if (std::holds_alternative<std::monostate>(value)) return;
    put(frame, field.offset + field.bytes - field.alignment, std::uint8_t{1});
  }
  if (const bool* truth = std::get_if<bool>(&value)) {
    put(frame, field.offset, static_cast<std::uint8_t>(*truth ? 1 : 0));
  } else if (const VertexValue* vertex = std::get_if<VertexValue>(&value)) {
    put(frame, field.offset, vertex->rank);
  } else if (const std::int64_t* narrow = std::get_if<std::int64_t>(&value)) {
    put(frame, field.offset, *narrow);
  } else if (const __int128* wide = std::get_if<__int128>(&value)) {
    put(frame, field.offset, *wide);
  } else if (const double* real = std::get_if<double>(&value)) {
    put(frame, field.offset, *real);
  } else {
    MATCHA_UNREACHABLE("a scalar");
  }
}

/// Lists of neighbours are short lists on a device; parallel edges may make them longer than there are vertices.
void check_degrees(const runtime::GraphView& view) {
  using matcha_program::kMostItems;
  if (view.max_degree <= kMostItems) return;
  fail(runtime::ErrorKind::Resource,
       fmt::format("a vertex has {} neighbours; a GPU takes at most {}", view.max_degree, kMostItems),
       "run it with --device cpu", {});
}

}  // namespace

runtime::DeviceCopies::Key DeviceValues::key(const void* arrays, CopyKind what, std::uint64_t number) const {
  return {arrays, stream_.device().properties().ordinal, static_cast<int>(what), number};
}

void DeviceValues::upload(const ir::Var* var, host::Graph& graph, const runtime::cuda::UploadOptions& wanted) {
  check_degrees(graph.view);
  if (runtime::DeviceCopies* const copies = graph.kept()) {
    KeptGraph kept = keep_graph(stream_.shared_device(), *copies, graph, wanted);
    uploaded_ += kept.copied;
    kept_.insert_or_assign(var, std::move(kept));
    copies_[var] = copies;
    universe_copies_ = copies;
    return;
  }
  if (wanted.vertices) graph.vertex_array();
  const auto [copy, fresh] =
      graphs_.emplace(var, need(runtime::cuda::GraphUpload::start(stream_.shared_device(), graph.view, wanted)));
  uploaded_ += copy->second.bytes();
}

void DeviceValues::spread(const ir::Var* var, host::Graph& graph, const runtime::cuda::UploadOptions& wanted,
                          RowsRead rows, std::uint64_t most, std::span<const runtime::PositionRange> near) {
  check_degrees(graph.view);
  runtime::DeviceCopies* const copies = graph.kept();
  MATCHA_CHECK(copies != nullptr, "the graph stays in memory");
  // Sources are stored for the arcs of whole rows.
  const bool may_be_halves = wanted.halves && !wanted.sources;
  const RowsRead read = !wanted.arcs ? RowsRead::None : may_be_halves ? rows : RowsRead::All;
  std::uint64_t number = static_cast<std::uint64_t>(read);
  // All devices read the same rows.
  runtime::DeviceCopies::Key of_rows = key(graph.view.offsets, CopyKind::PinnedRows, number);
  of_rows.device = -1;
  const std::shared_ptr<PinnedRows> pinned =
      copies->get<PinnedRows>(of_rows, [&] { return PinnedRows::make(stream_.shared_device(), *graph.graph, read); });
  for (const bool one : {wanted.vertices, wanted.sources, wanted.halves, wanted.edge_info, wanted.labels,
                         wanted.original_ids, wanted.offsets, near.empty()}) {
    number = 2 * number + (one ? 1 : 0);
  }
  const std::shared_ptr<SpreadGraph> made =
      copies->get<SpreadGraph>(key(graph.view.offsets, CopyKind::SpreadGraph, number), [&] {
        return std::make_shared<SpreadGraph>(stream_.shared_device(), graph, pinned, wanted, most, !near.empty());
      });
  made->place(stream_, near);
  uploaded_ += made->take_copied();
  spread_.insert_or_assign(var, made);
  copies_[var] = copies;
  universe_copies_ = copies;
}

void DeviceValues::adopt(const ir::Var* var, DeviceGraph graph) {
  check_degrees(graph.view);
  built_.emplace(var, std::move(graph));
}

const runtime::GraphView* DeviceValues::graph(const ir::Var* var) {
  if (const auto built = built_.find(var); built != built_.end()) return &built->second.view;
  if (const auto kept = kept_.find(var); kept != kept_.end()) return &kept->second.view;
  if (const auto spread = spread_.find(var); spread != spread_.end()) return &spread->second->view();
  const auto found = graphs_.find(var);
  if (found == graphs_.end()) return nullptr;
  need(found->second.wait());
  return &found->second.view();
}

void DeviceValues::make_hub_rows(const ir::Var* var, const host::Graph& graph, const runtime::cuda::Function& kernel,
                                 std::uint64_t least) {
  if (hubs_.contains(var)) return;
  const auto make = [&] {
    return std::make_shared<std::optional<DeviceHubRows>>(
        DeviceHubRows::make(stream_, kernel, graph.view, *this->graph(var), least));
  };
  const auto kept = copies_.find(var);
  hubs_.emplace(var, kept == copies_.end() ? make()
                                           : kept->second->get<std::optional<DeviceHubRows>>(
                                                 key(graph.view.offsets, CopyKind::HubRows, least), make));
}

DeviceTiles& DeviceValues::tiles(const ir::Var* var) {
  std::shared_ptr<DeviceTiles>& tiles = tiles_[var];
  if (tiles != nullptr) return *tiles;
  const auto kept = copies_.find(var);
  if (kept == copies_.end()) {
    tiles = std::make_shared<DeviceTiles>();
  } else {
    const auto spread = spread_.find(var);
    const void* const owner = spread != spread_.end() ? spread->second->owner() : kept_.at(var).owner;
    tiles =
        kept->second->get<DeviceTiles>(key(owner, CopyKind::Tiles), [] { return std::make_shared<DeviceTiles>(true); });
  }
  return *tiles;
}

const void* DeviceValues::upload_bytes(const void* bytes, std::uint64_t count) {
  DeviceMemory& memory =
      arrays_.emplace_back(need(DeviceMemory::allocate(stream_.shared_device(), std::max<std::uint64_t>(count, 1))));
  if (count != 0) need(memory.copy_from(stream_, bytes, count));
  uploaded_ += count;
  return reinterpret_cast<const void*>(memory.address());
}

const std::vector<const void*>& DeviceValues::columns(const ir::Var* var, const host::List& list) {
  const auto found = columns_.find(var);
  if (found != columns_.end()) return found->second;
  std::vector<const void*> columns;
  for (std::size_t c = 0; c < list.columns.size(); ++c) {
    columns.push_back(upload_bytes(list.columns[c], list.size * runtime::element_bytes(list.kinds[c])));
  }
  return columns_.emplace(var, std::move(columns)).first->second;
}

const std::int64_t* DeviceValues::ids(const runtime::Universe& universe) {
  if (universe.ids() == nullptr) return nullptr;
  if (ids_ == nullptr && universe_copies_ != nullptr) {
    const std::uint64_t bytes = universe.size() * sizeof(std::int64_t);
    kept_ids_ = universe_copies_->get<DeviceMemory>(key(universe.ids(), CopyKind::Ids), [&] {
      auto made = std::make_shared<DeviceMemory>(need(DeviceMemory::allocate(stream_.shared_device(), bytes)));
      need(made->copy_from(stream_, universe.ids(), bytes));
      need(stream_.synchronize());
      uploaded_ += bytes;
      return made;
    });
    ids_ = reinterpret_cast<const std::int64_t*>(kept_ids_->address());
  }
  if (ids_ == nullptr) ids_ = static_cast<const std::int64_t*>(upload_bytes(universe.ids(), universe.size() * 8));
  return ids_;
}

std::vector<std::uint8_t> DeviceValues::frame(const FrameLayout& layout,
                                              const std::unordered_set<const ir::Var*>& wanted,
                                              const HostValues& values) {
  std::vector<std::uint8_t> frame(layout.bytes, 0);
  for (const FrameField& field : layout.fields) {
    if (!wanted.contains(field.var)) continue;
    if (field.var->type->is_graph()) {
      runtime::GraphView view = *graph(field.var);
      const auto hubs = hubs_.find(field.var);
      if (hubs != hubs_.end() && *hubs->second) view.hubs = (*hubs->second)->address();
      put(frame, field.offset, view);
    } else if (field.var->type->is_list()) {
      const host::List& list = values.list(field.var);
      const std::vector<const void*>& places = columns(field.var, list);
      for (std::size_t c = 0; c < places.size(); ++c) {
        put(frame, field.offset + c * 16, places[c]);
        put(frame, field.offset + c * 16 + 8, list.size);
      }
    } else {
      put_scalar(frame, field, values.value(field.var));
    }
  }
  return frame;
}

}  // namespace matcha::codegen::gpu
