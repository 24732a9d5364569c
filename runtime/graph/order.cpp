#include "runtime/graph/order.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"

namespace matcha::runtime {

namespace {

using Block = tbb::blocked_range<std::uint64_t>;

constexpr std::uint64_t kVerticesOfTask = 1 << 12;
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
  tbb::parallel_for(Block(0, view.universe, kVerticesOfTask), [&](const Block& block) {
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

/// A row that is no longer is sorted by counting, for each item, those that are smaller.
constexpr std::uint64_t kShort = 64;
using Lanes = std::int32_t __attribute__((vector_size(16)));
constexpr std::uint64_t kLanes = 4;

void sort_short_row(std::uint32_t* row, std::uint64_t count) {
  constexpr std::uint32_t kSign = std::uint32_t{1} << 31;
  std::array<std::int32_t, kShort> keys;
  for (std::uint64_t at = 0; at < count; ++at) keys[at] = static_cast<std::int32_t>(row[at] ^ kSign);
  for (std::uint64_t at = count; at % kLanes != 0; ++at) keys[at] = 0;
  for (std::uint64_t first = 0; first < count; first += kLanes) {
    Lanes own;
    std::memcpy(&own, &keys[first], sizeof(own));
    Lanes smaller{};
    for (std::uint64_t at = 0; at < count; ++at) smaller -= own > keys[at];
    for (std::uint64_t lane = 0; lane < kLanes && first + lane < count; ++lane) {
      row[smaller[lane]] = static_cast<std::uint32_t>(own[lane]) ^ kSign;
    }
  }
}

/// Writes the new ranks of a row of old ones, ascending. Ranks of one class keep their order, so items that are put in
/// the order of their classes are sorted.
void write_long_row(const std::uint32_t* begin, const std::uint32_t* end, const Renumbering& numbers,
                    const Buffer<std::uint8_t>& classes, std::uint32_t* out) {
  std::array<std::uint32_t, kClasses + 1> next{};
  for (const std::uint32_t* at = begin; at != end; ++at) ++next[classes[*at] + std::size_t{1}];
  for (std::size_t at = 0; at < kClasses; ++at) next[at + 1] += next[at];
  for (const std::uint32_t* at = begin; at != end; ++at) out[next[classes[*at]]++] = numbers.to[*at];
}

/// Writes the rows of some new ranks. Short ones are sorted when all are there: a processor fetches many rows at a time
/// as long as nothing is decided by what they hold.
void write_rows(const GraphView& view, const Renumbering& numbers, const Buffer<std::uint8_t>& classes,
                const Block& ranks, GraphArrays& arrays) {
  constexpr std::uint64_t kAhead = 12;
  std::uint32_t* const out = arrays.neighbors.data();
  for (std::uint64_t rank = ranks.begin(); rank != ranks.end(); ++rank) {
    if (rank + 2 * kAhead < ranks.end()) {
      __builtin_prefetch(view.offsets + numbers.from[rank + 2 * kAhead]);
      __builtin_prefetch(view.neighbors + view.offsets[numbers.from[rank + kAhead]]);
    }
    const std::uint64_t old = numbers.from[rank], begin = view.offsets[old], count = view.offsets[old + 1] - begin;
    std::uint32_t* const row = out + arrays.offsets[rank];
    const std::uint32_t* const from = view.neighbors + begin;
    if (count > kShort) {
      write_long_row(from, from + count, numbers, classes, row);
    } else {
      for (std::uint64_t at = 0; at < count; ++at) row[at] = numbers.to[from[at]];
    }
  }
  for (std::uint64_t rank = ranks.begin(); rank != ranks.end(); ++rank) {
    const std::uint64_t count = arrays.offsets[rank + 1] - arrays.offsets[rank];
    if (count > 1 && count <= kShort) sort_short_row(out + arrays.offsets[rank], count);
  }
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

std::uint64_t half_size(const Graph& graph, std::uint64_t rank, Halves halves) {
  const std::uint32_t* at = graph.narrow_halves().offsets + 2 * rank + (halves == Halves::Lower ? 0 : 1);
  return at[1] - at[0];
}

/// The squares of `length` of all ranks, added up.
template <typename Length>
double sum_of_squares(const GraphView& view, const Length& length) {
  return tbb::parallel_reduce(
      Block(0, view.universe, kVerticesOfTask), 0.0,
      [&](const Block& block, double sum) {
        for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
          const double items = static_cast<double>(length(rank));
          sum += items * items;
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

double half_work(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  return sum_of_squares(view, [&](std::uint64_t rank) { return half_size(graph, rank, halves); });
}

std::uint64_t longest_half(const Graph& graph, Halves halves) {
  const LongestHalves& known = graph.longest_halves();
  if (graph.narrow_halves().offsets != nullptr) return halves == Halves::Lower ? known.lower : known.upper;
  const GraphView view = graph.view();
  return tbb::parallel_reduce(
      Block(0, view.universe, kVerticesOfTask), std::uint64_t{0},
      [&](const Block& block, std::uint64_t longest) {
        for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
          const ArcRange arcs = arcs_of(view, rank);
          const std::uint32_t* const split =
              std::lower_bound(view.neighbors + arcs.begin, view.neighbors + arcs.end, rank);
          const std::uint64_t below = static_cast<std::uint64_t>(split - view.neighbors) - arcs.begin;
          longest = std::max(longest, halves == Halves::Lower ? below : arcs.end - arcs.begin - below);
        }
        return longest;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

Result<double> half_work_by_degree(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  try {
    const Buffer<std::uint8_t> classes = classes_of(view, halves);
    return sum_of_squares(view, [&](std::uint64_t rank) {
      const std::uint64_t begin = view.offsets[rank], end = view.offsets[rank + 1];
      const std::uint64_t split = begin + half_size(graph, rank, Halves::Lower);
      const std::uint8_t own = classes[rank];
      // Among the same class the order is that of the old ranks.
      std::uint64_t below = 0;
      for (std::uint64_t at = begin; at != split; ++at) below += classes[view.neighbors[at]] <= own;
      for (std::uint64_t at = split; at != end; ++at) below += classes[view.neighbors[at]] < own;
      return halves == Halves::Lower ? below : end - begin - below;
    });
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
    Buffer<std::int64_t> ids = Buffer<std::int64_t>(view.universe);
    tbb::parallel_for(Block(0, view.universe, kVerticesOfTask), [&](const Block& block) {
      write_rows(view, numbers, classes, block, arrays);
      for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
        const std::uint32_t old = numbers.from[rank];
        ids[rank] = graph.universe().id(old);
        if (view.labels != nullptr) arrays.labels[rank] = view.labels[old];
      }
    });
    Graph ordered = Graph::from_arrays(std::make_shared<const Universe>(Universe::in_order(std::move(ids))),
                                       std::move(arrays), graph.facts());
    ordered.set_dictionary(std::make_shared<const LabelDictionary>(graph.dictionary()));
    const Status halved = ensure_narrow_halves(ordered);
    if (!halved) return halved.error();
    return ordered;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
