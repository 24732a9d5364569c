#pragma once

#include <memory>
#include <string>

#include "engines/identities/motif.h"
#include "engines/identities/motif_counter.h"

namespace matcha::session {

/// Whether identities on the first GPU can be faster than a program: there are some of their sums that a program takes
/// long for, and the GPU finds all of them.
bool suits_gpu(const runtime::motif::MotifSet& wanted);

/// The first GPU. It is opened by the first count, and keeps its copy of a graph that is in memory. `code_folder`:
/// where compiled kernels are kept; empty: nowhere.
std::shared_ptr<codegen::MotifDevice> gpu_motifs(const std::string& code_folder);

}  // namespace matcha::session
