#include "codegen/host/values.h"

#include <numeric>

namespace matcha::codegen::host {

const std::uint32_t* Graph::vertex_array() {
  if (view.vertices == nullptr) {
    vertices = std::make_shared<std::vector<std::uint32_t>>(view.vertex_count);
    std::iota(vertices->begin(), vertices->end(), 0U);
    view.vertices = vertices->data();
  }
  return view.vertices;
}

runtime::DeviceCopies* Graph::kept() const {
  return graph != nullptr && view.offsets != nullptr ? graph->device_copies().get() : nullptr;
}

}  // namespace matcha::codegen::host
