#pragma once

#include <string>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/graph/mapped_pages.h"
#include "runtime/graph/order.h"
#include "runtime/result.h"

/// `.mtg`: the arrays of a graph as they lie in memory, with checksums. README.md gives the layout.
namespace matcha::runtime {

/// The newest version. A file has the lowest one that can say what is in it.
inline constexpr std::uint32_t kMtgVersion = 6;

/// Maps a `.mtg` file; a gz or zst one is unpacked into memory. Checks every checksum and that the arrays are in
/// bounds and in order. Errors: Input for a foreign, newer, truncated or corrupt file.
Result<Graph> read_mtg(const std::string& path, const IoOptions& options = {});

/// A graph whose file is not in memory, and the pages of the file that come into it when the graph is read.
struct MtgInPieces {
  Graph graph;
  MappedPages pages;
};

/// The same, with no more of the file in memory at a time, while it is checked, than some megabytes and a few bytes a
/// vertex. Errors: also for a packed file.
Result<MtgInPieces> read_mtg_in_pieces(const std::string& path, const IoOptions& options = {});

/// Whether a regular file begins as a `.mtg`, packed ones included; false if it cannot be read.
bool is_mtg_file(const std::string& path);

/// A graph with ranks by degree, to be stored beside the one by id.
struct RankedCopy {
  const Graph* graph = nullptr;  ///< `ordered_by_degree(…, halves)` of the other one; null: none.
  Halves halves = Halves::Lower;
};

/// Writes a graph beside `path` and renames it there when complete. A hash index becomes a CSR. `by_label`: with the
/// edges of each label by themselves; requires ints as edge info, and that no arc is there twice with the same one.
Status write_mtg(const Graph& graph, const std::string& path, const IoOptions& options = {}, RankedCopy ranked = {},
                 bool by_label = false);

}  // namespace matcha::runtime
