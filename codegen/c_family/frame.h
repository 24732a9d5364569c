#pragma once

#include <string>

#include "codegen/c_family/names.h"
#include "codegen/c_family/text_writer.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// Prints `struct Frame`: the values of the program's top level.
void emit_frame(const ir::Module& module, Names& names, TextWriter& out);

/// The type of a worker's partial value of a sink that is not a list.
std::string accumulator_type(const ir::Sink& sink);

/// True for region sinks that the worker itself stores: rows and exact sums.
bool in_worker(const ir::Sink& sink);

}  // namespace matcha::codegen
