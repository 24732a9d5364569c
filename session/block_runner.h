#pragma once

#include <cstdint>
#include <memory>

#include "codegen/backend.h"
#include "codegen/cuda/rows_read.h"
#include "runtime/graph/page_limit.h"

namespace matcha::session {

/// A program on a graph that is larger than the memory for it, and how it is run.
struct BlockTask {
  std::unique_ptr<codegen::Executable> executable;
  std::uint64_t levels = 0;  ///< Of its blocks, made by the pass `block` (passes/block.h): it has two parameters for
                             ///< each, behind those of the program before. 0: it was not changed.
  std::uint64_t memory = 0;  ///< For the graph, in bytes.
  std::shared_ptr<runtime::PageLimit> pages;  ///< The graph lies in its files; null: it does not.
  bool on_gpu = false;
  codegen::gpu::RowsRead rows = codegen::gpu::RowsRead::All;  ///< The part of rows that a GPU reads.
  std::uint64_t of_vertex = 0;                                ///< Bytes that it has of each vertex besides.
  bool walks_down = false;                                    ///< No item of a loop is above that of the outermost one.
};

/// Runs it for all blocks of vertices after another and adds up what was found: positions of one block, and for each
/// level one block of items. Blocks have about as many arcs, and as few as memory has room for; on a GPU they are on it
/// when they are read. If there were too many, and without levels, all is one run; then a GPU has the rows that are
/// read most. Arguments are those of the program before; the graph has vertices. A run that is stopped has the values
/// of the blocks that were done.
std::unique_ptr<codegen::Executable> make_block_runner(BlockTask task);

}  // namespace matcha::session
