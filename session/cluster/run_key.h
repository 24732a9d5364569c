#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/backend.h"

namespace matcha::session::cluster {

/// 32 hexadecimal digits that identify a run: a hash of the version, the program (the text of a module of stage kernel,
/// or the words of a search), the arguments (arrays of graphs, columns of lists, numbers) and the ids of vertices. The
/// words of labels are in it too, since equal codes of two dictionaries may be different words. Runs with the same key
/// compute the same results in the same units.
std::string run_key(std::string_view program, std::span<const codegen::Argument> arguments,
                    const runtime::Universe& universe, const std::int64_t* maybe_labels,
                    const runtime::LabelDictionary* maybe_dictionary);

/// The number of units for a run that any number of processes share, by the arcs of its graphs; the same on every
/// machine. Units for a GPU are larger.
std::uint64_t units_of(std::span<const codegen::Argument> arguments, bool on_gpu = false);

}  // namespace matcha::session::cluster
