#pragma once

#include <cstdint>
#include <memory>

#include "codegen/backend.h"
#include "runtime/graph/page_limit.h"

namespace matcha::driver {

/// A program that the pass `block` changed (passes/block.h), and how it is run.
struct BlockTask {
  std::unique_ptr<codegen::Executable> executable;
  std::uint64_t levels = 1;  ///< Of its blocks: it has two parameters for each, behind those of the program before.
  std::uint64_t memory = 0;  ///< For the rows that a run reads, in bytes.
  std::shared_ptr<runtime::PageLimit> pages;  ///< The graph lies in its files.
};

/// Runs it for all blocks of vertices after another and adds up what was found: positions of one block, and for each
/// level one block of items. Blocks have about as many arcs, and as few as memory has room for. Arguments are those of
/// the program before; the graph has vertices. A run that is stopped has the values of the blocks that were done.
std::unique_ptr<codegen::Executable> make_block_runner(BlockTask task);

}  // namespace matcha::driver
