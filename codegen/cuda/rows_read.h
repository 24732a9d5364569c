#pragma once

#include <cstdint>

#include "ir/nodes.h"

namespace matcha::codegen::gpu {

/// What a program reads of the rows of neighbours of a graph.
enum class RowsRead : std::uint8_t { All, Lower, Upper, None };

/// All, unless it is sure that a module reads no more than one half of each row of its parameter `graph`, and how long
/// rows are.
RowsRead rows_read(const ir::Module& module, const ir::Var* graph);

/// Bytes that a device keeps of each vertex for a module that reads so much of rows, to find these and for labels.
std::uint64_t bytes_of_vertex(const ir::Module& module, RowsRead rows);

/// Of the bytes that a graph may take of a device, the most that are for what it keeps of each vertex: the others are
/// for rows.
constexpr std::uint64_t most_of_vertices(std::uint64_t graph_bytes) { return graph_bytes / 4 * 3; }

/// Whether it is sure that one loop of a module walks vertices, and all others walk lower halves of rows, or parts of
/// them: where these are rows of items of loops, no loop has an item above that of the first.
bool walks_down(const ir::Module& module);

}  // namespace matcha::codegen::gpu
