#pragma once

#include <string>

#include "codegen/c_family/emitter.h"
#include "codegen/cuda/cuda.h"
#include "ir/assumptions.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

/// The part of a device's text that is the program itself: the frame, and the functions of workers. A user can edit it
/// and run it in place of the emitted part.
namespace matcha::codegen::gpu {

/// That part of the text of `emit_device_text`, below comments that name its plan.
std::string query_part(const ir::Module& module);

/// False, with a diagnostic, unless the loaded part fits this module: its plan, its frame and the functions that
/// kernels call. The results of an edited part are not checked. True if no part was loaded.
bool check_loaded_query(const ir::Module& module, const LoadedQuery& query, Diagnostics& diagnostics);

/// The part in the form for the compiler, whose messages name its file and lines.
std::string placed_query(const LoadedQuery& query);

}  // namespace matcha::codegen::gpu
