#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engines/search/executable_search.h"
#include "planner/question.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session {

/// How a search by candidates (`engines/search`) compares with a program.
enum class SearchUse {
  Slower,
  Try,  ///< It is faster unless it takes more than `kTrialSteps` (session/trial.h).
  Faster,
};

/// Why a search cannot match the pattern of the question, in a sentence; empty: it can. `graph` has the labels of edges
/// if the pattern has any.
std::string search_problem(const planner::Question& question, const runtime::Graph& graph);

/// Faster where `--algorithm` is `join`. With `auto` for undirected patterns of which all vertices have labels: faster
/// if rows, or only some matches, are wanted, or there are many vertices or automorphisms; else it is tried. Of arcs,
/// and where vertices lack labels, faster if there are many of these, each with a label or an edge with one; it is
/// tried if only some matches are to be counted. Requires: no `search_problem`.
SearchUse use_of_search(const planner::Question& question, const runtime::Graph& graph);

/// The expected time, in nanoseconds, to find the candidates of a search and to try as many images as matches are
/// wanted.
double search_cost(const planner::Question& question, const runtime::Graph& graph);

/// The search of the question in `graph`: rows are in the order of the pattern's vertices, and have each subgraph once
/// unless the question is about embeddings. Requires: no `search_problem`, and the labels were checked. `maybe_index`
/// is of the graph; null: the run makes it.
codegen::MatchTask match_task(const planner::Question& question, const runtime::Graph& graph,
                              const runtime::LabelDictionary& dictionary,
                              std::shared_ptr<runtime::match::MatchIndex> maybe_index);

}  // namespace matcha::session
