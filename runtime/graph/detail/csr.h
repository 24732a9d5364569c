#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/int_column.h"
#include "runtime/graph/labels.h"

/// Counting sorts from edge columns to adjacency. All are deterministic for every number of threads, and throw
/// std::bad_alloc.
namespace matcha::runtime::detail {

/// Edges as two columns of numbers below `n`.
struct EdgeColumns {
  const std::uint32_t* sources = nullptr;
  const std::uint32_t* targets = nullptr;
  std::uint64_t count = 0;
  std::uint64_t target_limit = 0;  ///< If not 0, targets are below it instead of `n`.
};

struct Csr {
  Buffer<std::uint64_t> offsets;  ///< n + 1.
  Buffer<std::uint32_t> neighbors;
  Buffer<std::uint64_t> edge_info;  ///< Empty unless requested.
};

/// Keeps all edges: neighbours ascend by target, then in input order. `info` (may be null) is permuted with them.
/// Requires: with `info`, count < 2^32.
Csr multi_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info);

/// A graph without loops and repeats, and the numbers of dropped edges (see LoadReport).
struct SimpleCsr {
  Csr csr;
  std::uint64_t loops = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t reversed = 0;
};
/// `edges_read` is called when the columns are no longer needed, before memory use peaks. `keep_loops` keeps loops;
/// requires a directed graph.
SimpleCsr simple_csr(std::uint64_t n, const EdgeColumns& edges, bool directed,
                     const std::function<void()>& edges_read = {}, bool keep_loops = false);

/// An edge by the ranks of its ends, or an arc by its source and its key.
struct RankPair {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
};

/// Consecutive rows of vertices.
struct RowPiece {
  Csr csr;
  /// Distinct arcs: those whose target is above their source if `shift` is 1, else all. `reversed`: edges among them
  /// that are given in both directions.
  std::uint64_t distinct = 0, reversed = 0;
};

/// Sorted rows without repeats of the arcs of vertices first…first + rows - 1. `source` counts from `first`. `target`
/// is a key `target << shift` below `key_limit`; with a shift of 1, plus 1 if the edge was given in the other
/// direction. Requires: no loops.
RowPiece rows_of_pairs(std::uint64_t first, std::uint64_t rows, const Buffer<RankPair>& arcs, std::uint64_t key_limit,
                       unsigned shift);

/// As `simple_csr`, for columns of numbers below `n` with the same width and stride. Takes no memory besides the
/// adjacency. Edges that are given in both directions count as repeats.
SimpleCsr simple_csr_in_place(std::uint64_t n, const IntColumn& sources, const IntColumn& targets, bool directed);

/// As `simple_csr`, with edge info. Edges between the same vertices are repeats if they have the same word; otherwise
/// they are parallel and ascend by it. Requires: no loops unless directed; count < 2^31, or 2^32 if directed.
SimpleCsr labelled_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info, bool directed);

/// As `labelled_csr` for directed edges, but keeps all repeats: the i-th repeat of an edge gets the i-th copy of its
/// label, which the call writes to `copies`.
SimpleCsr repeated_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* labels,
                       std::vector<LabelCopy>& copies);

/// True if a vertex has a neighbour twice. Requires: neighbours ascend.
bool has_parallels(const Csr& csr);
/// True if a vertex is its own neighbour. Requires: neighbours ascend.
bool has_loops(const Csr& csr);

/// Keeps one arc for each pair of vertices, without edge info; drops loops unless they are kept.
Csr without_parallels(std::uint64_t n, const std::uint64_t* offsets, const std::uint32_t* neighbors,
                      bool keep_loops = false);

}  // namespace matcha::runtime::detail
