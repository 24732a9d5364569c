#pragma once

#include <optional>

#include "codegen/match/map_matcher.h"
#include "driver/pattern_source.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::driver {

/// Whether the matches of a pattern are found as maps, by messages along trees (runtime/messages), without a program:
/// arcs that have labels, of a directed graph, connected, and made of blocks with one cut each, or with two vertices
/// without which no cycle is left, where that is no slower than a program; labels may be any or one of several, and the
/// same one on several arcs, in all combinations of a few such variables. Of `--match iso` and `edge` only
/// patterns whose labels alone keep vertices, or edges, apart. Not where another algorithm or plan than the first is
/// asked for.
bool goes_by_messages(const PatternSource& pattern, const PatternOptions& options, const runtime::Graph& graph);

/// How they are counted, or with `rows` listed. Requires: `goes_by_messages`, and the labels were checked.
codegen::MapTask map_task(const PatternSource& pattern, const runtime::Graph& graph,
                          const runtime::LabelDictionary& dictionary, bool rows);

/// What a run then does, for people.
inline constexpr const char* kMapsText =
    "On a CPU `run` finds the matches by messages along trees, not by this program";

}  // namespace matcha::driver
