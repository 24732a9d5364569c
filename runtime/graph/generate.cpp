#include "runtime/graph/generate.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/graph/detail/copy_of.h"
#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/csr_in_pieces.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/random.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

Error bad_argument(std::string message) { return detail::input_error("", 0, std::move(message)); }

/// Refuses sizes that cannot fit before anything is allocated.
Status check_size(std::uint64_t vertices, std::uint64_t edges, const IoOptions& options) {
  constexpr std::uint64_t kBytesPerVertex = 32;
  constexpr std::uint64_t kBytesPerEdge = 24;
  const std::uint64_t limit = options.memory_limit();
  if (vertices > kMaxVertices || vertices > limit / kBytesPerVertex || edges > limit / kBytesPerEdge) {
    return Error{ErrorKind::Resource,
                 "a graph of " + std::to_string(vertices) + " vertices and " + std::to_string(edges) +
                     " edges is past the limits",
                 "", 0, "make a smaller one, or raise the memory limit"};
  }
  return options.cancelled() ? Status(detail::interrupted_error()) : Status(Done{});
}

/// The most edges of formulas that keep all draws in memory, 8 bytes each.
std::uint64_t most_draws(const IoOptions& options) {
  constexpr std::uint64_t kBytesPerDraw = 32;
  return (options.piece_bytes != 0 ? options.piece_bytes : options.memory_limit()) / kBytesPerDraw;
}

/// Edges that are recomputed on each request.
template <typename MakeEdge>
class MadeEdges final : public detail::EdgeBlocks {
 public:
  MadeEdges(std::uint64_t count, const MakeEdge& edge) : count_(count), edge_(edge) {}

  std::uint64_t blocks() const override { return (count_ + kBlock - 1) / kBlock; }
  Status read(std::uint64_t block, std::vector<detail::RankPair>& edges) const override {
    edges.clear();
    for (std::uint64_t at = block * kBlock; at != std::min(count_, (block + 1) * kBlock); ++at) {
      const auto [source, target] = edge_(at);
      edges.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target)});
    }
    return Done{};
  }

 private:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  std::uint64_t count_;
  const MakeEdge& edge_;
};

/// Makes `count` edges with `edge(at, source, target)`, in parallel, and cleans them.
template <typename MakeEdge>
Result<Graph> graph_of(std::uint64_t vertices, std::uint64_t count, const IoOptions& options, const MakeEdge& edge) {
  const bool in_pieces = options.piece_bytes != 0;
  MATCHA_TRY(check_size(vertices, in_pieces ? 0 : count, options));
  try {
    if (in_pieces) {
      detail::CsrInFile csr =
          MATCHA_TRY(detail::csr_in_pieces(vertices, MadeEdges<MakeEdge>(count, edge), false, 0, options));
      return detail::graph_in_file(std::make_shared<const Universe>(Universe::identity(vertices)), std::move(csr),
                                   GraphFacts{});
    }
    Buffer<std::uint32_t> sources(count);
    Buffer<std::uint32_t> targets(count);
    for_blocks(Block(0, count, std::uint64_t{1} << 14), [&](const Block& block) {
      for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
        const auto [source, target] = edge(at);
        sources[at] = static_cast<std::uint32_t>(source);
        targets[at] = static_cast<std::uint32_t>(target);
      }
    });
    detail::SimpleCsr simple = detail::simple_csr(vertices, {sources.data(), targets.data(), count}, false);
    GraphArrays arrays;
    arrays.offsets = std::move(simple.csr.offsets);
    arrays.neighbors = std::move(simple.csr.neighbors);
    return Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(vertices)), std::move(arrays),
                              GraphFacts{});
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

using Ends = std::array<std::uint64_t, 2>;

/// The pair u < v at a position of the order (0,1), (0,2), (1,2), (0,3), …
Ends pair_at(std::uint64_t position) {
  std::uint64_t high = static_cast<std::uint64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(position))) / 2.0);
  while (high * (high - 1) / 2 > position) --high;
  while ((high + 1) * high / 2 <= position) ++high;
  return Ends{position - high * (high - 1) / 2, high};
}

std::uint64_t pair_count(std::uint64_t vertices) {
  if (vertices < 2) return 0;
  return vertices % 2 == 0 ? vertices / 2 * (vertices - 1) : (vertices - 1) / 2 * vertices;
}

/// `count` distinct numbers below `bound`, ascending, every set equally likely: repeats are drawn again.
std::vector<std::uint64_t> sample(std::uint64_t bound, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> chosen;
  chosen.reserve(count);
  while (chosen.size() < count) {
    const std::size_t before = chosen.size();
    for (std::uint64_t at = before; at < count; ++at) chosen.push_back(random.below(bound));
    tbb::parallel_sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  return chosen;
}

std::vector<std::uint64_t> complement(std::uint64_t bound, const std::vector<std::uint64_t>& without) {
  std::vector<std::uint64_t> kept;
  kept.reserve(bound - without.size());
  std::size_t next = 0;
  for (std::uint64_t number = 0; number < bound; ++number) {
    if (next < without.size() && without[next] == number) {
      ++next;
    } else {
      kept.push_back(number);
    }
  }
  return kept;
}

/// Draws numbers of failures before a success. The binary digits of such a number are independent, and digit k is 1
/// with probability q^(2^k) / (1 + q^(2^k)); so no logarithm is needed, and all machines agree.
class SkipDraw {
 public:
  explicit SkipDraw(double probability) {
    double power = 1.0 - probability;
    for (int digit = 0; digit < kDigits; ++digit) {
      thresholds_.push_back(threshold_of(power / (1.0 + power)));
      if (thresholds_.back() == 0) break;
      power *= power;
    }
  }

  std::uint64_t draw(Random& random) const {
    std::uint64_t skip = 0;
    for (std::size_t digit = 0; digit < thresholds_.size(); ++digit) {
      if (random.chance(thresholds_[digit])) skip |= std::uint64_t{1} << digit;
    }
    return skip;
  }

 private:
  static constexpr int kDigits = 63;
  std::vector<std::uint64_t> thresholds_;
};

constexpr std::uint64_t kRanksAtATime = 4096;

/// A label in 1…n, determined by the seed and `what`.
std::int64_t label_drawn(std::uint64_t seed, std::uint64_t what, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>(1 + static_cast<std::uint64_t>((static_cast<Wide>(mix(seed ^ what)) * n) >> 64));
}

Buffer<std::int64_t> draw_for_vertices(const GraphView& view, const RandomLabels& wanted) {
  Buffer<std::int64_t> labels(view.universe);
  const std::uint64_t seed = mix(~wanted.seed);
  const bool all = view.vertices == nullptr;
  if (!all) std::fill(labels.begin(), labels.end(), kNoLabel);
  for_blocks(Block(0, view.vertex_count, kRanksAtATime), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint64_t vertex = all ? at : view.vertices[at];
      labels[vertex] = label_drawn(seed, vertex, wanted.vertices);
    }
  });
  return labels;
}

Buffer<std::uint64_t> draw_for_edges(const GraphView& view, bool directed, const RandomLabels& wanted) {
  Buffer<std::uint64_t> info(view.arc_count);
  const std::uint64_t seed = mix(wanted.seed);
  for_blocks(Block(0, view.universe, kRanksAtATime), [&](const Block& block) {
    for (std::uint64_t u = block.begin(); u != block.end(); ++u) {
      for (std::uint64_t at = view.offsets[u]; at != view.offsets[u + 1]; ++at) {
        const std::uint64_t v = view.neighbors[at];
        const std::uint64_t edge = directed ? u << 32 | v : std::min(u, v) << 32 | std::max(u, v);
        info[at] = static_cast<std::uint64_t>(label_drawn(seed, edge, wanted.edges));
      }
    }
  });
  return info;
}

}  // namespace

Result<Graph> generate_rmat(const RmatSpec& spec, const IoOptions& options) {
  constexpr unsigned kMostScale = 31;
  if (spec.scale > kMostScale) return bad_argument("the scale of an R-MAT graph is at most 31");
  const double rest = 1.0 - spec.a - spec.b - spec.c;
  if (!(spec.a >= 0 && spec.b >= 0 && spec.c >= 0 && rest >= -1e-9)) {
    return bad_argument("`a`, `b` and `c` are probabilities whose sum is at most 1");
  }
  const std::uint64_t vertices = std::uint64_t{1} << spec.scale;
  if (spec.edge_factor > ~std::uint64_t{0} / vertices) return check_size(vertices, ~std::uint64_t{0}, options).error();
  const std::uint64_t to_a = threshold_of(spec.a);
  const std::uint64_t to_b = to_a + threshold_of(spec.b);
  const std::uint64_t to_c = to_b + threshold_of(spec.c);
  return graph_of(vertices, spec.edge_factor * vertices, options, [&](std::uint64_t at) {
    Random random(spec.seed, at);
    Ends ends{0, 0};
    for (unsigned level = 0; level < spec.scale; ++level) {
      const std::uint64_t draw = random.next() >> 11;
      ends[0] = ends[0] << 1 | (draw >= to_b ? 1U : 0U);
      ends[1] = ends[1] << 1 | ((draw >= to_a && draw < to_b) || draw >= to_c ? 1U : 0U);
    }
    return ends;
  });
}

Result<Graph> generate_erdos_renyi(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed,
                                   const IoOptions& options) {
  MATCHA_TRY(check_size(vertices, edges, options));
  const std::uint64_t pairs = pair_count(vertices);
  if (edges > pairs) {
    return bad_argument(std::to_string(vertices) + " vertices have at most " + std::to_string(pairs) + " edges, not " +
                        std::to_string(edges));
  }
  if (edges > most_draws(options)) return check_size(vertices, ~std::uint64_t{0}, options).error();
  try {
    const bool few = edges <= pairs / 2;
    std::vector<std::uint64_t> chosen = sample(pairs, few ? edges : pairs - edges, seed);
    if (!few) chosen = complement(pairs, chosen);
    return graph_of(vertices, edges, options, [&](std::uint64_t at) { return pair_at(chosen[at]); });
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> generate_gnp(std::uint64_t vertices, double probability, std::uint64_t seed, const IoOptions& options) {
  if (!(probability >= 0 && probability <= 1)) return bad_argument("a probability lies between 0 and 1");
  MATCHA_TRY(check_size(vertices, 0, options));
  const std::uint64_t pairs = pair_count(vertices);
  const std::uint64_t most = most_draws(options);
  try {
    std::vector<std::uint64_t> chosen;
    Random random(seed);
    const SkipDraw skips(probability);
    std::uint64_t at = probability > 0 ? skips.draw(random) : pairs;
    while (at < pairs) {
      if (chosen.size() >= most) return check_size(vertices, ~std::uint64_t{0}, options).error();
      chosen.push_back(at);
      const std::uint64_t skip = skips.draw(random);
      at = skip < pairs - at ? at + 1 + skip : pairs;
    }
    return graph_of(vertices, chosen.size(), options, [&](std::uint64_t edge) { return pair_at(chosen[edge]); });
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<Graph> generate_clique(std::uint64_t vertices, const IoOptions& options) {
  MATCHA_TRY(check_size(vertices, 0, options));
  return graph_of(vertices, pair_count(vertices), options, pair_at);
}

Result<Graph> generate_star(std::uint64_t vertices, const IoOptions& options) {
  return graph_of(vertices, vertices == 0 ? 0 : vertices - 1, options, [](std::uint64_t at) {
    return Ends{0, at + 1};
  });
}

Result<Graph> generate_path(std::uint64_t vertices, const IoOptions& options) {
  return graph_of(vertices, vertices == 0 ? 0 : vertices - 1, options, [](std::uint64_t at) {
    return Ends{at, at + 1};
  });
}

Result<Graph> generate_cycle(std::uint64_t vertices, const IoOptions& options) {
  if (vertices < 3) return bad_argument("a cycle has at least 3 vertices");
  return graph_of(vertices, vertices, options, [vertices](std::uint64_t at) { return Ends{at, (at + 1) % vertices}; });
}

Result<Graph> generate_grid(std::uint64_t rows, std::uint64_t columns, const IoOptions& options) {
  if (columns != 0 && rows > kMaxVertices / columns) return check_size(~std::uint64_t{0}, 0, options).error();
  const std::uint64_t across = columns == 0 ? 0 : rows * (columns - 1);
  const std::uint64_t down = rows == 0 ? 0 : (rows - 1) * columns;
  return graph_of(rows * columns, across + down, options, [across, columns](std::uint64_t at) {
    if (at >= across) return Ends{at - across, at - across + columns};
    const std::uint64_t point = at / (columns - 1) * columns + at % (columns - 1);
    return Ends{point, point + 1};
  });
}

Result<Graph> generate_bipartite(std::uint64_t left, std::uint64_t right, const IoOptions& options) {
  if (left > kMaxVertices || right > kMaxVertices) return check_size(~std::uint64_t{0}, 0, options).error();
  return graph_of(left + right, left * right, options, [left, right](std::uint64_t at) {
    return Ends{at / right, left + at % right};
  });
}

Result<Graph> with_random_labels(const Graph& graph, const RandomLabels& wanted) {
  const GraphView view = graph.view();
  if (wanted.edges != 0 && view.edge_info != nullptr) {
    return detail::input_error("", 0, "the edges of the graph have labels or numbers already");
  }
  try {
    GraphArrays arrays;
    arrays.offsets = detail::copy_of(view.offsets, view.universe + 1);
    arrays.neighbors = detail::copy_of(view.neighbors, view.arc_count);
    if (view.vertices != nullptr) arrays.vertices = detail::copy_of(view.vertices, view.vertex_count);
    arrays.labels =
        wanted.vertices != 0 ? draw_for_vertices(view, wanted) : detail::copy_of(view.labels, view.universe);
    GraphFacts facts = graph.facts();
    if (wanted.edges != 0) {
      arrays.edge_info = draw_for_edges(view, facts.directed, wanted);
      facts.info = InfoKind::Int;
    } else {
      arrays.edge_info = detail::copy_of(static_cast<const std::uint64_t*>(view.edge_info), view.arc_count);
    }
    Graph made = Graph::from_arrays(graph.shared_universe(), std::move(arrays), facts);
    made.set_dictionary(std::make_shared<const LabelDictionary>(graph.dictionary()));
    return made;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime
