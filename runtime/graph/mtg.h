#pragma once

#include <string>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/graph/mapped_pages.h"
#include "runtime/graph/order.h"
#include "runtime/result.h"

/// `.mtg`: the arrays of a graph in their memory layout, with checksums. README.md gives the layout.
namespace matcha::runtime {

/// The newest version. A file has the lowest version that can represent its content.
inline constexpr std::uint32_t kMtgVersion = 6;

/// Maps a `.mtg` file; a gz or zst one is unpacked into memory. Checks every checksum and that the arrays are in
/// bounds and in order. Errors: Input for a foreign, newer, truncated or corrupt file.
Result<Graph> read_mtg(const std::string& path, const IoOptions& options = {});

/// A graph whose file is not in memory, and the pages of the file that become resident when the graph is read.
struct MtgInPieces {
  Graph graph;
  MappedPages pages;
};

/// As `read_mtg`, but during the check at most some megabytes of the file and a few bytes a vertex are resident.
/// Errors: also for a packed file.
Result<MtgInPieces> read_mtg_in_pieces(const std::string& path, const IoOptions& options = {});

/// True if a regular file begins as a `.mtg`, packed ones included; false if it cannot be read.
bool is_mtg_file(const std::string& path);

/// A graph with ranks by degree, to be stored beside the graph with ranks by id.
struct RankedCopy {
  const Graph* graph = nullptr;  ///< `ordered_by_degree(…, halves)` of the graph; null: not stored.
  Halves halves = Halves::Lower;
};

/// Writes a graph to a temporary file beside `path` and renames it when complete. A hash index becomes a CSR.
/// `by_label`: also writes the edges of each label; requires int edge info, and no two equal arcs with the same info.
Status write_mtg(const Graph& graph, const std::string& path, const IoOptions& options = {}, RankedCopy ranked = {},
                 bool by_label = false);

}  // namespace matcha::runtime
