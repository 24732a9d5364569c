#pragma once

#include <span>
#include <string_view>

#include "runtime/graph/io.h"
#include "runtime/result.h"

/// The formats of graphs that can be read. Add one: a file here with its two functions, and a line of `formats.def`.
namespace matcha::runtime::detail {

class GraphSink;
class LineSource;

/// True if a text that begins with `head` is of the format. `head` is at most `kHeadBytes` long (`source.h`) and may
/// end in the midst of a line; it has no byte order mark.
using Recogniser = bool (*)(std::string_view head);
/// Reads the source and puts its vertices and edges into the sink. Errors: Input with file and line, Resource, Runtime
/// when interrupted.
using Reader = Status (*)(LineSource& source, GraphSink& sink);

struct FormatEntry {
  Format format = Format::Auto;
  std::string_view option;  ///< The word of `--format`.
  std::string_view name;    ///< For people.
  Recogniser maybe_recognise = nullptr;
  Reader maybe_read = nullptr;
  bool has_attributes = false;  ///< Attributes of vertices and edges have names.
};

/// All formats, in the order in which they are tried.
std::span<const FormatEntry> formats();
/// The entry of a format. Requires: not Auto.
const FormatEntry& entry_of(Format format);
/// The first format whose recogniser knows `head`; Auto if there is none.
Format recognise(std::string_view head);

}  // namespace matcha::runtime::detail
