#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/detail/csr_in_pieces.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Graphs with edge information that are larger than memory.
namespace matcha::runtime::detail {

/// An edge by rank, with its word of information.
struct InfoEdge {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint64_t info = 0;
};

/// Such edges in blocks that can be read repeatedly, in any order and from any thread; in file order.
class InfoBlocks {
 public:
  virtual ~InfoBlocks() = default;
  virtual std::uint64_t blocks() const = 0;
  /// Replaces `edges` by the edges of a block. Errors: Resource when a file cannot be read.
  virtual Status read_info(std::uint64_t block, std::vector<InfoEdge>& edges) const = 0;
};

/// Which edges are kept.
struct InfoRules {
  bool directed = false;
  bool keeps_loops = false;    ///< Only if directed.
  bool keeps_repeats = false;  ///< As `multi_csr`; false: as `labelled_csr`.
};

struct InfoCsr {
  CsrInFile csr;
  bool has_loops = false;      ///< Loops were kept.
  bool has_parallels = false;  ///< A vertex has a neighbour twice.
};

/// The result of `multi_csr` or `labelled_csr`, computed in pieces like `csr_in_pieces`. Errors: as there, and Resource
/// for an undirected graph of more than 2^31 vertices.
Result<InfoCsr> info_csr_in_pieces(std::uint64_t n, const InfoBlocks& edges, const InfoRules& rules,
                                   std::uint64_t besides, const IoOptions& options);

/// Adds the edges by label (LabelSlices) to a graph with int edge info, in scratch files. Requires: edges between the
/// same vertices have different labels. Errors: Resource, Runtime when interrupted.
Status slice_in_pieces(Graph& graph, std::uint64_t besides, const IoOptions& options);

}  // namespace matcha::runtime::detail
