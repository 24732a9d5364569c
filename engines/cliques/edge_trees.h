#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engines/cliques/leaves.h"
#include "engines/cliques/tree.h"
#include "engines/identities/vertex_loop.h"
#include "engines/search/stops.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/buffer.h"
#include "runtime/result.h"
#include "runtime/wide_int.h"

/// The cliques that a graph gains when edges are inserted, or loses when they are deleted.
namespace matcha::runtime::cliques {

/// The neighbours of a vertex, ascending and without the vertex; the span stays as it is while trees are walked.
using NearOf = std::function<std::span<const std::uint32_t>(std::uint32_t vertex)>;

/// Edges in an order, each of them once, without loops. A clique belongs to the first of its edges.
class EdgeOrder {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  /// May throw std::bad_alloc.
  explicit EdgeOrder(std::vector<Edge> edges);

  std::uint64_t size() const { return edges_.size(); }
  const Edge& edge(std::uint64_t at) const { return edges_[at]; }
  /// Calls `visit` with the other end of each edge of a vertex that comes before place `at`.
  template <typename Visit>
  void for_each_before(std::uint64_t at, std::uint32_t vertex, const Visit& visit) const {
    if (at == 0) return;
    const auto found = ends_.find(vertex);
    if (found == ends_.end()) return;
    for (const End& end : found->second) {
      if (end.place >= at) return;
      visit(end.other);
    }
  }

 private:
  struct End {
    std::uint32_t other = 0;
    std::uint64_t place = 0;
  };
  std::vector<Edge> edges_;
  std::unordered_map<std::uint32_t, std::vector<End>> ends_;  ///< By vertex; empty if there is only one edge.
};

/// The trees of one thread: below an edge, of the common neighbours of its ends.
class EdgeTrees {
 public:
  /// Counts cliques of `size` vertices, at least 2; 0: of all sizes. Every function may throw std::bad_alloc.
  EdgeTrees(std::uint32_t size, Tier tier);

  /// Adds the cliques that belong to the edge at place `at`. `near`: the rows of a graph that has all edges of the
  /// order, and vertices below `vertices`. If `stops` end the walk, `ended` returns true and the counts are invalid.
  void add(const EdgeOrder& order, std::uint64_t at, const NearOf& near, std::uint64_t vertices,
           const match::Stops& stops);
  bool ended() const { return tree_.ended; }

  /// The counts since the last call, by size from 0. Numbers of more than 256 bits wrap.
  std::vector<WideInt> take_counts();
  /// By number of common neighbours, the edges since the last call: `bits_of_counts` of cliques two vertices smaller,
  /// in a graph with one vertex more, bounds the counts.
  std::vector<std::uint64_t> take_widths() { return std::exchange(widths_, {}); }

 private:
  void find_common(const EdgeOrder& order, std::uint64_t at, const NearOf& near);
  void walk(const EdgeOrder& order, std::uint64_t at, const NearOf& near, const std::vector<std::uint32_t>& candidates,
            std::uint32_t held);
  std::uint64_t write_rows(const EdgeOrder& order, std::uint64_t at, const NearOf& near,
                           const std::vector<std::uint32_t>& candidates);
  void make_room(std::uint64_t candidates);
  void flush();

  const WalkTree walk_;
  Tree tree_;
  match::Stops stops_;
  std::unique_ptr<Leaves> leaves_;
  std::uint64_t room_ = 0;       ///< The number of candidates that the leaves have room for.
  std::uint64_t row_words_ = 0;  ///< The width of the rows that there is room for, in words.
  std::vector<WideInt> counts_;
  std::vector<std::uint64_t> widths_;
  std::vector<std::uint32_t> common_;
  std::vector<std::uint16_t> places_;  ///< By vertex: 1 + its place among the candidates; 0: it is no candidate.
  Buffer<std::uint64_t> rows_, narrow_rows_;
};

/// The counts of the cliques that belong to the edges of an order.
struct EdgeOutcome {
  motif::End end = motif::End::Complete;  ///< Once it is not complete, there are no counts.
  std::vector<WideInt> counts;            ///< By size from 0; of one size up to that one.
  std::uint32_t bits = 0;                 ///< No count has more; above 256 they may have wrapped.
};

/// Counts the cliques that belong to edges, batch by batch. It keeps the memory of the walks between batches.
class EdgeCounter {
 public:
  /// `size`: as of EdgeTrees. `threads`: one, or as many as oneTBB has.
  EdgeCounter(std::uint32_t size, Tier tier, unsigned threads);
  ~EdgeCounter();
  EdgeCounter(const EdgeCounter&) = delete;
  EdgeCounter& operator=(const EdgeCounter&) = delete;

  /// Threads share the edges if these take long; a single edge is counted by one thread. Arguments: as of
  /// EdgeTrees::add. Errors: Resource when out of memory.
  Result<EdgeOutcome> count(const EdgeOrder& order, const NearOf& near, std::uint64_t vertices,
                            const match::Stops& stops);

 private:
  struct Threads;
  const std::uint32_t size_;
  const Tier tier_;
  const unsigned thread_count_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace matcha::runtime::cliques
