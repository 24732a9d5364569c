#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "runtime/graph/graph.h"

namespace matcha::tools {

/// A module told in plain words, a line a step, loops indented:
///
///     for each u in the vertices of G
///       for each v in the neighbors of u below u
///         add the size of … to n
std::string outline(const ir::Module& module);

/// Scratch memory of one worker.
struct PlannedBuffer {
  std::string name;
  std::string capacity;  ///< In words, such as `the maximum degree of G`.
  std::uint64_t item_bytes = 0;
  std::optional<std::int64_t> items;  ///< With graphs: the number.
};

/// Every buffer of the module's regions, in order. `graphs` are the bound ones by parameter; may be empty.
std::vector<PlannedBuffer> memory_plan(const ir::Module& module,
                                       const std::map<std::string, const runtime::Graph*>& graphs);

}  // namespace matcha::tools
