#pragma once

#include <optional>
#include <string>

#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen {

/// The program as one self-contained C++20 file: `g++ -O3 -std=c++20 -pthread q.cpp -o q && ./q graph.mtg`. Takes a
/// verified module of stage kernel that has one parameter for a graph or its edges; the others are scalars, given as
/// `--NAME=VALUE`. Nothing, with a diagnostic, for other parameters.
std::optional<std::string> emit_cpp(const ir::Module& module, Diagnostics& diagnostics);

}  // namespace matcha::codegen
