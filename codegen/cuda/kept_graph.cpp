#include "codegen/cuda/kept_graph.h"

namespace matcha::codegen::gpu {

using runtime::GraphView;
using runtime::cuda::GraphUpload;
using runtime::cuda::UploadOptions;

namespace {

/// The view without its arrays.
GraphView counts_of(const GraphView& view) {
  GraphView counts = view;
  counts.offsets = nullptr;
  counts.neighbors = nullptr;
  counts.sources = nullptr;
  counts.halves = nullptr;
  counts.edge_info = nullptr;
  counts.labels = nullptr;
  counts.vertices = nullptr;
  counts.original_ids = nullptr;
  counts.slots = nullptr;
  counts.hubs = nullptr;
  counts.moved = nullptr;
  return counts;
}

/// Copies the arrays of a graph one by one, so that programs share the arrays that they both read.
class GraphCopier {
 public:
  GraphCopier(const runtime::cuda::DeviceRef& device, runtime::DeviceCopies& copies, host::Graph& graph)
      : device_(device), copies_(copies), graph_(graph) {
    kept_.view = counts_of(graph.view);
    kept_.owner = graph.view.offsets;
  }

  void offsets() {
    const GraphUpload& upload = copy(CopyKind::Offsets, graph_.view.offsets, [&](GraphView& part) {
      part.offsets = graph_.view.offsets;
      part.slots = graph_.view.slots;
    });
    kept_.view.offsets = upload.view().offsets;
    kept_.view.slots = upload.view().slots;
  }

  /// Another array. `owner`: an array that lives as long as the graph and identifies it. Sources and halves are made
  /// again for each program, but follow from the offsets.
  template <typename T>
  void array(CopyKind what, const T* GraphView::*field, const void* owner) {
    if (graph_.view.*field == nullptr) return;
    kept_.view.*field = copy(what, owner, [&](GraphView& part) { part.*field = graph_.view.*field; }).view().*field;
  }

  KeptGraph take() { return std::move(kept_); }

 private:
  template <typename Fill>
  const GraphUpload& copy(CopyKind what, const void* owner, Fill fill) {
    const runtime::DeviceCopies::Key key{owner, device_->properties().ordinal, static_cast<int>(what)};
    kept_.arrays.push_back(copies_.get<GraphUpload>(key, [&] {
      GraphView part = counts_of(graph_.view);
      fill(part);
      // Every array of the part is wanted.
      auto upload = std::make_shared<GraphUpload>(need(GraphUpload::start(device_, part, UploadOptions())));
      need(upload->wait());
      kept_.copied += upload->bytes();
      return upload;
    }));
    return *kept_.arrays.back();
  }

  const runtime::cuda::DeviceRef& device_;
  runtime::DeviceCopies& copies_;
  host::Graph& graph_;
  KeptGraph kept_;
};

}  // namespace

KeptGraph keep_graph(const runtime::cuda::DeviceRef& device, runtime::DeviceCopies& copies, host::Graph& graph,
                     const UploadOptions& wanted) {
  const GraphView& view = graph.view;
  GraphCopier keeper(device, copies, graph);
  if (wanted.offsets) keeper.offsets();
  if (wanted.arcs) keeper.array(CopyKind::Neighbors, &GraphView::neighbors, view.offsets);
  if (wanted.vertices) {
    graph.vertex_array();
    keeper.array(CopyKind::Vertices, &GraphView::vertices, view.offsets);
  }
  if (wanted.sources) keeper.array(CopyKind::Sources, &GraphView::sources, view.offsets);
  if (wanted.halves) keeper.array(CopyKind::Halves, &GraphView::halves, view.offsets);
  if (wanted.edge_info) keeper.array(CopyKind::EdgeInfo, &GraphView::edge_info, view.edge_info);
  if (wanted.labels) keeper.array(CopyKind::Labels, &GraphView::labels, view.labels);
  if (wanted.original_ids) keeper.array(CopyKind::OriginalIds, &GraphView::original_ids, view.original_ids);
  return keeper.take();
}

}  // namespace matcha::codegen::gpu
