#include "codegen/cuda/hub_rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "codegen/cuda/sinks.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::gpu {

using ir::Kind;
using runtime::cuda::DeviceMemory;

namespace {

/// Most bytes of the rows: larger ones leave the caches of a device and are no longer faster. 2^30 bytes were still
/// faster on an H200, with R-MAT of scale 20.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
/// The rows take at most this fraction of the free memory.
constexpr std::uint64_t kShare = 16;
/// Rows are made if hubs have at least this fraction of the arcs. Below it kernels without rows were faster: on dblp
/// hubs have a fourteenth.
constexpr std::uint64_t kWorthPart = 8;
constexpr unsigned kHubThreads = 128;
constexpr unsigned kHubBlocks = 8;  ///< For each multiprocessor.

/// The lists that a node searches; empty for other nodes.
std::span<const ir::Expr* const> searched_lists(const ir::Expr& node) {
  if (ir::is_set_op(node.kind)) return node.type->bits ? std::span<const ir::Expr* const>() : node.operands;
  return node.kind == Kind::Contains ? node.operands.first(1) : std::span<const ir::Expr* const>();
}

/// The vertices with at least `least` neighbours, none for a hash index.
struct Hubs {
  std::uint64_t arcs = 0;                    ///< Number of their neighbours.
  std::array<std::uint64_t, 64> vertices{};  ///< Their number for `least`, twice `least`, and so on.
};

Hubs hubs_of(const runtime::GraphView& graph, std::uint64_t least) {
  Hubs hubs;
  if (graph.offsets == nullptr || graph.max_degree < least || least == 0) return hubs;
  for (std::uint64_t v = 0; v < graph.universe; ++v) {
    const std::uint64_t degree = graph.offsets[v + 1] - graph.offsets[v];
    if (degree < least) continue;
    hubs.arcs += degree;
    ++hubs.vertices[static_cast<std::size_t>(std::bit_width(degree / least)) - 1];
  }
  return hubs;
}

}  // namespace

std::vector<const ir::Var*> searched_graphs(const ir::Facts& facts, const ir::Region& region) {
  std::vector<const ir::Var*> found;
  const auto add = [&](const ir::Expr* graph) {
    const ir::Var* var = ir::as<ir::Var>(graph);
    if (var == nullptr || facts.definition(var) != nullptr) return;
    if (std::find(found.begin(), found.end(), var) == found.end()) found.push_back(var);
  };
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        if (node.kind == Kind::HasEdge || (node.kind == Kind::BitRows && ir::side_of(node) == ir::Side::All))
          add(node.operands[0]);
        for (const ir::Expr* list : searched_lists(node)) {
          const ir::Expr& whole = *ir::whole_list(facts, list);
          if (ir::is_all_neighbors(whole)) add(whole.operands[0]);
        }
      });
    });
  });
  return found;
}

bool worth_hub_rows(const runtime::GraphView& graph, std::uint64_t least) {
  const Hubs hubs = hubs_of(graph, least);
  return hubs.arcs != 0 && hubs.arcs >= graph.arc_count / kWorthPart;
}

std::optional<HubPlan> plan_hub_rows(const runtime::GraphView& graph, std::uint64_t least, std::uint64_t budget) {
  const Hubs hubs = hubs_of(graph, least);
  HubPlan plan;
  plan.words = (graph.universe + 63) / 64;
  for (std::size_t doubled = hubs.vertices.size(); hubs.arcs != 0 && doubled-- > 0;) {
    if (plan.hubs + hubs.vertices[doubled] > budget / (8 * plan.words)) break;
    plan.hubs += hubs.vertices[doubled];
    plan.least = least << doubled;
  }
  return plan.hubs != 0 ? std::optional(plan) : std::nullopt;
}

std::optional<DeviceHubRows> DeviceHubRows::make(const runtime::cuda::Stream& stream,
                                                 const runtime::cuda::Function& kernel, const runtime::GraphView& host,
                                                 const runtime::GraphView& device, std::uint64_t least) {
  const runtime::cuda::DeviceRef& place = stream.shared_device();
  const std::optional<HubPlan> plan =
      plan_hub_rows(host, least, std::min(kMostBytes, need(place->memory()).free / kShare));
  if (!plan) return std::nullopt;
  DeviceHubRows made;
  made.numbers_ = need(DeviceMemory::allocate(place, host.universe * sizeof(std::uint32_t)));
  made.rows_ = need(DeviceMemory::allocate(place, plan->hubs * plan->words * sizeof(std::uint64_t)));
  made.description_ = need(DeviceMemory::allocate(place, sizeof(runtime::HubRows)));
  const DeviceMemory taken = need(DeviceMemory::allocate(place, sizeof(std::uint64_t)));
  need(made.rows_.fill(stream, 0));
  need(taken.fill(stream, 0));
  const runtime::HubRows rows = {reinterpret_cast<const std::uint32_t*>(made.numbers_.address()),
                                 reinterpret_cast<const std::uint64_t*>(made.rows_.address()), plan->words,
                                 plan->least};
  need(made.description_.copy_from(stream, &rows, sizeof(rows)));
  runtime::cuda::LaunchShape shape;
  shape.blocks = static_cast<unsigned>(place->properties().multiprocessors) * kHubBlocks;
  shape.threads = kHubThreads;
  need(kernel.launch(stream, shape, device, rows, taken.address()));
  need(stream.synchronize());
  return made;
}

}  // namespace matcha::codegen::gpu
