#pragma once

#include <string>

#include "engines/messages/map_matcher.h"
#include "planner/question.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session {

/// Why the matches of a pattern cannot be found as maps, by messages along trees (engines/messages); empty: they can.
/// They can for a connected pattern of labelled arcs in a directed graph, made of blocks with one cut each, or with two
/// vertices without which there is no cycle. Labels may be any, one of several, or the same one on several arcs, in all
/// combinations of a few such variables. With `--match iso` and `edge` the labels alone must keep vertices, or edges,
/// distinct. `ns` becomes the cost of patterns with two cuts; the others take a pass over some arcs, which costs less
/// than compiling.
std::string messages_problem(const planner::Question& question, const runtime::Graph& graph, double& ns);

/// The task that counts or lists the maps. Requires: no `messages_problem`, and the labels were checked.
codegen::MapTask map_task(const planner::Question& question, const runtime::Graph& graph,
                          const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
