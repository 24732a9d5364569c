#pragma once

#include <string>

#include "codegen/c_family/emitter.h"
#include "codegen/cuda/cuda.h"
#include "ir/assumptions.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

/// The part of a device's text that is the program itself: the frame, and the functions that workers run. People edit
/// it and have it run in place of what is emitted.
namespace matcha::codegen::gpu {

/// That part of what `emit_device_text` gives, below comments that say for which plan it is made.
std::string query_part(const ir::Module& module);

/// False, with a diagnostic, unless the part that was loaded is made for this module: its plan, its frame and the
/// functions that kernels call. Whether it does the same nobody checks. True where none was loaded.
bool check_loaded_query(const ir::Module& module, const LoadedQuery& query, Diagnostics& diagnostics);

/// The part as it stands in a text for the compiler, whose messages name its file and lines.
std::string placed_query(const LoadedQuery& query);

}  // namespace matcha::codegen::gpu
