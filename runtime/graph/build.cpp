#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <numeric>

#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/graph.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

constexpr std::uint64_t kItemsPerTask = std::uint64_t{1} << 14;

Error runtime_error(std::string message, std::string hint) {
  return Error{ErrorKind::Runtime, std::move(message), "", 0, std::move(hint)};
}

/// A rank of the column that is not below `size`, if any.
std::uint64_t find_stranger(const std::uint32_t* ranks, std::uint64_t count, std::uint64_t size) {
  std::atomic<std::uint64_t> found{kEmptySlot};
  for_blocks(Block(0, count, kItemsPerTask), [&](const Block& block) {
    std::uint32_t most = 0;
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) most = std::max(most, ranks[at]);
    if (most >= size) found.store(most, std::memory_order_relaxed);
  });
  return found.load();
}

Status check(const BuildInput& input) {
  const std::uint64_t size = input.universe->size();
  const std::pair<const std::uint32_t*, std::uint64_t> columns[3] = {
      {input.sources, input.count}, {input.targets, input.count}, {input.label_vertices, input.label_count}};
  for (const auto& [ranks, count] : columns) {
    if (find_stranger(ranks, count, size) != kEmptySlot) {
      return runtime_error("`mk_graph` got a vertex that no input has", "ids of its edges must occur in the inputs");
    }
  }
  if (input.edge_info != nullptr && input.count > kMaxVertices) {
    return Error{ErrorKind::Resource, "`mk_graph` got more than 4294967294 edges with edge info", "", 0, ""};
  }
  return Done{};
}

bool is_sparse(const BuildInput& input) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 16;
  constexpr std::uint64_t kPerEdge = 8;
  switch (input.index) {
    case IndexKind::Csr: return false;
    case IndexKind::Hash: return true;
    case IndexKind::Auto: return input.universe->size() > kSmall + kPerEdge * input.count;
  }
  return false;
}

/// The distinct sources in ascending order.
Buffer<std::uint32_t> distinct_sources(const BuildInput& input) {
  Buffer<std::uint32_t> sources(input.count);
  std::copy_n(input.sources, input.count, sources.data());
  if (!std::is_sorted(sources.begin(), sources.end())) tbb::parallel_sort(sources.begin(), sources.end());
  sources.truncate(static_cast<std::uint64_t>(std::unique(sources.begin(), sources.end()) - sources.begin()));
  return sources;
}

/// An index of `vertices`: until the arcs are counted, `begin` is the position in `vertices`.
Buffer<HashSlot> make_slots(const Buffer<std::uint32_t>& vertices) {
  const std::uint64_t size = std::bit_ceil(std::max<std::uint64_t>(2 * vertices.size(), 8));
  Buffer<HashSlot> slots(size);
  std::fill(slots.begin(), slots.end(), HashSlot{kEmptySlot, 0, 0});
  for (std::uint64_t position = 0; position < vertices.size(); ++position) {
    std::uint64_t place = hash_place(vertices[position], size - 1);
    while (slots[place].vertex != kEmptySlot) place = (place + 1) & (size - 1);
    slots[place] = HashSlot{vertices[position], position, 0};
  }
  return slots;
}

std::uint64_t position_of(const Buffer<HashSlot>& slots, std::uint32_t vertex) {
  std::uint64_t place = hash_place(vertex, slots.size() - 1);
  while (slots[place].vertex != vertex) place = (place + 1) & (slots.size() - 1);
  return slots[place].begin;
}

/// The rows of edges: by target, or by edge info.
detail::Csr rows_of(std::uint64_t n, detail::EdgeColumns edges, const BuildInput& input) {
  const std::uint64_t* const info = static_cast<const std::uint64_t*>(input.edge_info);
  if (!input.by_info || info == nullptr) return detail::multi_csr(n, edges, info);
  const std::int64_t* const times = static_cast<const std::int64_t*>(input.edge_info);
  Buffer<std::uint32_t> places(edges.count);
  std::iota(places.begin(), places.end(), 0U);
  // Edges by time, where they are not in that order already.
  Buffer<std::uint32_t> order;
  Buffer<std::uint32_t> sources;
  const bool sorted = std::is_sorted(times, times + edges.count);
  if (!sorted) {
    order = Buffer<std::uint32_t>(edges.count);
    sources = Buffer<std::uint32_t>(edges.count);
    std::copy(places.begin(), places.end(), order.begin());
    tbb::parallel_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return times[a] != times[b] ? times[a] < times[b] : a < b;
    });
    for_blocks(Block(0, edges.count, kItemsPerTask), [&](const Block& block) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) sources[at] = edges.sources[order[at]];
    });
  }
  // Sorted by source, with their places as targets, the places of a row ascend.
  const detail::EdgeColumns placed{sorted ? edges.sources : sources.data(), places.data(), edges.count, edges.count};
  detail::Csr csr = detail::multi_csr(n, placed, nullptr);
  csr.edge_info = Buffer<std::uint64_t>(edges.count);
  for_blocks(Block(0, edges.count, kItemsPerTask), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint32_t edge = sorted ? csr.neighbors[at] : order[csr.neighbors[at]];
      csr.neighbors[at] = edges.targets[edge];
      csr.edge_info[at] = info[edge];
    }
  });
  return csr;
}

/// Maps sources to 0…k-1, sorts them as a CSR, and makes them reachable through slots.
void build_hash(const BuildInput& input, GraphArrays& arrays) {
  const Buffer<std::uint32_t> vertices = distinct_sources(input);
  arrays.slots = make_slots(vertices);
  Buffer<std::uint32_t> positions(input.count);
  for_blocks(Block(0, input.count, kItemsPerTask), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      positions[at] = static_cast<std::uint32_t>(position_of(arrays.slots, input.sources[at]));
    }
  });
  detail::Csr csr =
      rows_of(vertices.size(), {positions.data(), input.targets, input.count, input.universe->size()}, input);
  for (HashSlot& slot : arrays.slots) {
    if (slot.vertex == kEmptySlot) continue;
    const std::uint64_t position = slot.begin;
    slot.begin = csr.offsets[position];
    slot.end = csr.offsets[position + 1];
  }
  arrays.neighbors = std::move(csr.neighbors);
  arrays.edge_info = std::move(csr.edge_info);
}

Status fill_labels(const BuildInput& input, Buffer<std::int64_t>& labels) {
  if (input.label_vertices == nullptr) return Done{};
  labels = Buffer<std::int64_t>(input.universe->size());
  for_blocks(Block(0, labels.size(), kItemsPerTask), [&](const Block& block) {
    std::fill(labels.data() + block.begin(), labels.data() + block.end(), kNoLabel);
  });
  for (std::uint64_t at = 0; at < input.label_count; ++at) {
    std::int64_t& label = labels[input.label_vertices[at]];
    if (label != kNoLabel && label != input.labels[at]) {
      return runtime_error("`mk_graph` got two labels for vertex " + input.universe->id_text(input.label_vertices[at]) +
                               ": " + std::to_string(label) + " and " + std::to_string(input.labels[at]),
                           "");
    }
    label = input.labels[at];
  }
  return Done{};
}

}  // namespace

Result<Graph> build_graph(const BuildInput& input, const IoOptions& options) {
  try {
    MATCHA_TRY(check(input));
    if (options.cancelled()) return detail::interrupted_error();
    GraphArrays arrays;
    if (is_sparse(input)) {
      build_hash(input, arrays);
    } else {
      detail::Csr csr = rows_of(input.universe->size(), {input.sources, input.targets, input.count}, input);
      arrays.offsets = std::move(csr.offsets);
      arrays.neighbors = std::move(csr.neighbors);
      arrays.edge_info = std::move(csr.edge_info);
    }
    MATCHA_TRY(fill_labels(input, arrays.labels));
    detail::VertexSet vertices(input.universe->size());
    vertices.add(input.sources, input.count);
    vertices.add(input.targets, input.count);
    vertices.add(input.label_vertices, input.label_count);
    arrays.vertices = vertices.take();
    GraphFacts facts;
    facts.directed = true;
    facts.simple = false;
    facts.info = input.edge_info != nullptr ? input.info_kind : InfoKind::None;
    return Graph::from_arrays(input.universe, std::move(arrays), facts);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
