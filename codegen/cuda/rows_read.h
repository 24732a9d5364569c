#pragma once

#include <cstdint>

#include "ir/nodes.h"

namespace matcha::codegen::gpu {

/// The parts of the rows of neighbours of a graph that a program reads.
enum class RowsRead : std::uint8_t { All, Lower, Upper, None };

/// All, unless the module provably reads at most one half of each row of its parameter `graph`, and lengths of rows.
RowsRead rows_read(const ir::Module& module, const ir::Var* graph);

/// Bytes that a device keeps for each vertex, for a module that reads these parts of rows: to find the rows, and for
/// labels.
std::uint64_t bytes_of_vertex(const ir::Module& module, RowsRead rows);

/// Most bytes that a device uses for its data of vertices, if a graph may take `graph_bytes`; the rest is for rows.
constexpr std::uint64_t most_of_vertices(std::uint64_t graph_bytes) { return graph_bytes / 4 * 3; }

/// True if provably one loop of the module walks vertices and all others walk lower halves of rows, or parts of them.
/// If these are the rows of items of loops, no loop has an item above that of the first.
bool walks_down(const ir::Module& module);

}  // namespace matcha::codegen::gpu
