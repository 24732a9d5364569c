#pragma once

#include <string>

#include "engines/messages/map_matcher.h"
#include "planner/question.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session {

/// Why the matches of a pattern cannot be found as maps, by messages along trees (engines/messages); empty: they can.
/// They are of arcs that have labels, of a directed graph, connected, and made of blocks with one cut each, or with two
/// vertices without which no cycle is left; labels may be any or one of several, and the same one on several arcs, in
/// all combinations of a few such variables. Of `--match iso` and `edge` only patterns whose labels alone keep
/// vertices, or edges, apart. `ns` becomes what those with two cuts take; the others take a pass over some arcs, which
/// is less than compiling.
std::string messages_problem(const planner::Question& question, const runtime::Graph& graph, double& ns);

/// How they are counted, or listed. Requires: no `messages_problem`, and the labels were checked.
codegen::MapTask map_task(const planner::Question& question, const runtime::Graph& graph,
                          const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
