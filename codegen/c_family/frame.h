#pragma once

#include <string>

#include "codegen/c_family/names.h"
#include "codegen/c_family/text_writer.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// Prints `struct Frame`: the values of the program's top level.
void emit_frame(const ir::Module& module, Names& names, TextWriter& out);

/// The type in which a worker keeps what a sink, no list, has got so far.
std::string accumulator_type(const ir::Sink& sink);

/// Region sinks that live in the worker itself: rows and exact sums.
bool in_worker(const ir::Sink& sink);

}  // namespace matcha::codegen
