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
  std::uint64_t target_limit = 0;  ///< Targets are below it instead, unless it is 0.
};

struct Csr {
  Buffer<std::uint64_t> offsets;  ///< n + 1.
  Buffer<std::uint32_t> neighbors;
  Buffer<std::uint64_t> edge_info;  ///< Empty unless asked for.
};

/// Keeps everything: neighbours by target, then input order; `info` (may be null) follows. Requires: with `info`,
/// count < 2^32.
Csr multi_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info);

/// A graph without loops and repeats, and what was dropped to get there (see LoadReport).
struct SimpleCsr {
  Csr csr;
  std::uint64_t loops = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t reversed = 0;
};
/// `edges_read`: called when the columns are no longer needed, before the most memory is. `keep_loops`: loops are kept;
/// requires that it is directed.
SimpleCsr simple_csr(std::uint64_t n, const EdgeColumns& edges, bool directed,
                     const std::function<void()>& edges_read = {}, bool keep_loops = false);

/// An edge by the ranks of its ends, or an arc by its source and its key.
struct RankPair {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
};

/// Rows of vertices that follow one another.
struct RowPiece {
  Csr csr;
  std::uint64_t distinct = 0, reversed = 0;  ///< Arcs whose target is above their source, if `shift` is 1; else all.
};

/// Clean rows of the arcs of vertices first…first + rows - 1: `source` counts from `first`, and `target` is a key
/// below `key_limit`, `target << shift`, with a shift of 1 plus 1 where the edge was given the other way round. No
/// loops.
RowPiece rows_of_pairs(std::uint64_t first, std::uint64_t rows, const Buffer<RankPair>& arcs, std::uint64_t key_limit,
                       unsigned shift);

/// The same of columns that hold numbers below `n`, alike in bits and stride; takes no memory besides the adjacency.
/// Edges that are there in both directions count as repeats.
SimpleCsr simple_csr_in_place(std::uint64_t n, const IntColumn& sources, const IntColumn& targets, bool directed);

/// The same with edge info: edges between the same vertices are repeats if it is the same word, else parallel, and then
/// ascend by it. Requires: no loops unless directed; count < 2^31, or 2^32 if directed.
SimpleCsr labelled_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info, bool directed);

/// The same of directed edges with labels, but all repeats are kept: the i-th edge behind the first that is alike gets
/// the i-th copy of its label, which `copies` becomes.
SimpleCsr repeated_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* labels,
                       std::vector<LabelCopy>& copies);

/// Whether a vertex has a neighbour twice. Requires: neighbours ascend.
bool has_parallels(const Csr& csr);
/// Whether a vertex is its own neighbour. Requires: neighbours ascend.
bool has_loops(const Csr& csr);

/// One arc for each pair of vertices, no edge info; no loops, unless they are kept.
Csr without_parallels(std::uint64_t n, const std::uint64_t* offsets, const std::uint32_t* neighbors,
                      bool keep_loops = false);

}  // namespace matcha::runtime::detail
