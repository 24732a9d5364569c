#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/arc_ranges.h"
#include "runtime/graph/detail/csr.h"
#include "runtime/graph/detail/scratch_file.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Adjacencies that are larger than memory: arcs are written to a scratch file by ranges of their sources, and each
/// range is sorted in memory.
namespace matcha::runtime::detail {

/// Edges by rank, in blocks that can be read repeatedly, in any order and from any thread.
class EdgeBlocks {
 public:
  virtual ~EdgeBlocks() = default;
  virtual std::uint64_t blocks() const = 0;
  /// Replaces `edges` by the edges of a block. Errors: Resource when a file cannot be read.
  virtual Status read(std::uint64_t block, std::vector<RankPair>& edges) const = 0;
};

/// An adjacency whose neighbours lie in a scratch file.
struct CsrInFile {
  Buffer<std::uint64_t> offsets;             ///< n + 1.
  const std::uint32_t* neighbors = nullptr;  ///< Valid as long as `owner` lives.
  const std::uint64_t* edge_info = nullptr;  ///< Likewise; null: no edge info.
  std::shared_ptr<const void> owner;
  /// The other arrays of its graph, by rank; absent as in GraphArrays.
  Buffer<std::int64_t> labels;
  Buffer<std::uint32_t> vertices;
  std::uint64_t loops = 0, duplicates = 0, reversed = 0;  ///< As in SimpleCsr.
};

/// As `simple_csr`, within `options.piece_bytes` of memory plus some bytes a vertex. `besides` bytes of it are taken by
/// the caller; `options` has the scratch folder. Errors: Resource when that is too little for the arcs of one vertex,
/// or a scratch file fails; Runtime when interrupted. Throws std::bad_alloc.
Result<CsrInFile> csr_in_pieces(std::uint64_t n, const EdgeBlocks& edges, bool directed, std::uint64_t besides,
                                const IoOptions& options);

/// The graph of an adjacency.
Graph graph_in_file(std::shared_ptr<const Universe> universe, CsrInFile csr, GraphFacts facts);

/// The bytes of `options.piece_bytes` that remain for arcs, given the number of vertices and `besides` bytes in use.
/// Errors: Resource if that is too little.
Result<std::uint64_t> bytes_for_arcs(std::uint64_t vertices, std::uint64_t besides, const IoOptions& options);

/// Ranges for arcs that take `bytes_per_arc` each while their range is sorted, within `bytes`. `counts`: the arcs of
/// each of `n` vertices. Errors: Resource if that is too little for the arcs of one vertex.
Result<ArcRanges> ranges_within(const Buffer<std::uint64_t>& counts, std::uint64_t n, std::uint64_t bytes_per_arc,
                                std::uint64_t bytes, const IoOptions& options);

}  // namespace matcha::runtime::detail
