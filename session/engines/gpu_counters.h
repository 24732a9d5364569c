#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engines/cliques/clique_task.h"
#include "engines/identities/motif_counter.h"

namespace matcha::session {

/// The first GPU, for sums over triangles and wedges. It is opened by the first count, and keeps its copy of a graph
/// that is in memory. `code_folder`: where compiled kernels are kept; empty: nowhere.
std::shared_ptr<codegen::MotifDevice> gpu_motifs(const std::string& code_folder);

/// The same for pivot trees of cliques.
std::shared_ptr<codegen::CliqueDevice> gpu_cliques(const std::string& code_folder);
/// The same for counts at each vertex; `size` is that of `CliqueTask`.
std::shared_ptr<codegen::CliqueSumDevice> gpu_clique_sums(const std::string& code_folder, std::uint32_t size);

}  // namespace matcha::session
