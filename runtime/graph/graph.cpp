#include "runtime/graph/graph.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include "runtime/graph/detail/row_checks.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/page_limit.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

const std::shared_ptr<const LabelDictionary>& no_words() {
  static const std::shared_ptr<const LabelDictionary> dictionary = std::make_shared<const LabelDictionary>();
  return dictionary;
}

/// Vertices with an entry in the index: all ranks of a CSR, the slots of a hash index.
std::uint64_t place_count(const GraphView& view) {
  return view.slots != nullptr ? view.slot_mask + 1 : (view.offsets != nullptr ? view.universe : 0);
}

ArcRange arcs_at(const GraphView& view, std::uint64_t place) {
  if (view.slots == nullptr) return ArcRange{view.offsets[place], view.offsets[place + 1]};
  const HashSlot& slot = view.slots[place];
  return slot.vertex == kEmptySlot ? ArcRange{} : ArcRange{slot.begin, slot.end};
}

std::uint64_t max_degree_of(const GraphView& view) {
  return tbb::parallel_reduce(
      Block(0, place_count(view), 1 << 14), std::uint64_t{0},
      [&](const Block& block, std::uint64_t most) {
        for (std::uint64_t place = block.begin(); place != block.end(); ++place) {
          const ArcRange arcs = arcs_at(view, place);
          most = std::max(most, arcs.end - arcs.begin);
        }
        return most;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

}  // namespace

Graph::Graph()
    : universe_(std::make_shared<const Universe>()),
      dictionary_(no_words()),
      label_slices_(std::make_shared<LabelSlices>()) {
  static constexpr std::uint64_t kNoOffsets[1] = {0};
  view_.offsets = kNoOffsets;
}

/// True if every rank has a label.
static bool is_labelled(const GraphView& view) {
  if (view.labels == nullptr) return false;
  return std::find(view.labels, view.labels + view.universe, kNoLabel) == view.labels + view.universe;
}

Graph Graph::from_arrays(std::shared_ptr<const Universe> universe, GraphArrays arrays, GraphFacts facts) {
  Graph graph;
  graph.arrays_ = std::move(arrays);
  const GraphArrays& kept = graph.arrays_;
  GraphView& view = graph.view_;
  view.universe = universe->size();
  view.arc_count = kept.neighbors.size();
  view.offsets = kept.offsets.data();
  view.neighbors = kept.neighbors.data();
  view.sources = kept.sources.data();
  view.halves = kept.halves.data();
  view.edge_info = kept.edge_info.data();
  view.labels = kept.labels.data();
  view.vertices = kept.vertices.data();
  view.vertex_count = view.vertices != nullptr ? kept.vertices.size() : view.universe;
  view.original_ids = universe->ids();
  view.slots = kept.slots.data();
  view.slot_mask = kept.slots.empty() ? 0 : kept.slots.size() - 1;
  view.max_degree = max_degree_of(view);
  graph.universe_ = std::move(universe);
  graph.facts_ = facts;
  graph.facts_.labelled = is_labelled(graph.view_);
  return graph;
}

Graph Graph::from_view(std::shared_ptr<const Universe> universe, const GraphView& view, GraphFacts facts,
                       std::shared_ptr<const void> owner) {
  GraphView known = view;
  known.universe = universe->size();
  GraphTotals totals;
  totals.max_degree = max_degree_of(known);
  totals.labelled = is_labelled(known);
  Graph graph = from_view(std::move(universe), known, facts, std::move(owner), totals);
  graph.totals_.reset();
  return graph;
}

Graph Graph::from_view(std::shared_ptr<const Universe> universe, const GraphView& view, GraphFacts facts,
                       std::shared_ptr<const void> owner, const GraphTotals& totals) {
  Graph graph;
  graph.view_ = view;
  graph.view_.universe = universe->size();
  graph.view_.original_ids = universe->ids();
  graph.view_.max_degree = totals.max_degree;
  graph.universe_ = std::move(universe);
  graph.facts_ = facts;
  graph.facts_.labelled = totals.labelled;
  graph.owner_ = std::move(owner);
  graph.totals_ = totals;
  return graph;
}

Graph Graph::alias(const Graph& other, std::shared_ptr<const void> owner) {
  Graph graph;
  graph.universe_ = other.universe_;
  graph.dictionary_ = other.dictionary_;
  graph.owner_ = std::move(owner);
  graph.device_copies_ = other.device_copies_;
  graph.label_slices_ = other.label_slices_;
  graph.halves_ = other.halves_;
  graph.stored_halves_ = other.stored_halves_;
  graph.lower_sizes_ = other.lower_sizes_;
  graph.upper_sizes_ = other.upper_sizes_;
  graph.view_ = other.view_;
  graph.facts_ = other.facts_;
  graph.content_key_ = other.content_key_;
  return graph;
}

Result<Graph> Graph::from_rows(std::shared_ptr<const Universe> universe, const std::uint32_t* vertices,
                               std::uint64_t row_count, std::uint64_t* counts, const std::uint32_t* neighbors,
                               bool every_rank, std::shared_ptr<const void> owner) {
  try {
    Graph graph;
    GraphView& view = graph.view_;
    view.universe = view.vertex_count = universe->size();
    view.original_ids = universe->ids();
    const bool in_place = vertices == nullptr && row_count == view.universe;
    if (!in_place) graph.arrays_.offsets = Buffer<std::uint64_t>(view.universe + 1);
    std::uint64_t* const offsets = in_place ? counts : graph.arrays_.offsets.data();
    std::uint64_t next = 0;  // The first rank without an offset so far.
    std::uint64_t total = 0;
    for (std::uint64_t row = 0; row < row_count; ++row) {
      const std::uint64_t count = counts[row];
      const std::uint64_t rank = vertices != nullptr ? vertices[row] : row;
      while (next <= rank) offsets[next++] = total;
      total += count;
      view.max_degree = std::max(view.max_degree, count);
    }
    while (next <= view.universe) offsets[next++] = total;
    view.arc_count = total;
    view.offsets = offsets;
    view.neighbors = neighbors;
    if (!every_rank) {
      detail::VertexSet ends(view.universe);
      ends.add(neighbors, total);
      for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
        if (offsets[rank] != offsets[rank + 1]) ends.add_range(rank, rank + 1);
      }
      graph.arrays_.vertices = ends.take();
      view.vertices = graph.arrays_.vertices.data();
      if (view.vertices != nullptr) view.vertex_count = graph.arrays_.vertices.size();
    }
    graph.universe_ = std::move(universe);
    graph.facts_ = GraphFacts{true, false, InfoKind::None};
    graph.owner_ = std::move(owner);
    return graph;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

std::uint64_t Graph::bytes() const {
  std::uint64_t total = view_.arc_count * sizeof(std::uint32_t);
  if (view_.offsets != nullptr) total += (view_.universe + 1) * sizeof(std::uint64_t);
  if (view_.sources != nullptr) total += view_.arc_count * sizeof(std::uint32_t);
  if (view_.edge_info != nullptr) total += view_.arc_count * sizeof(std::uint64_t);
  if (view_.labels != nullptr) total += view_.universe * sizeof(std::int64_t);
  if (view_.vertices != nullptr) total += view_.vertex_count * sizeof(std::uint32_t);
  if (view_.original_ids != nullptr) total += view_.universe * sizeof(std::int64_t);
  if (view_.halves != nullptr) total += (2 * view_.universe + 1) * sizeof(std::uint64_t);
  total += half_offsets_.size() * sizeof(std::uint32_t) + half_bases_.size() * sizeof(std::uint64_t);
  if (view_.slots != nullptr) total += (view_.slot_mask + 1) * sizeof(HashSlot);
  return total;
}

Status ensure_sources(Graph& graph) {
  if (graph.view_.sources != nullptr || graph.view_.arc_count == 0) return Done{};
  try {
    Buffer<std::uint32_t> sources(graph.view_.arc_count);
    const GraphView& view = graph.view_;
    for_blocks(Block(0, place_count(view), 1024), [&](const Block& block) {
      for (std::uint64_t place = block.begin(); place != block.end(); ++place) {
        const ArcRange arcs = arcs_at(view, place);
        const std::uint64_t vertex = view.slots != nullptr ? view.slots[place].vertex : place;
        std::fill(sources.data() + arcs.begin, sources.data() + arcs.end, static_cast<std::uint32_t>(vertex));
      }
    });
    graph.arrays_.sources = std::move(sources);
    graph.view_.sources = graph.arrays_.sources.data();
    return Done{};
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Status ensure_halves(Graph& graph) {
  if (graph.view_.halves != nullptr || graph.view_.slots != nullptr) return Done{};
  MATCHA_TRY(ensure_split_offsets(graph));
  try {
    Buffer<std::uint64_t> halves(2 * graph.view_.universe + 1);
    for_blocks(Block(0, halves.size(), 1 << 15), [&](const Block& block) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) halves[at] = half_offset(graph.halves_, at);
    });
    graph.arrays_.halves = std::move(halves);
    graph.view_.halves = graph.arrays_.halves.data();
    return Done{};
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

namespace {

using BothSizes = std::pair<HalfSizes, HalfSizes>;

BothSizes together(BothSizes a, const BothSizes& b) {
  a.first = {std::max(a.first.longest, b.first.longest), a.first.squares + b.first.squares};
  a.second = {std::max(a.second.longest, b.second.longest), a.second.squares + b.second.squares};
  return a;
}

HalfSizes size_of_one(std::uint64_t size) { return {size, static_cast<double>(size) * static_cast<double>(size)}; }

/// The largest blocks of 2^shift ranks that all have fewer than `block_arcs` arcs; empty if one vertex has more.
std::optional<std::uint64_t> largest_blocks(const GraphView& view, std::uint64_t block_arcs) {
  const auto fits = [&](std::uint64_t shift) {
    for (std::uint64_t first = 0; first < view.universe; first += std::uint64_t{1} << shift) {
      const std::uint64_t last = std::min(first + (std::uint64_t{1} << shift), view.universe);
      if (view.offsets[last] - view.offsets[first] >= block_arcs) return false;
    }
    return true;
  };
  for (std::uint64_t shift = 33; shift-- > 0;) {
    if (fits(shift)) return shift;
  }
  return std::nullopt;
}

}  // namespace

Status ensure_split_offsets(Graph& graph, std::uint64_t block_arcs) {
  const GraphView& view = graph.view_;
  if (graph.halves_.offsets != nullptr || view.slots != nullptr) return Done{};
  const std::optional<std::uint64_t> shift = largest_blocks(view, block_arcs);
  if (!shift) return Error{ErrorKind::Resource, "a vertex has 2^32 arcs or more", "", 0, ""};
  try {
    Buffer<std::uint64_t> bases((view.universe >> *shift) + 1);
    for (std::uint64_t block = 0; block < bases.size(); ++block) bases[block] = view.offsets[block << *shift];
    if (const StoredHalves& stored = graph.stored_halves_; stored.offsets != nullptr) {
      graph.half_bases_ = std::move(bases);
      graph.halves_ = {stored.offsets, graph.half_bases_.data(), *shift};
      graph.lower_sizes_ = stored.lower;
      graph.upper_sizes_ = stored.upper;
      return Done{};
    }
    Buffer<std::uint32_t> halves(2 * view.universe + 1);
    const auto fill = [&](const Block& block, BothSizes sizes) {
      for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
        PageLimit::check();
        const std::uint64_t begin = view.offsets[vertex], end = view.offsets[vertex + 1];
        const std::uint64_t below = detail::count_below(view.neighbors + begin, view.neighbors + end, vertex);
        halves[2 * vertex] = static_cast<std::uint32_t>(begin);
        halves[2 * vertex + 1] = static_cast<std::uint32_t>(begin + below);
        sizes = together(sizes, {size_of_one(below), size_of_one(end - begin - below)});
      }
      return sizes;
    };
    std::tie(graph.lower_sizes_, graph.upper_sizes_) =
        tbb::parallel_reduce(Block(0, view.universe, 1 << 14), BothSizes{}, fill, together);
    halves[2 * view.universe] = static_cast<std::uint32_t>(view.arc_count);
    graph.half_offsets_ = std::move(halves);
    graph.half_bases_ = std::move(bases);
    graph.halves_ = {graph.half_offsets_.data(), graph.half_bases_.data(), *shift};
    return Done{};
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

ArcRange hashed_arcs_of(const GraphView& view, std::uint64_t rank) {
  for (std::uint64_t place = hash_place(rank, view.slot_mask);; place = (place + 1) & view.slot_mask) {
    const HashSlot& slot = view.slots[place];
    if (slot.vertex == rank) return ArcRange{slot.begin, slot.end};
    if (slot.vertex == kEmptySlot) return ArcRange{};
  }
}

}  // namespace matcha::runtime
