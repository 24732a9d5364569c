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
  std::uint64_t levels = 0;  ///< Levels of blocks, made by the pass `block` (passes/block.cpp), with two parameters
                             ///< each behind those of the program before. 0: the pass changed nothing.
  std::uint64_t memory = 0;  ///< Bytes for the graph.
  std::shared_ptr<runtime::PageLimit> pages;  ///< Limits the pages in memory of a graph that is read from its files as
                                              ///< it runs; null: it is all in memory.
  bool on_gpu = false;
  codegen::gpu::RowsRead rows = codegen::gpu::RowsRead::All;  ///< The part of rows that a GPU reads.
  std::uint64_t of_vertex = 0;                                ///< Bytes that a GPU has of each vertex besides.
  bool walks_down = false;                                    ///< No item of a loop is above that of the outermost one.
};

/// Runs the program once for each block of outermost positions and, at each level, each block of items; adds up the
/// results. Blocks have about the same number of arcs, and are as few as memory has room for; a GPU has the blocks that
/// a run reads. If that takes too many runs, or without levels, there is one run; a GPU then keeps the rows that are
/// read most. Arguments are those of the program before the pass; the graph has vertices. A stopped run has the values
/// of the finished blocks.
std::unique_ptr<codegen::Executable> make_block_runner(BlockTask task);

}  // namespace matcha::session
