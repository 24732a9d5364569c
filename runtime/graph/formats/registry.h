#pragma once

#include <span>
#include <string_view>

#include "runtime/graph/io.h"
#include "runtime/result.h"

/// The formats of graphs that can be read. Add one: a file here with its two functions, and a line of `formats.def`.
namespace matcha::runtime::detail {

class GraphSink;
class LineSource;

/// True if a text that begins with `head` is of the format. `head` has at most `kHeadBytes` bytes (`source.h`), may end
/// in the middle of a line, and has no byte order mark.
using Recogniser = bool (*)(std::string_view head);
/// Reads the source and passes its vertices and edges to the sink. Errors: Input with file and line, Resource, Runtime
/// when interrupted.
using Reader = Status (*)(LineSource& source, GraphSink& sink);

struct FormatEntry {
  Format format = Format::Auto;
  std::string_view option;  ///< The word of `--format`.
  std::string_view name;    ///< The name in messages.
  Recogniser maybe_recognise = nullptr;
  Reader maybe_read = nullptr;
  bool has_attributes = false;  ///< Vertices and edges have named attributes.
};

/// All formats, in the order in which they are tried.
std::span<const FormatEntry> formats();
/// The entry of a format. Requires: not Auto.
const FormatEntry& entry_of(Format format);
/// The first format whose recogniser accepts `head`; Auto if none does.
Format recognise(std::string_view head);

}  // namespace matcha::runtime::detail
