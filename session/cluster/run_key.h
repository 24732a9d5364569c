#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/backend.h"

namespace matcha::session::cluster {

/// 32 hexadecimal digits that tell runs apart: of the version, the text of what is run (a module of stage kernel, or
/// the words of a search), what its parameters are bound to (the arrays of graphs, columns of lists, numbers), and the
/// ids of vertices. Runs with the same key find the same in the same units.
std::string run_key(std::string_view program, std::span<const codegen::Argument> arguments,
                    const runtime::Universe& universe, const std::int64_t* maybe_labels);

/// Units for a run that any number of processes share, by the arcs of its graphs; the same wherever it runs. On a GPU
/// they are larger.
std::uint64_t units_of(std::span<const codegen::Argument> arguments, bool on_gpu = false);

}  // namespace matcha::session::cluster
