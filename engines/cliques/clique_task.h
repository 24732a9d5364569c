#pragma once

#include <cstdint>
#include <memory>

#include "codegen/backend.h"

namespace matcha::codegen {

/// Counts of cliques.
struct CliqueTask {
  std::uint32_t size = 0;  ///< Of so many vertices, at least 1; 0: of each number of vertices.
};

/// Counts cliques by pivot trees (engines/cliques), on a CPU. Its one argument is an undirected simple graph without a
/// hash index. It has one value, or of all sizes one a size from 1 on, the last of which is not 0. Numbers that fit are
/// ints of 128 bits, others WideInt; counts that may have more than 256 bits are an error before they are counted. A
/// run that is stopped has no values, and shares are an error. Where a run takes long, `on_note` gets the time that
/// is expected. Of a result, `times` has the parts of the count.
std::unique_ptr<Executable> make_clique_counter(const CliqueTask& task);

}  // namespace matcha::codegen
