#include "runtime/graph/order.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"

namespace matcha::runtime {

namespace {

using Block = tbb::blocked_range<std::uint64_t>;

constexpr std::uint64_t kGrain = 1 << 12;
/// Four classes for each power of two.
constexpr std::size_t kClasses = 136;

/// The class of a degree: small ones have their own, others share their three highest bits.
std::uint8_t class_of(std::uint64_t degree) {
  if (degree < 4) return static_cast<std::uint8_t>(degree);
  const unsigned width = static_cast<unsigned>(std::bit_width(degree));
  return static_cast<std::uint8_t>((width - 2) * 4 + (degree >> (width - 3) & 3));
}

/// The class of each rank, in the order in which the classes shall stand.
Buffer<std::uint8_t> classes_of(const GraphView& view, Halves halves) {
  Buffer<std::uint8_t> classes(view.universe);
  tbb::parallel_for(Block(0, view.universe, kGrain), [&](const Block& block) {
    for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
      const std::uint8_t own = class_of(view.offsets[rank + 1] - view.offsets[rank]);
      classes[rank] = halves == Halves::Upper ? own : static_cast<std::uint8_t>(kClasses - 1 - own);
    }
  });
  return classes;
}

/// The new rank of each old one, and back.
struct Renumbering {
  Buffer<std::uint32_t> to;
  Buffer<std::uint32_t> from;
};

Renumbering renumber(const Buffer<std::uint8_t>& classes) {
  std::array<std::uint32_t, kClasses + 1> next{};
  for (std::uint8_t one : classes) ++next[one + std::size_t{1}];
  for (std::size_t at = 0; at < kClasses; ++at) next[at + 1] += next[at];
  Renumbering numbers{Buffer<std::uint32_t>(classes.size()), Buffer<std::uint32_t>(classes.size())};
  for (std::uint64_t rank = 0; rank < classes.size(); ++rank) {
    const std::uint32_t to = next[classes[rank]]++;
    numbers.to[rank] = to;
    numbers.from[to] = static_cast<std::uint32_t>(rank);
  }
  return numbers;
}

/// Writes the new ranks of `[begin, end)`, ascending. Ranks of one class keep their order, so items that are put in the
/// order of their classes are sorted.
void write_row(const std::uint32_t* begin, const std::uint32_t* end, const Renumbering& numbers,
               const Buffer<std::uint8_t>& classes, std::uint32_t* out) {
  constexpr std::ptrdiff_t kShort = 48;
  if (end - begin <= kShort) {
    for (std::ptrdiff_t count = 0; begin + count != end; ++count) {
      const std::uint32_t item = numbers.to[begin[count]];
      std::ptrdiff_t at = count;
      for (; at != 0 && out[at - 1] > item; --at) out[at] = out[at - 1];
      out[at] = item;
    }
    return;
  }
  std::array<std::uint32_t, kClasses + 1> next{};
  for (const std::uint32_t* at = begin; at != end; ++at) ++next[classes[*at] + std::size_t{1}];
  for (std::size_t at = 0; at < kClasses; ++at) next[at + 1] += next[at];
  for (const std::uint32_t* at = begin; at != end; ++at) out[next[classes[*at]]++] = numbers.to[*at];
}

Buffer<std::uint64_t> offsets_of(const GraphView& view, const Renumbering& numbers) {
  Buffer<std::uint64_t> offsets(view.universe + 1);
  offsets[0] = 0;
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    const std::uint64_t old = numbers.from[rank];
    offsets[rank + 1] = offsets[rank] + (view.offsets[old + 1] - view.offsets[old]);
  }
  return offsets;
}

/// The same vertices under their new ranks; absent if all ranks are vertices.
Buffer<std::uint32_t> vertices_of(const GraphView& view, const Renumbering& numbers) {
  if (view.vertices == nullptr) return {};
  detail::VertexSet vertices(view.universe);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t rank = numbers.to[view.vertices[at]];
    vertices.add_range(rank, rank + 1);
  }
  return vertices.take();
}

}  // namespace

Result<HalfWork> half_work(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  try {
    const Buffer<std::uint8_t> classes = classes_of(view, halves);
    const bool lower = halves == Halves::Lower;
    const auto add = [&](const Block& block, HalfWork work) {
      for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
        const std::uint64_t begin = view.offsets[rank], split = view.splits[rank], end = view.offsets[rank + 1];
        const std::uint8_t own = classes[rank];
        // Among the same class the order is that of the old ranks.
        std::uint64_t below = 0;
        for (std::uint64_t at = begin; at != split; ++at) below += classes[view.neighbors[at]] <= own;
        for (std::uint64_t at = split; at != end; ++at) below += classes[view.neighbors[at]] < own;
        const double by_id = static_cast<double>(lower ? split - begin : end - split);
        const double by_degree = static_cast<double>(lower ? below : end - begin - below);
        work.by_id += by_id * by_id;
        work.by_degree += by_degree * by_degree;
      }
      return work;
    };
    const auto join = [](const HalfWork& a, const HalfWork& b) {
      return HalfWork{a.by_id + b.by_id, a.by_degree + b.by_degree};
    };
    return tbb::parallel_reduce(Block(0, view.universe, kGrain), HalfWork{}, add, join);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> ordered_by_degree(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  try {
    const Buffer<std::uint8_t> classes = classes_of(view, halves);
    const Renumbering numbers = renumber(classes);
    GraphArrays arrays;
    arrays.offsets = offsets_of(view, numbers);
    arrays.neighbors = Buffer<std::uint32_t>(view.arc_count);
    arrays.vertices = vertices_of(view, numbers);
    if (view.labels != nullptr) arrays.labels = Buffer<std::int64_t>(view.universe);
    Buffer<std::int64_t> ids(view.universe);
    tbb::parallel_for(Block(0, view.universe, kGrain), [&](const Block& block) {
      for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
        const std::uint32_t old = numbers.from[rank];
        write_row(view.neighbors + view.offsets[old], view.neighbors + view.offsets[old + 1], numbers, classes,
                  arrays.neighbors.data() + arrays.offsets[rank]);
        ids[rank] = graph.universe().id(old);
        if (view.labels != nullptr) arrays.labels[rank] = view.labels[old];
      }
    });
    Graph ordered = Graph::from_arrays(std::make_shared<const Universe>(Universe::in_order(std::move(ids))),
                                       std::move(arrays), graph.facts());
    ordered.set_dictionary(std::make_shared<const LabelDictionary>(graph.dictionary()));
    const Status split = ensure_splits(ordered);
    if (!split) return split.error();
    return ordered;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
