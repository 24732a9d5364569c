#include "runtime/graph/order.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "runtime/graph/cuts.h"
#include "runtime/graph/detail/csr_in_pieces.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/vertex_set.h"
#include "runtime/graph/page_limit.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

constexpr std::uint64_t kVerticesOfTask = 1 << 12;
/// Four classes for each power of two.
constexpr std::size_t kClasses = 136;

/// The class of a degree: small ones have their own, others share their three highest bits.
std::uint8_t class_of(std::uint64_t degree) {
  if (degree < 4) return static_cast<std::uint8_t>(degree);
  const unsigned width = static_cast<unsigned>(std::bit_width(degree));
  return static_cast<std::uint8_t>((width - 2) * 4 + (degree >> (width - 3) & 3));
}

/// The position of a class in the requested order of classes.
std::uint8_t class_for(const GraphView& view, std::uint64_t rank, Halves halves) {
  const std::uint8_t own = class_of(view.offsets[rank + 1] - view.offsets[rank]);
  return halves == Halves::Upper ? own : static_cast<std::uint8_t>(kClasses - 1 - own);
}

Buffer<std::uint8_t> classes_of(const GraphView& view, Halves halves) {
  Buffer<std::uint8_t> classes(view.universe);
  for_blocks(Block(0, view.universe, kVerticesOfTask), [&](const Block& block) {
    for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
      classes[rank] = class_for(view, rank, halves);
    }
  });
  return classes;
}

/// The new rank of each old one, its inverse, and the offsets of the new rows.
struct Renumbering {
  Buffer<std::uint32_t> to;
  Buffer<std::uint32_t> from;
  Buffer<std::uint64_t> offsets;
  Buffer<std::uint8_t> classes;  ///< By old rank.
};

/// Inclusive prefix sums.
void add_up(Buffer<std::uint64_t>& counts) {
  tbb::parallel_scan(
      Block(0, counts.size(), std::uint64_t{1} << 14), std::uint64_t{0},
      [&](const Block& block, std::uint64_t sum, bool is_final) {
        for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
          sum += counts[at];
          if (is_final) counts[at] = sum;
        }
        return sum;
      },
      std::plus<std::uint64_t>());
}

/// Sorts the ranks by class, in pieces: each counts its classes, and prefix sums give where its ranks of a class go.
Renumbering renumber(const GraphView& view, Halves halves) {
  using Counts = std::array<std::uint32_t, kClasses>;
  constexpr std::uint64_t kMostPieces = 256;
  const std::uint64_t size = view.universe;
  const std::uint64_t piece = std::max(kVerticesOfTask, (size + kMostPieces - 1) / kMostPieces);
  const std::uint64_t pieces = (size + piece - 1) / piece;
  Renumbering numbers{Buffer<std::uint32_t>(size), Buffer<std::uint32_t>(size), Buffer<std::uint64_t>(size + 1),
                      classes_of(view, halves)};
  std::vector<Counts> next(pieces, Counts{});
  const auto for_each_rank = [&](const auto& visit) {
    for_indices(0, pieces, [&](std::uint64_t at) {
      const std::uint64_t end = std::min(size, (at + 1) * piece);
      for (std::uint64_t rank = at * piece; rank != end; ++rank) visit(next[at][numbers.classes[rank]], rank);
    });
  };
  for_each_rank([](std::uint32_t& count, std::uint64_t) { ++count; });
  std::uint32_t before = 0;
  for (std::size_t one = 0; one < kClasses; ++one) {
    for (Counts& counts : next) before += std::exchange(counts[one], before);
  }
  numbers.offsets[0] = 0;
  for_each_rank([&](std::uint32_t& place, std::uint64_t rank) {
    const std::uint32_t to = place++;
    numbers.to[rank] = to;
    numbers.from[to] = static_cast<std::uint32_t>(rank);
    numbers.offsets[to + std::uint64_t{1}] = view.offsets[rank + 1] - view.offsets[rank];
  });
  add_up(numbers.offsets);
  return numbers;
}

/// A row up to this length is sorted by counting, for each item, the smaller ones.
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

/// Writes the new ranks of a row of old ones, ascending. Ranks of one class keep their order, so sorting the items by
/// class is enough.
void write_long_row(const std::uint32_t* begin, const std::uint32_t* end, const Renumbering& numbers,
                    std::uint32_t* out) {
  const Buffer<std::uint8_t>& classes = numbers.classes;
  std::array<std::uint32_t, kClasses + 1> next{};
  for (const std::uint32_t* at = begin; at != end; ++at) ++next[classes[*at] + std::size_t{1}];
  for (std::size_t at = 0; at < kClasses; ++at) next[at + 1] += next[at];
  for (const std::uint32_t* at = begin; at != end; ++at) out[next[classes[*at]]++] = numbers.to[*at];
}

/// Writes the rows of some new ranks. Short rows are sorted after all are copied: a processor prefetches many rows at a
/// time as long as no branch depends on their content.
void write_rows(const GraphView& view, const Renumbering& numbers, const PositionRange& ranks, GraphArrays& arrays) {
  constexpr std::uint64_t kAhead = 12;
  std::uint32_t* const out = arrays.neighbors.data();
  for (std::uint64_t rank = ranks.begin; rank != ranks.end; ++rank) {
    if (rank + 2 * kAhead < ranks.end) {
      __builtin_prefetch(view.offsets + numbers.from[rank + 2 * kAhead]);
      __builtin_prefetch(view.neighbors + view.offsets[numbers.from[rank + kAhead]]);
    }
    const std::uint64_t old = numbers.from[rank], begin = view.offsets[old], count = view.offsets[old + 1] - begin;
    std::uint32_t* const row = out + numbers.offsets[rank];
    const std::uint32_t* const from = view.neighbors + begin;
    if (count > kShort) {
      write_long_row(from, from + count, numbers, row);
    } else {
      for (std::uint64_t at = 0; at < count; ++at) row[at] = numbers.to[from[at]];
    }
  }
  for (std::uint64_t rank = ranks.begin; rank != ranks.end; ++rank) {
    const std::uint64_t count = numbers.offsets[rank + 1] - numbers.offsets[rank];
    if (count > 1 && count <= kShort) sort_short_row(out + numbers.offsets[rank], count);
  }
}

/// Writes all rows, in pieces with equal numbers of arcs.
void write_all_rows(const GraphView& view, const Renumbering& numbers, GraphArrays& arrays) {
  constexpr std::uint64_t kArcsOfTask = std::uint64_t{1} << 16;
  GraphView ranked{};
  ranked.universe = ranked.vertex_count = view.universe;
  ranked.arc_count = view.arc_count;
  ranked.offsets = numbers.offsets.data();
  const std::vector<std::uint64_t> cuts = cut_by_arcs(ranked, (view.arc_count + view.universe) / kArcsOfTask + 1);
  for_indices(1, cuts.size(), [&](std::size_t at) { write_rows(view, numbers, {cuts[at - 1], cuts[at]}, arrays); });
}

/// `value(old)` of each new rank.
template <typename Value>
Buffer<std::int64_t> gathered(const std::uint32_t* from, std::uint64_t size, const Value& value) {
  Buffer<std::int64_t> values(size);
  for_blocks(Block(0, size, kVerticesOfTask), [&](const Block& block) {
    for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) values[rank] = value(from[rank]);
  });
  return values;
}

std::shared_ptr<const Universe> universe_of(const Graph& graph, const std::uint32_t* from) {
  return std::make_shared<const Universe>(Universe::in_order(
      gathered(from, graph.view().universe, [&](std::uint32_t old) { return graph.universe().id(old); }),
      graph.universe().names()));
}

Buffer<std::int64_t> labels_of(const GraphView& view, const std::uint32_t* from) {
  if (view.labels == nullptr) return {};
  return gathered(from, view.universe, [&](std::uint32_t old) { return view.labels[old]; });
}

/// The same vertices under their new ranks; absent if all ranks are vertices.
Buffer<std::uint32_t> vertices_of(const GraphView& view, const Buffer<std::uint32_t>& to) {
  Buffer<std::uint32_t> ranks(view.vertex_count);
  for_blocks(Block(0, view.vertex_count, kVerticesOfTask), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) ranks[at] = to[view.vertices[at]];
  });
  detail::VertexSet vertices(view.universe);
  vertices.add(ranks.data(), ranks.size());
  return vertices.take();
}

Graph rank_anew(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  Renumbering numbers = renumber(view, halves);
  GraphArrays arrays;
  arrays.neighbors = Buffer<std::uint32_t>(view.arc_count);
  if (view.vertices != nullptr) arrays.vertices = vertices_of(view, numbers.to);
  write_all_rows(view, numbers, arrays);
  arrays.labels = labels_of(view, numbers.from.data());
  arrays.offsets = std::move(numbers.offsets);
  return Graph::from_arrays(universe_of(graph, numbers.from.data()), std::move(arrays), graph.facts());
}

/// The arcs of a graph by new ranks, in blocks of old ranks.
class RankedArcs final : public detail::EdgeBlocks {
 public:
  RankedArcs(const GraphView& view, const Renumbering& numbers) : view_(view), numbers_(numbers) {
    constexpr std::uint64_t kArcsOfBlock = std::uint64_t{1} << 16;
    cuts_ = cut_by_arcs(view, (view.arc_count + view.universe) / kArcsOfBlock + 1);
  }

  std::uint64_t blocks() const override { return cuts_.size() - 1; }
  Status read(std::uint64_t block, std::vector<detail::RankPair>& edges) const override {
    edges.clear();
    for (std::uint64_t rank = cuts_[block]; rank != cuts_[block + 1]; ++rank) {
      PageLimit::check();
      for (std::uint64_t at = view_.offsets[rank]; at != view_.offsets[rank + 1]; ++at) {
        edges.push_back({numbers_.to[rank], numbers_.to[view_.neighbors[at]]});
      }
    }
    return Done{};
  }

 private:
  GraphView view_;
  const Renumbering& numbers_;
  std::vector<std::uint64_t> cuts_;
};

/// The same with arcs in scratch files.
Result<Graph> rank_in_pieces(const Graph& graph, Halves halves, const IoOptions& options) {
  const GraphView view = graph.view();
  Renumbering numbers = renumber(view, halves);
  numbers.offsets = {};
  numbers.classes = {};
  Buffer<std::int64_t> labels = labels_of(view, numbers.from.data());
  std::uint64_t besides = 2 * labels.size() * sizeof(std::int64_t);
  if (graph.universe().names() != nullptr) besides += graph.universe().names()->bytes();
  detail::CsrInFile csr =
      MATCHA_TRY(detail::csr_in_pieces(view.universe, RankedArcs(view, numbers), true, besides, options));
  csr.labels = std::move(labels);
  if (view.vertices != nullptr) csr.vertices = vertices_of(view, numbers.to);
  return detail::graph_in_file(universe_of(graph, numbers.from.data()), std::move(csr), graph.facts());
}

/// The data that belongs to arcs in a file.
struct BesideStored {
  std::shared_ptr<const void> owner;
  Buffer<std::int64_t> labels;
  Buffer<std::uint32_t> vertices;
};

Graph take_stored(const Graph& graph) {
  const GraphView view = graph.view();
  const StoredOrder& stored = graph.stored_order();
  const auto beside = std::make_shared<BesideStored>();
  beside->owner = graph.owner();
  GraphView ranked{};
  ranked.arc_count = view.arc_count;
  ranked.offsets = stored.offsets;
  ranked.neighbors = stored.neighbors;
  ranked.vertex_count = view.vertex_count;
  beside->labels = labels_of(view, stored.from);
  if (view.labels != nullptr) ranked.labels = beside->labels.data();
  if (view.vertices != nullptr) {
    Buffer<std::uint32_t> to(view.universe);
    for_blocks(Block(0, view.universe, kVerticesOfTask), [&](const Block& block) {
      for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
        to[stored.from[rank]] = static_cast<std::uint32_t>(rank);
      }
    });
    beside->vertices = vertices_of(view, to);
    ranked.vertices = beside->vertices.data();
  }
  Graph made = Graph::from_view(universe_of(graph, stored.from), ranked, graph.facts(), beside);
  made.set_stored_halves(stored.halves);
  return made;
}

/// The vertices in one class of degrees: their arcs, and the squares of their degrees.
struct ClassSums {
  double arcs = 0;
  double squares = 0;
};
using SumsOfClasses = std::array<ClassSums, kClasses>;

SumsOfClasses sums_of_classes(const GraphView& view) {
  return tbb::parallel_reduce(
      Block(0, view.universe, std::uint64_t{1} << 14), SumsOfClasses{},
      [&](const Block& block, SumsOfClasses sums) {
        for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
          const std::uint64_t degree = view.offsets[rank + 1] - view.offsets[rank];
          ClassSums& sum = sums[class_of(degree)];
          sum.arcs += static_cast<double>(degree);
          sum.squares += static_cast<double>(degree) * static_cast<double>(degree);
        }
        return sums;
      },
      [](SumsOfClasses a, const SumsOfClasses& b) {
        for (std::size_t one = 0; one < kClasses; ++one) {
          a[one].arcs += b[one].arcs;
          a[one].squares += b[one].squares;
        }
        return a;
      });
}

}  // namespace

double oriented_work(const Graph& graph, Halves halves) {
  return (halves == Halves::Lower ? graph.lower_sizes() : graph.upper_sizes()).squares;
}

std::uint64_t longest_oriented_list(const Graph& graph, Halves halves) {
  if (graph.split_offsets().offsets != nullptr) {
    return (halves == Halves::Lower ? graph.lower_sizes() : graph.upper_sizes()).longest;
  }
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

double expected_work_by_degree(const Graph& graph) {
  const SumsOfClasses sums = sums_of_classes(graph.view());
  const double arcs = static_cast<double>(graph.view().arc_count);
  // The arcs that end in a class of larger degrees, and half of those that end in the same class.
  double larger = 0, work = 0;
  for (std::size_t one = kClasses; one-- > 0;) {
    const double share = arcs > 0 ? (larger + sums[one].arcs / 2) / arcs : 0;
    work += share * share * sums[one].squares + share * (1 - share) * sums[one].arcs;
    larger += sums[one].arcs;
  }
  return work;
}

namespace {

/// Visits sources of arcs at even distances, so that a vertex is drawn by its degree: visit(vertex, degree). Returns
/// the number of arcs of each visit; 0: there is no arc.
template <typename Visit>
double for_sampled_sources(const GraphView& view, std::uint64_t most, const Visit& visit) {
  const std::uint64_t sources = std::min(view.arc_count, most);
  for (std::uint64_t i = 0; i < sources; ++i) {
    const std::uint64_t arc = view.arc_count / sources * i;
    const std::uint64_t* const after = std::upper_bound(view.offsets, view.offsets + view.universe + 1, arc);
    const auto source = static_cast<std::uint64_t>(after - view.offsets) - 1;
    visit(source, view.offsets[source + 1] - view.offsets[source]);
  }
  return sources == 0 ? 0 : static_cast<double>(view.arc_count) / static_cast<double>(sources);
}

/// The number of common neighbours of two vertices.
std::uint64_t common_neighbors(const GraphView& view, std::uint64_t one, std::uint64_t other) {
  const auto row = [&view](std::uint64_t vertex) {
    return std::span(view.neighbors + view.offsets[vertex], view.neighbors + view.offsets[vertex + 1]);
  };
  std::span<const std::uint32_t> few = row(one), many = row(other);
  if (few.size() > many.size()) std::swap(few, many);
  return static_cast<std::uint64_t>(
      std::ranges::count_if(few, [&](std::uint32_t vertex) { return std::ranges::binary_search(many, vertex); }));
}

}  // namespace

SampledWork sampled_work_by_degree(const Graph& graph) {
  constexpr std::uint64_t kSources = 512, kEnds = 64;
  const GraphView view = graph.view();
  const auto degree_of = [&view](std::uint64_t rank) { return view.offsets[rank + 1] - view.offsets[rank]; };
  SampledWork sum;
  const double arcs = for_sampled_sources(view, kSources, [&](std::uint64_t source, std::uint64_t degree) {
    // Ends of arcs at even distances in the row of the source.
    const std::uint64_t ends = std::min(degree, kEnds);
    std::uint64_t larger = 0;
    for (std::uint64_t end = 0; end < ends; ++end) {
      const std::uint32_t other = view.neighbors[view.offsets[source] + degree * end / ends];
      larger += degree_of(other) > degree || (degree_of(other) == degree && other > source) ? 1 : 0;
    }
    const double share = static_cast<double>(larger) / static_cast<double>(ends);
    const double half = static_cast<double>(degree) * share;
    sum.squares += half * share;
    sum.cubes += half * half * share;
  });
  return {sum.squares * arcs, sum.cubes * arcs};
}

double sampled_wheel_ns(const Graph& graph) {
  constexpr std::uint64_t kSources = 128, kEnds = 4;
  constexpr double kNsAPair = 2, kNsAWord = 0.7, kNsAPath = 1;
  const GraphView view = graph.view();
  double sum = 0;
  const double arcs = for_sampled_sources(view, kSources, [&](std::uint64_t source, std::uint64_t degree) {
    const std::uint64_t ends = std::min(degree, kEnds);
    double paths = 0, joined = 0;
    for (std::uint64_t end = 0; end < ends; ++end) {
      const std::uint32_t other = view.neighbors[view.offsets[source] + degree * end / ends];
      const auto common = static_cast<double>(common_neighbors(view, source, other));
      paths += common * common;
      joined += common > 0 ? 1 : 0;
    }
    // Of one arc of the source: rows of its neighbours that have an edge among them, in pairs, or paths of two edges.
    const double size = static_cast<double>(degree) * joined / static_cast<double>(ends);
    const double rows = size * size / 2 * (kNsAPair + kNsAWord * std::ceil(size / 64)) / static_cast<double>(degree);
    sum += std::min(rows, kNsAPath * paths / static_cast<double>(ends));
  });
  return sum * arcs;
}

double ns_to_rank(const Graph& graph, unsigned threads) {
  // Measured with 1 to 16 threads: each must be woken, and they share the memory bandwidth.
  constexpr double kNsToWake = 60'000, kNsAnArc = 8, kNsAnArcOfThread = 0.75, kNsAVertex = 20;
  const double others = threads > 1 ? threads - 1.0 : 0;
  const double arcs = static_cast<double>(graph.view().arc_count),
               vertices = static_cast<double>(graph.view().universe);
  return kNsToWake * others + ((kNsAnArc + kNsAnArcOfThread * others) * arcs + kNsAVertex * vertices) / (1 + others);
}

bool has_stored_order(const Graph& graph, Halves halves) {
  const StoredOrder& stored = graph.stored_order();
  return stored.offsets != nullptr && stored.largest_first == (halves == Halves::Lower);
}

Result<Graph> ordered_by_degree(const Graph& graph, Halves halves, const IoOptions& options) {
  try {
    Graph ordered;
    if (options.piece_bytes != 0 && !has_stored_order(graph, halves)) {
      ordered = MATCHA_TRY(rank_in_pieces(graph, halves, options));
    } else {
      ordered = has_stored_order(graph, halves) ? take_stored(graph) : rank_anew(graph, halves);
    }
    ordered.set_dictionary(std::make_shared<const LabelDictionary>(graph.dictionary()));
    // The graph determines the order.
    const std::uint64_t key[2] = {graph.content_key(), halves == Halves::Lower ? 1U : 2U};
    if (graph.content_key() != 0) ordered.set_content_key(XXH3_64bits(key, sizeof(key)));
    MATCHA_TRY(ensure_split_offsets(ordered));
    return ordered;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
