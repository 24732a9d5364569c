#pragma once

#include <memory>
#include <string>

#include "engines/identities/motif.h"
#include "engines/identities/motif_counter.h"

namespace matcha::session {

/// The first GPU. It is opened by the first count, and keeps its copy of a graph that is in memory. `code_folder`:
/// where compiled kernels are kept; empty: nowhere.
std::shared_ptr<codegen::MotifDevice> gpu_motifs(const std::string& code_folder);

}  // namespace matcha::session
