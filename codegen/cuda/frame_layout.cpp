#include "codegen/cuda/frame_layout.h"

#include <algorithm>

#include "codegen/host/host_plan.h"
#include "ir/check.h"
#include "runtime/abi.h"

namespace matcha::codegen::gpu {

namespace {

using ir::ScalarKind;

struct Shape {
  std::uint64_t bytes;
  std::uint64_t alignment;
};

Shape shape(const ir::Type& type) {
  constexpr std::uint64_t kColumnBytes = 16;
  if (type.is_graph()) return {sizeof(runtime::GraphView), 8};
  if (type.is_list()) return {kColumnBytes * type.columns.size(), 8};
  switch (type.scalar) {
    case ScalarKind::Bool: return {1, 1};
    case ScalarKind::Vid: return {4, 4};
    case ScalarKind::I64:
    case ScalarKind::F64: return {8, 8};
    case ScalarKind::I128: return {16, 16};
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

}  // namespace

FrameLayout::FrameLayout(const ir::Module& module) {
  std::uint64_t end = 0;
  std::uint64_t alignment = 1;
  for (const host::Value& value : host::top_level_values(module)) {
    const bool may_be_empty = value.may_be_empty();
    Shape wanted = shape(*value.var->type);
    if (may_be_empty) wanted.bytes += wanted.alignment;
    const std::uint64_t offset = (end + wanted.alignment - 1) / wanted.alignment * wanted.alignment;
    fields.push_back({value.var, offset, wanted.bytes, wanted.alignment, may_be_empty});
    end = offset + wanted.bytes;
    alignment = std::max(alignment, wanted.alignment);
  }
  if (!fields.empty()) bytes = (end + alignment - 1) / alignment * alignment;
}

}  // namespace matcha::codegen::gpu
