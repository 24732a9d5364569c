#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codegen/backend.h"
#include "codegen/c_family/ahead_of_time.h"

namespace matcha::codegen {

/// The program as one self-contained C++20 file: `g++ -O3 -std=c++20 -pthread q.cpp -o q && ./q graph.mtg`. Takes a
/// verified module of stage kernel whose label words were lifted; its options are those of `matcha run`. Nothing, with
/// a diagnostic, for a program of several graphs.
std::optional<std::string> emit_cpp(const ir::Module& module, const AheadOfTime& about, Diagnostics& diagnostics);

/// `emit_cpp` as a back end, which loads nothing.
std::unique_ptr<Backend> make_cpp(AheadOfTime about);

}  // namespace matcha::codegen
