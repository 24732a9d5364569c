#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codegen/match/motif_counter.h"
#include "runtime/motif/motif.h"

namespace matcha::driver {

/// Whether the first GPU counts these by identities where it is asked for: it can, and a program is expected to take
/// long, `ns` of a GPU that is open, by ids. Nothing: it is not known.
bool pay_on_gpu(const runtime::motif::MotifSet& wanted, std::optional<double> ns);

/// The first GPU. It is opened by the first count, and keeps its copy of a graph that is in memory. `code_folder`:
/// where compiled kernels are kept; empty: nowhere.
std::shared_ptr<codegen::MotifDevice> gpu_motifs(const std::string& code_folder);

}  // namespace matcha::driver
